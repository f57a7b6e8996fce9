import asyncio
import contextvars
import time


async def work(name, turns, value):
    print("begin", name)
    for _ in range(turns):
        await asyncio.sleep(0)
    print("end", name)
    return value


async def main():
    print(await asyncio.gather(work("a", 3, 1), work("b", 2, 2), work("c", 0, 3)))
    task = asyncio.create_task(work("t", 1, "task"), name="mine")
    print(task.get_name(), task.done(), asyncio.current_task().get_name())
    print(await task, task.done(), task.result(), len(asyncio.all_tasks()))
    # Errors.
    async def fails():
        await asyncio.sleep(0)
        raise ValueError("failed")

    try:
        await asyncio.gather(fails(), asyncio.sleep(0))
    except ValueError as error:
        print("gathered", error)
    print(await asyncio.gather(fails(), work("x", 0, 1), return_exceptions=True))
    # Time.
    try:
        await asyncio.wait_for(asyncio.sleep(5), 0.01)
    except asyncio.TimeoutError as error:
        print("late", type(error).__name__)
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(5)
    except TimeoutError:
        print("late again")
    async with asyncio.timeout(None) as limit:
        print(limit.expired(), limit.when())
    print(await asyncio.wait_for(work("w", 0, "in time"), 1))
    # Cancelling.
    async def patient():
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError as error:
            print("cancelled with", error.args)
            raise
        finally:
            print("cleaned up")

    task = asyncio.create_task(patient())
    await asyncio.sleep(0)
    print(task.cancel("enough"))
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled", task.cancelled())
    # wait, as_completed, shield.
    tasks = [asyncio.create_task(work(str(i), 5 * i, i)) for i in (3, 1, 2)]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    print(len(done), len(pending), [t.result() for t in done])
    for one in asyncio.as_completed(pending):
        print("completed", await one)
    print(await asyncio.shield(work("s", 0, "shielded")))
    # Locks.
    lock, held = asyncio.Lock(), []

    async def holds(i):
        async with lock:
            held.append(i)
            await asyncio.sleep(0)
            held.append(i)

    await asyncio.gather(*(holds(i) for i in range(3)))
    print(held, lock.locked())
    gate = asyncio.Semaphore(2)
    most = now = 0

    async def limited():
        nonlocal most, now
        async with gate:
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.001)
            now -= 1

    await asyncio.gather(*(limited() for _ in range(5)))
    print("at most", most)
    event = asyncio.Event()
    waiting = asyncio.create_task(event.wait())
    await asyncio.sleep(0)
    event.set()
    print(await waiting, event.is_set())
    condition, ready = asyncio.Condition(), []

    async def consumer(i):
        async with condition:
            await condition.wait_for(lambda: ready)
            print("consumer", i, ready.pop())

    consumers = [asyncio.create_task(consumer(i)) for i in range(2)]
    await asyncio.sleep(0)
    async with condition:
        ready += ["p", "q"]
        condition.notify_all()
    await asyncio.gather(*consumers)
    # Queues.
    queue = asyncio.Queue(maxsize=2)

    async def produce():
        for i in range(5):
            await queue.put(i)
        await queue.put(None)

    producer = asyncio.create_task(produce())
    got = []
    while (item := await queue.get()) is not None:
        got.append(item)
        queue.task_done()
    print(got, queue.empty(), queue.qsize())
    first = asyncio.PriorityQueue()
    for item in (3, 1, 2):
        first.put_nowait(item)
    print([first.get_nowait() for _ in range(3)])
    try:
        first.get_nowait()
    except asyncio.QueueEmpty:
        print("empty")
    # Groups.
    async with asyncio.TaskGroup() as group:
        made = [group.create_task(work(f"g{i}", i, i)) for i in range(2)]
    print([t.result() for t in made])
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(fails())
            group.create_task(patient())
    except BaseExceptionGroup as error:
        print(error, error.exceptions)
    # Threads, contexts, the loop itself.
    print(await asyncio.to_thread(lambda: sum(range(100))))
    variable = contextvars.ContextVar("variable", default="none")

    async def sets():
        variable.set("inner")
        return variable.get()

    print(await asyncio.create_task(sets()), variable.get())
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    loop.call_later(0.001, future.set_result, "later")
    print(await future, future.done(), loop.is_running())
    future = loop.create_future()
    future.add_done_callback(lambda one: print("told", one.result()))
    future.set_result(7)
    await asyncio.sleep(0)
    try:
        future.set_result(8)
    except asyncio.InvalidStateError as error:
        print(type(error).__name__)
    try:
        asyncio.run(work("n", 0, 0))
    except RuntimeError as error:
        print(error)
    return "done"


coroutine = main()
print(asyncio.iscoroutinefunction(main), asyncio.iscoroutine(coroutine))
print(asyncio.run(coroutine))
try:
    asyncio.get_running_loop()
except RuntimeError as error:
    print(error)


async def cancelled_by_end():
    async def forever():
        try:
            while True:
                await asyncio.sleep(1)
        finally:
            print("forever ends")

    asyncio.create_task(forever())
    await asyncio.sleep(0)


asyncio.run(cancelled_by_end())
with asyncio.Runner() as runner:
    print(runner.run(work("r1", 0, 1)), runner.run(work("r2", 0, 2)))
loop = asyncio.new_event_loop()
print(loop.run_until_complete(work("l", 0, "loop")), loop.is_closed())
loop.close()
print(loop.is_closed())


async def exits():
    raise SystemExit(3)


try:
    asyncio.run(exits())
except SystemExit as error:
    print("exit", error.code)
