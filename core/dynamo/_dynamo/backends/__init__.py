"""Backends of torch.compile by their names. Behaviour: torch/_dynamo/backends."""
