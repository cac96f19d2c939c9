"""Turns: they belong to the process, and anyone may read along."""
