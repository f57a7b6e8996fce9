import gc
async def r(n): return 0 if n == 0 else await r(n-1)
def drive(c):
    try:
        while True: c.send(None)
    except StopIteration as e: return e.value
try: print(drive(r(2000)))
except RecursionError as e: print("RecursionError")
async def selfsend():
    global c
    try: c.send(None)
    except ValueError as e: print(e)
    try: c.throw(KeyError)
    except ValueError as e: print(e)
    try: c.close()
    except ValueError as e: print(e)
c = selfsend(); drive(c)
async def ag():
    global g
    try:
        yield 1
        try: await g.__anext__()
        except RuntimeError as e: print(e)
        yield 2
    finally:
        print("fin")
g = ag()
async def use():
    async for x in g: print(x)
drive(use())
async def cyc():
    x = []
    x.append(x)
    c2 = cyc2(x)
    x.append(c2)
async def cyc2(x): pass
drive(cyc()); gc.collect()
gen = (await x for x in [])
print(type(gen).__name__)
try: iter(gen)
except TypeError as e: print(e)
s = g.asend(None)
try: s.send(None)
except StopAsyncIteration: print("ended")
try: s.send(None)
except RuntimeError as e: print(e)
class W:
    def __await__(self): return 3
class W2:
    def __await__(self): return r(0)
async def bad(x): await x
for x in (W(), W2(), None):
    try: drive(bad(x))
    except TypeError as e: print(e)
class B:
    async def __aenter__(self): raise ValueError("enter")
    async def __aexit__(self, *a): print("never")
async def b():
    async with B(): pass
try: drive(b())
except ValueError as e: print(e)
class B2:
    def __aenter__(self): return 1
    async def __aexit__(self, *a): pass
async def b2():
    async with B2(): pass
try: drive(b2())
except TypeError as e: print(e)
async def b3():
    async with 3: pass
try: drive(b3())
except TypeError as e: print(e)
async def b4():
    async for x in 3: pass
try: drive(b4())
except TypeError as e: print(e)
try:
    try: raise ExceptionGroup("a", [ValueError()])
    except* 3: pass
except TypeError as e: print(e)
def f():
    try:
        try: raise ExceptionGroup("a", [ValueError(), KeyError()])
        except* ValueError:
            yield 1
            raise
    except* KeyError as e: yield repr(e)
    except* ValueError as e: yield repr(e)
print(list(f()))
