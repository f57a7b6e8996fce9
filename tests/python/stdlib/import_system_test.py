"""Modules of files, packages, finders of a program's own, and modules that run when they are first looked into."""
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import pkgutil
import sys
import tempfile

os.mkdir("own")
tempfile.tempdir = os.path.abspath("own")
folder = tempfile.mkdtemp()


def write(path, text):
    path = os.path.join(folder, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path


# A file as a module.
plugin = write("plugin.py", "import sys\nVALUE = 7\nNAME = __name__\nIN_MODULES = __name__ in sys.modules\n\ndef f():\n    return VALUE\n")
spec = importlib.util.spec_from_file_location("my_plugin", plugin)
print(spec.name, spec.origin == plugin, spec.submodule_search_locations, spec.has_location, spec.parent == "")
module = importlib.util.module_from_spec(spec)
print(module.__name__, module.__file__ == plugin, module.__package__ == "", hasattr(module, "VALUE"))
spec.loader.exec_module(module)
print(module.f(), module.NAME, module.IN_MODULES)
module.VALUE = 8
print(module.f(), "my_plugin" in sys.modules)
print(importlib.util.spec_from_file_location("data", os.path.join(folder, "data.txt")))
loaded = importlib.machinery.SourceFileLoader("other", plugin).load_module()
print(loaded.NAME, sys.modules["other"] is loaded)

# Packages, and what is in them.
write("pack/__init__.py", "import pkgutil\n__path__ = pkgutil.extend_path(__path__, __name__)\n"
      "FOUND = [m.name for m in pkgutil.iter_modules(__path__)]\n")
write("pack/b.py", "from . import a\nB = a.A + 1\n")
write("pack/a.py", "A = 1\n")
write("pack/inner/__init__.py", "")
write("pack/inner/deep.py", "D = 4\n")
write("pack/_data.txt", "text")
write("elsewhere/extra.py", "E = 5\n")
sys.path.insert(0, folder)
print(importlib.util.find_spec("pack.inner.deep").name, "pack.inner.deep" in sys.modules, "pack.inner" in sys.modules)
import pack
print(pack.FOUND, [os.path.relpath(p, folder) for p in pack.__path__])
print([(m.name, m.ispkg) for m in pkgutil.walk_packages(pack.__path__, "pack.")])
pack.__path__.append(os.path.join(folder, "elsewhere"))
from pack import extra
print(extra.E, extra.__name__, extra.__package__)
for info in pkgutil.iter_modules([os.path.join(folder, "elsewhere")]):
    print(info.module_finder.find_spec(info.name).loader.load_module(info.name).E)
print(importlib.util.find_spec("pack.nothing"), importlib.util.find_spec("nothing_at_all"))
try:
    importlib.util.find_spec("pack.a.b")
except ModuleNotFoundError as e:
    print(e)

# The same module again, after its file has changed.
write("changing.py", "V = 1\nkept = 1\n")
import changing
write("changing.py", "V = 2 # longer\n")
print(importlib.reload(changing) is changing, changing.V, changing.kept)

# Finders of the program's own.
class Made(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, fullname, path, target=None):
        print("asked for", fullname, path)
        if fullname.startswith("made"):
            return importlib.util.spec_from_loader(fullname, self, is_package=fullname == "made")
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.name = "from " + module.__name__


sys.meta_path.insert(0, Made())
import made.part
print(made.name, made.part.name, made.__path__, made.part.__spec__.parent)
print(importlib.util.find_spec("made.other").loader is sys.meta_path[0])
try:
    import not_made
except ModuleNotFoundError as e:
    print(e)
sys.meta_path.pop(0)
try:
    import made2
except ModuleNotFoundError as e:
    print(e)

# Code that runs at the first question.
write("lazy_one.py", "print('lazy_one runs')\nL = 3\n")
spec = importlib.util.find_spec("lazy_one")
spec.loader = importlib.util.LazyLoader(spec.loader)
lazy = importlib.util.module_from_spec(spec)
sys.modules["lazy_one"] = lazy
spec.loader.exec_module(lazy)
print("not yet")
print(lazy.L, type(lazy).__name__)

import importlib.resources
print(importlib.resources.files("pack").joinpath("_data.txt").read_text())
print(importlib.resources.files(pack).name)
