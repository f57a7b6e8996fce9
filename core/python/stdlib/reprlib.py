"""recursive_repr: a __repr__ that meets itself."""

__all__ = ["recursive_repr"]


def recursive_repr(fillvalue="..."):
    """Decorates a __repr__: where it is reached again from inside itself, the result is `fillvalue`."""

    def decorate(function):
        running = set()

        def wrapper(self):
            key = id(self)
            if key in running:
                return fillvalue
            running.add(key)
            try:
                return function(self)
            finally:
                running.discard(key)

        wrapper.__module__ = function.__module__
        wrapper.__doc__ = function.__doc__
        wrapper.__name__ = function.__name__
        wrapper.__qualname__ = function.__qualname__
        wrapper.__wrapped__ = function
        return wrapper

    return decorate
