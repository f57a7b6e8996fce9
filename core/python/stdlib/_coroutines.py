"""What is built in of coroutines and is best said in Python.

Behaviour: CPython Objects/iterobject.c, PyAnextAwaitable_Type; Lib/types.py, coroutine().
"""


async def anext_or(awaitable, default):
    try:
        return await awaitable
    except StopAsyncIteration:
        return default


class GeneratorCoroutine:
    """What a generator function gives that types.coroutine() decorates: the generator, which may be awaited."""

    def __init__(self, generator):
        self._generator = generator

    def __await__(self):
        return self._generator

    def __iter__(self):
        return self._generator

    def __next__(self):
        return next(self._generator)

    def send(self, value):
        return self._generator.send(value)

    def throw(self, *error):
        return self._generator.throw(*error)

    def close(self):
        return self._generator.close()
