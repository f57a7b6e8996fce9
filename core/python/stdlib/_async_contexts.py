"""What `async with` enters: contextlib's asynchronous half. Behaviour: CPython Lib/contextlib.py."""
from abc import ABC, abstractmethod
from collections.abc import _has
from functools import wraps

from _generics import GenericAlias
from contextlib import ExitStack


class AbstractAsyncContextManager(ABC):
    """What has __aenter__ and __aexit__."""

    __class_getitem__ = classmethod(GenericAlias)

    async def __aenter__(self):
        return self

    @abstractmethod
    async def __aexit__(self, exc_type, exc_value, traceback):
        return None

    @classmethod
    def __subclasshook__(cls, C):
        return _has(C, "__aenter__", "__aexit__") if cls is AbstractAsyncContextManager else NotImplemented


class AsyncContextDecorator:
    """A base class of asynchronous context managers that can decorate async functions, too."""

    def _recreate_cm(self):
        return self

    def __call__(self, func):
        @wraps(func)
        async def inner(*args, **kwds):
            async with self._recreate_cm():
                return await func(*args, **kwds)

        return inner


class _AsyncGeneratorContextManager(AbstractAsyncContextManager, AsyncContextDecorator):
    """What a function decorated with asynccontextmanager gives."""

    def __init__(self, func, args, kwds):
        self.gen = func(*args, **kwds)
        self.func, self.args, self.kwds = func, args, kwds
        self.__doc__ = getattr(func, "__doc__", None) or type(self).__doc__

    def _recreate_cm(self):
        return type(self)(self.func, self.args, self.kwds)

    async def __aenter__(self):
        # They would keep the arguments alive.
        del self.args, self.kwds, self.func
        try:
            return await anext(self.gen)
        except StopAsyncIteration:
            raise RuntimeError("generator didn't yield") from None

    async def __aexit__(self, typ, value, traceback):
        if typ is None:
            try:
                await anext(self.gen)
            except StopAsyncIteration:
                return False
            try:
                raise RuntimeError("generator didn't stop")
            finally:
                await self.gen.aclose()
        if value is None:
            value = typ()
        try:
            await self.gen.athrow(value)
        except StopAsyncIteration as error:
            return error is not value
        except RuntimeError as error:
            if error is value:
                error.__traceback__ = traceback
                return False
            # One that ends iterations comes out of a generator as the cause of a RuntimeError.
            if isinstance(value, (StopIteration, StopAsyncIteration)) and error.__cause__ is value:
                value.__traceback__ = traceback
                return False
            raise
        except BaseException as error:
            if error is not value:
                raise
            error.__traceback__ = traceback
            return False
        try:
            raise RuntimeError("generator didn't stop after athrow()")
        finally:
            await self.gen.aclose()


def asynccontextmanager(func):
    """A function that gives asynchronous context managers, from an asynchronous generator function with one yield."""

    @wraps(func)
    def helper(*args, **kwds):
        return _AsyncGeneratorContextManager(func, args, kwds)

    return helper


class aclosing(AbstractAsyncContextManager):
    """Closes its thing, an asynchronous generator, at the end."""

    def __init__(self, thing):
        self.thing = thing

    async def __aenter__(self):
        return self.thing

    async def __aexit__(self, *exc_info):
        await self.thing.aclose()


class AsyncExitStack(ExitStack, AbstractAsyncContextManager):
    """What is to be done at the end, last first; some of it is waited for."""

    def _waited(self, function):
        async def run(*details):
            return await function(*details)

        run._is_waited = True
        self._exit_callbacks.append(run)

    async def enter_async_context(self, cm):
        """Enters an asynchronous context manager, which is left at the end."""
        cls = type(cm)
        try:
            enter = cls.__aenter__
            leave = cls.__aexit__
        except AttributeError:
            raise TypeError(f"'{cls.__module__}.{cls.__qualname__}' object does not support the asynchronous context "
                            "manager protocol") from None
        result = await enter(cm)
        self._waited(lambda *details: leave(cm, *details))
        return result

    def push_async_exit(self, exit):
        """Adds the __aexit__ of an object, or a function like it."""
        method = getattr(type(exit), "__aexit__", None)
        self._waited(exit if method is None else lambda *details: method(exit, *details))
        return exit

    def push_async_callback(self, callback, /, *args, **kwds):
        """Adds an async function that is called with these arguments."""

        async def run(exc_type, exc, tb):
            await callback(*args, **kwds)

        run.__wrapped__ = callback
        self._waited(run)
        return callback

    async def aclose(self):
        """Does it all now."""
        await self.__aexit__(None, None, None)

    def __enter__(self):
        raise TypeError("'contextlib.AsyncExitStack' object does not support the context manager protocol")

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exc_details):
        import sys
        exc = exc_details[1]
        outer = sys.exc_info()[1]
        is_suppressed = is_pending = False
        while self._exit_callbacks:
            callback = self._exit_callbacks.pop()
            try:
                details = (None, None, None) if exc is None else (type(exc), exc, exc.__traceback__)
                answer = callback(*details)
                if getattr(callback, "_is_waited", False):
                    answer = await answer
                if answer:
                    is_suppressed = True
                    is_pending = False
                    exc = None
            except BaseException as raised:
                self._set_context(raised, exc, outer)
                is_pending = True
                exc = raised
        if is_pending:
            context = exc.__context__
            try:
                raise exc
            except BaseException:
                exc.__context__ = context
                raise
        return exc_details[0] is not None and is_suppressed
