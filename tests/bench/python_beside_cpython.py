#!/usr/bin/env python3
"""The pure-Python programs of tests/bench/python in this interpreter: milliseconds for one run, the least of ten.

Beside it: nnscope_bench --benchmark_filter=python/. Both in one sitting, on a quiet machine.
"""
import importlib.util
import sys
import time
from pathlib import Path

print("CPython", sys.version.split()[0])
for name in ("nbody", "fannkuch", "dict_str"):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / "python" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    times = []
    for _ in range(10):
        start = time.perf_counter()
        module.run()
        times.append(time.perf_counter() - start)
    print(f"python/{name}: {min(times) * 1e3:.2f} ms")
