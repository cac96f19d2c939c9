"""MCP servers that a person has added: reached, looked at with care, and used like the app's own tools."""
