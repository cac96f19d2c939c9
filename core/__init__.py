"""Glassdesk: a Google Workspace assistant that you can see through."""
