"""Drive v3 of the sandbox: files, their contents, who may see them, and comments."""
