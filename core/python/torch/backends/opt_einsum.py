"""torch.backends.opt_einsum. Behaviour: torch/backends/opt_einsum/__init__.py, without the package opt_einsum."""
enabled = False
strategy = None


def is_available():
    return False


def get_opt_einsum():
    return None
