"""One case for each tool, in a function of the tool's name: the call, and its effect read back through REST."""
