# Threads, queues, executors: what the program says is the same whichever thread runs first.
import atexit
import contextvars
import queue
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, as_completed, wait
from multiprocessing.pool import ThreadPool

atexit.register(print, "registered first, called last")


@atexit.register
def say_goodbye():
    print("goodbye")


# A producer, some consumers and a queue that holds two.
work, done = queue.Queue(maxsize=2), []
lock = threading.Lock()


def consume():
    while True:
        item = work.get()
        try:
            if item is None:
                return
            with lock:
                done.append(item * item)
        finally:
            work.task_done()


threads = [threading.Thread(target=consume, name=f"consumer {i}", daemon=True) for i in range(3)]
for thread in threads:
    thread.start()
for i in range(20):
    work.put(i)
work.join()
for _ in threads:
    work.put(None)
for thread in threads:
    thread.join()
print(sorted(done), work.empty(), [thread.is_alive() for thread in threads], threads[0].name)

# Events and conditions.
ready, answer = threading.Event(), []


def waits():
    ready.wait()
    answer.append(threading.current_thread().name)


waiter = threading.Thread(target=waits, name="waiter")
waiter.start()
print(waiter.is_alive(), ready.is_set(), answer)
ready.set()
waiter.join()
print(waiter.is_alive(), answer, ready.wait(0.001), threading.Event().wait(0.001))

condition, box = threading.Condition(), []


def taker():
    with condition:
        condition.wait_for(lambda: len(box) == 3)
        print("all three:", box)


thread = threading.Thread(target=taker)
thread.start()
for i in range(3):
    with condition:
        box.append(i)
        condition.notify_all()
thread.join()

# Turns are taken inside of generators and comprehensions, too; a thread that only counts gives its turn away.
stop, counted = [], []


def count():
    while not stop:
        counted.append(1)


counter = threading.Thread(target=count)
counter.start()
time.sleep(0.001)
stop.append(True)
counter.join()
print(len(counted) > 0, threading.active_count(), threading.current_thread() is threading.main_thread())

barrier, passed = threading.Barrier(3), []


def meet(i):
    passed.append(("came", i))
    barrier.wait()
    passed.append(("left", i))


meeting = [threading.Thread(target=meet, args=(i,)) for i in range(3)]
[thread.start() for thread in meeting]
[thread.join() for thread in meeting]
print(sorted(passed[:3]), sorted(passed[3:]))

# What each has for itself.
own = threading.local()
own.value = "main"
seen = []


def look():
    seen.append(hasattr(own, "value"))
    own.value = "other"
    seen.append(own.value)


thread = threading.Thread(target=look)
thread.start()
thread.join()
print(seen, own.value, own.__dict__)

# Locks.
recursive = threading.RLock()
with recursive, recursive:
    print(recursive.acquire(blocking=False))
    recursive.release()
print(lock.acquire(timeout=0.001), lock.acquire(blocking=False), lock.locked())
lock.release()
semaphore = threading.BoundedSemaphore(2)
print(semaphore.acquire(), semaphore.acquire(), semaphore.acquire(blocking=False))
semaphore.release(2)


def problem(call, *args, **kwargs):
    try:
        print("no problem:", call(*args, **kwargs))
    except Exception as error:
        print(type(error).__name__, "-", error)


problem(lock.release)
problem(recursive.release)
problem(semaphore.release)
problem(lock.acquire, False, 1)
problem(thread.start)
problem(threading.Thread().join)
problem(threading.current_thread().join)
problem(condition.wait)
problem(condition.notify)
problem(queue.Queue().get_nowait)
problem(queue.Queue().task_done)
problem(queue.Queue().get, timeout=0.001)
problem(threading.Barrier, 0)
problem(threading.Semaphore, -1)

# Other queues.
heap, stack = queue.PriorityQueue(), queue.LifoQueue()
for item in (3, 1, 2):
    heap.put(item)
    stack.put(item)
print([heap.get() for _ in range(3)], [stack.get() for _ in range(3)], heap.qsize())
full = queue.Queue(1)
full.put(1)
problem(full.put_nowait, 2)

# Futures.
with ThreadPoolExecutor(max_workers=2, thread_name_prefix="pool") as pool:
    futures = [pool.submit(pow, 2, i) for i in range(5)]
    print([future.result() for future in futures], list(pool.map(lambda a, b: a - b, [5, 6], [1, 2])))
    bad = pool.submit(lambda: 1 / 0)
    print(repr(bad.exception()), bad.done(), bad.cancelled())
    problem(bad.result)
    print(sorted(future.result() for future in as_completed(futures)))
    finished = wait(futures)
    print(len(finished.done), len(finished.not_done), len(wait([bad], return_when=FIRST_COMPLETED).done))
    told = []
    futures[3].add_done_callback(lambda future: told.append(future.result()))
    print(told, pool.submit(lambda: threading.current_thread().name.startswith("pool")).result())
problem(pool.submit, print)
problem(ThreadPoolExecutor, 0)
with ThreadPool(3) as pool:
    print(pool.map(len, ["a", "bb", ""]), pool.starmap(pow, [(2, 3), (3, 2)]), list(pool.imap(str, range(3))))
    print(sorted(pool.imap_unordered(abs, [-1, 2, -3])), pool.apply_async(max, (1, 2)).get(), pool.apply(min, (1, 2)))
    problem(pool.map, len, [1])

# Context variables.
variable = contextvars.ContextVar("variable", default="default")
token = variable.set("changed")
context = contextvars.copy_context()
print(variable.get(), context.run(variable.set, "inside").old_value, variable.get(), context[variable])
variable.reset(token)
print(variable.get())
print(isinstance(contextvars.ContextVar("other").get(5), int))
timer = threading.Timer(0.001, answer.append, ["timer"])
timer.start()
timer.join()
print(answer)

late = threading.Thread(target=lambda: (time.sleep(0.002), print("a thread ends behind the program")))
late.start()
print("the program ends")
