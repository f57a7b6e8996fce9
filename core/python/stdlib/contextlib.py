"""Context managers from functions, and for everyday needs."""

__all__ = ["asynccontextmanager", "contextmanager", "closing", "nullcontext", "AbstractContextManager",
           "AbstractAsyncContextManager", "AsyncExitStack", "ContextDecorator", "AsyncContextDecorator", "ExitStack",
           "redirect_stdout", "redirect_stderr", "suppress", "aclosing", "chdir"]

import sys
from abc import ABC, abstractmethod
from collections.abc import _has
from functools import wraps

from _generics import GenericAlias


class AbstractContextManager(ABC):
    """What has __enter__ and __exit__."""

    __slots__ = ()
    __class_getitem__ = classmethod(GenericAlias)

    def __enter__(self):
        return self

    @abstractmethod
    def __exit__(self, exc_type, exc_value, traceback):
        return None

    @classmethod
    def __subclasshook__(cls, C):
        return _has(C, "__enter__", "__exit__") if cls is AbstractContextManager else NotImplemented


class ContextDecorator:
    """A base class of context managers that can decorate functions, too."""

    def _recreate_cm(self):
        return self

    def __call__(self, func):
        @wraps(func)
        def inner(*args, **kwds):
            with self._recreate_cm():
                return func(*args, **kwds)

        return inner


class _GeneratorContextManager(AbstractContextManager, ContextDecorator):
    """What a function decorated with contextmanager gives."""

    def __init__(self, func, args, kwds):
        self.gen = func(*args, **kwds)
        self.func, self.args, self.kwds = func, args, kwds
        self.__doc__ = getattr(func, "__doc__", None) or type(self).__doc__

    def _recreate_cm(self):
        return type(self)(self.func, self.args, self.kwds)

    def __enter__(self):
        # They would keep the arguments alive.
        del self.args, self.kwds, self.func
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, typ, value, traceback):
        if typ is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            try:
                raise RuntimeError("generator didn't stop")
            finally:
                self.gen.close()
        if value is None:
            value = typ()
        try:
            self.gen.throw(value)
        except StopIteration as error:
            return error is not value
        except RuntimeError as error:
            if error is value:
                error.__traceback__ = traceback
                return False
            # A StopIteration from the with block comes out of a generator as the cause of a RuntimeError.
            if isinstance(value, StopIteration) and error.__cause__ is value:
                value.__traceback__ = traceback
                return False
            raise
        except BaseException as error:
            if error is not value:
                raise
            error.__traceback__ = traceback
            return False
        try:
            raise RuntimeError("generator didn't stop after throw()")
        finally:
            self.gen.close()


def contextmanager(func):
    """A function that gives context managers, from a generator function with one yield."""

    @wraps(func)
    def helper(*args, **kwds):
        return _GeneratorContextManager(func, args, kwds)

    return helper


class closing(AbstractContextManager):
    """Closes its thing at the end."""

    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *exc_info):
        self.thing.close()


class nullcontext(AbstractContextManager):
    """Does nothing."""

    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *excinfo):
        pass

    async def __aenter__(self):
        return self.enter_result

    async def __aexit__(self, *excinfo):
        pass


class suppress(AbstractContextManager):
    """Ends quietly where one of these exceptions is raised."""

    def __init__(self, *exceptions):
        self._exceptions = exceptions

    def __enter__(self):
        pass

    def __exit__(self, exctype, excinst, exctb):
        return exctype is not None and issubclass(exctype, self._exceptions)


class _RedirectStream(AbstractContextManager):
    _stream = None

    def __init__(self, new_target):
        self._new_target = new_target
        self._old_targets = []

    def __enter__(self):
        self._old_targets.append(getattr(sys, self._stream))
        setattr(sys, self._stream, self._new_target)
        return self._new_target

    def __exit__(self, exctype, excinst, exctb):
        setattr(sys, self._stream, self._old_targets.pop())


class redirect_stdout(_RedirectStream):
    """sys.stdout is another file meanwhile."""

    _stream = "stdout"


class redirect_stderr(_RedirectStream):
    """sys.stderr is another file meanwhile."""

    _stream = "stderr"


class chdir(AbstractContextManager):
    """Another working directory meanwhile."""

    def __init__(self, path):
        self.path = path
        self._old_cwd = []

    def __enter__(self):
        import os
        self._old_cwd.append(os.getcwd())
        os.chdir(self.path)

    def __exit__(self, *excinfo):
        import os
        os.chdir(self._old_cwd.pop())


class ExitStack(AbstractContextManager):
    """What is to be done at the end, last first."""

    def __init__(self):
        self._exit_callbacks = []  # functions of (type, value, traceback)

    def pop_all(self):
        """Another stack that has all of it; this one is empty then."""
        other = type(self)()
        other._exit_callbacks, self._exit_callbacks = self._exit_callbacks, []
        return other

    def push(self, exit):
        """Adds the __exit__ of an object, or a function like it."""
        method = getattr(type(exit), "__exit__", None)
        if method is None:
            self._exit_callbacks.append(exit)
        else:
            self._exit_callbacks.append(lambda *details: method(exit, *details))
        return exit

    def enter_context(self, cm):
        """Enters a context manager, which is left at the end."""
        cls = type(cm)
        try:
            enter = cls.__enter__
            leave = cls.__exit__
        except AttributeError:
            raise TypeError(f"'{cls.__module__}.{cls.__qualname__}' object does not support the context manager "
                            "protocol") from None
        result = enter(cm)
        self._exit_callbacks.append(lambda *details: leave(cm, *details))
        return result

    def callback(self, callback, /, *args, **kwds):
        """Adds a function that is called with these arguments."""

        def run(exc_type, exc, tb):
            callback(*args, **kwds)

        run.__wrapped__ = callback
        self._exit_callbacks.append(run)
        return callback

    def close(self):
        """Does it all now."""
        self.__exit__(None, None, None)

    def __exit__(self, *exc_details):
        exc = exc_details[1]
        outer = sys.exc_info()[1]
        is_suppressed = is_pending = False
        while self._exit_callbacks:
            callback = self._exit_callbacks.pop()
            try:
                details = (None, None, None) if exc is None else (type(exc), exc, exc.__traceback__)
                if callback(*details):
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

    @staticmethod
    def _set_context(raised, before, outer):
        """Says that `raised` came while `before` was handled, as nested with statements would."""
        while True:
            context = raised.__context__
            if context is None or context is before:
                return
            if context is outer:
                break
            raised = context
        raised.__context__ = before


from _async_contexts import AbstractAsyncContextManager, AsyncContextDecorator, AsyncExitStack, aclosing, asynccontextmanager
