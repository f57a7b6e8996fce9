"""The arguments of ATen's functions, which are told here by their parameters alone: torch.overrides.get_testing_overrides()."""
annotated_args = {}
