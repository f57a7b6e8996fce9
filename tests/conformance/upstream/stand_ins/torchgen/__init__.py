"""Stand-in for torchgen."""
