"""The glass: spans in, numbers that add up out."""
