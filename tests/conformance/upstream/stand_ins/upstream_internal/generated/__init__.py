"""What PyTorch generates for its tests when it is built."""
