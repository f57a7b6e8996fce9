"""What several of these functions ask of what they are given."""


def dimension(dim, count):
    """A dimension counted from the front. Errors: IndexError  there is none."""
    least = max(count, 1)
    if not -least <= dim < least:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-least}, {least - 1}], but got {dim})")
    return dim + least if dim < 0 else dim
