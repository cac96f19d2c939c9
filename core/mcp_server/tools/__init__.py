"""The tool functions, one module a Google service."""
