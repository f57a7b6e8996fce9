import asyncio
import cProfile
import mimetypes
import pstats
import select
import selectors
import tracemalloc

print(tracemalloc.is_tracing(), tracemalloc.get_traced_memory())
print(asyncio.iscoroutinefunction(print), asyncio.TimeoutError is TimeoutError, issubclass(asyncio.CancelledError, Exception))
print(pstats.SortKey.CUMULATIVE.value, selectors.EVENT_READ)
for call in (tracemalloc.start, tracemalloc.take_snapshot, cProfile.Profile, lambda: cProfile.run("1"), lambda: pstats.Stats("file"), lambda: asyncio.start_server(None, "x", 1),
             asyncio.get_running_loop, asyncio.StreamReader, lambda: select.select([], [], []), selectors.DefaultSelector, lambda: asyncio.none):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)
for name in ("a.py", "model.tar.gz", "b.tgz", "http://x.org/y/picture.PNG?z", "data:image/png;base64,xx", "data:,x", "noending", "a.unknown", "w.safetensors", "x.jpeg"):
    print(name, mimetypes.guess_type(name))
print(mimetypes.guess_extension("image/jpeg"), mimetypes.guess_all_extensions("text/html"), mimetypes.guess_extension("none/none"), mimetypes.guess_type("a.rtf", strict=False))
mimetypes.add_type("application/x-own", ".own")
print(mimetypes.guess_type("a.own"), mimetypes.guess_extension("application/x-own"), mimetypes.types_map[".json"])
