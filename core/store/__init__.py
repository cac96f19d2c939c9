"""The app database: conversations and what was said in them."""
