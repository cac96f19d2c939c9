"""What `make bench` runs: ratios measured in one run, never asserted times."""
