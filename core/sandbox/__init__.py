"""The offline Workspace, below the HTTP line: Google's REST methods over a SQLite world."""
