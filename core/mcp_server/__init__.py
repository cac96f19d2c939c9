"""The MCP server: Workspace tools as typed functions."""
