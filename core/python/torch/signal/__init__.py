"""Signals: their windows."""
from torch.signal import windows
