"""torch.backends.quantized. Behaviour: torch/backends/quantized/__init__.py, of a PyTorch without engines."""
engine = "none"
supported_engines = ["none"]
