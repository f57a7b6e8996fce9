"""Tests that are coroutines. Behaviour: CPython Lib/unittest/async_case.py."""
import asyncio
import inspect

from unittest.case import TestCase


class IsolatedAsyncioTestCase(TestCase):
    """A test whose methods may be async; each runs in a loop of its own."""

    loop_factory = None

    def __init__(self, methodName="runTest"):
        super().__init__(methodName)
        self._asyncioRunner = None

    async def asyncSetUp(self):
        """Before the test, behind setUp()."""

    async def asyncTearDown(self):
        """Behind the test, before tearDown()."""

    def addAsyncCleanup(self, func, /, *args, **kwargs):
        """Awaits a call at the end."""
        self.addCleanup(func, *args, **kwargs)

    async def enterAsyncContext(self, cm):
        """Enters an asynchronous context manager, which is left at the end."""
        cls = type(cm)
        try:
            enter, leave = cls.__aenter__, cls.__aexit__
        except AttributeError:
            raise TypeError(f"'{cls.__module__}.{cls.__qualname__}' object does not support the asynchronous context "
                            "manager protocol") from None
        result = await enter(cm)
        self.addAsyncCleanup(leave, cm, None, None, None)
        return result

    def _wait(self, given):
        if inspect.isawaitable(given):
            self._asyncioRunner.run(given)

    def _attempt(self, function, result):
        def call():
            if function == self.tearDown:
                self._wait(self.asyncTearDown())
            self._wait(function())
            if function == self.setUp:
                self._wait(self.asyncSetUp())

        return super()._attempt(call, result)

    def run(self, result=None):
        with asyncio.Runner(debug=True, loop_factory=self.loop_factory) as runner:
            self._asyncioRunner = runner
            try:
                return super().run(result)
            finally:
                self._asyncioRunner = None

    __call__ = run

    def debug(self):
        with asyncio.Runner(debug=True, loop_factory=self.loop_factory) as runner:
            self._asyncioRunner = runner
            self.setUp()
            self._wait(self.asyncSetUp())
            self._wait(getattr(self, self._testMethodName)())
            self._wait(self.asyncTearDown())
            self.tearDown()
            while self._cleanups:
                function, args, kwargs = self._cleanups.pop()
                self._wait(function(*args, **kwargs))
            self._asyncioRunner = None
