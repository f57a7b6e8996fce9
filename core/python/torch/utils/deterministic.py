"""Whether empty tensors are filled. Behaviour: torch/utils/deterministic.py: they are, with zeros, in nnscope always."""
fill_uninitialized_memory = True
