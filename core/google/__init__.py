"""Google clients: one transport a thread, one span a request, errors as sentences."""
