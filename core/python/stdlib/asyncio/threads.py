"""Functions that would block, in threads. Behaviour: CPython Lib/asyncio/threads.py."""
import contextvars
import functools

from asyncio import events


async def to_thread(func, /, *args, **kwargs):
    """The result of a call in another thread."""
    context = contextvars.copy_context()
    return await events.get_running_loop().run_in_executor(None, functools.partial(context.run, func, *args, **kwargs))
