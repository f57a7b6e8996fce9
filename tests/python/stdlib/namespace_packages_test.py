# Folders without __init__.py are packages, in the program's folder and those of sys.path.
import os
import sys

for path, text in [("ns_parts/inner/first.py", "x = 1"), ("elsewhere/ns_parts/second.py", "y = 2\nfrom .inner.first import x as z"),
                   ("ns_whole/__init__.py", "from . import own"), ("ns_whole/own.py", "kind = 'regular'"),
                   ("elsewhere/ns_whole/other.py", ""), ("elsewhere/plain_module.py", "name = __name__")]:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
sys.path.append("elsewhere")

import ns_parts.inner.first as first
import ns_parts.second
import plain_module
from ns_parts import inner

print(first.x, ns_parts.second.y, ns_parts.second.z, inner is ns_parts.inner, plain_module.name)
print(ns_parts.__file__, len(ns_parts.__path__), len(ns_parts.inner.__path__))
print(ns_parts.__package__, ns_parts.inner.__package__, first.__package__, first.__name__)
for name in ("ns_parts.third", "ns_whole.other", "ns_absent"):
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        print(error, "|", error.name)
try:
    from ns_parts import nothing
except ImportError as error:
    print(type(error).__name__, error)
import ns_whole

print(ns_whole.own.kind, ns_whole.__file__.endswith("__init__.py"))
