"""What the system knows of agents and tools, and which of them a question needs."""
