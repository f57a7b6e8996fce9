"""Files that run as programs inside of another. Behaviour: CPython Lib/runpy.py."""
import importlib as _importlib


def run_path(path_name, init_globals=None, run_name=None):
    """The names that a file leaves."""
    with open(path_name) as file:
        code = compile(file.read(), path_name, "exec")
    name = "<run_path>" if run_name is None else run_name
    names = {"__name__": name, "__file__": path_name, "__package__": name.rpartition(".")[0], "__builtins__": __builtins__}
    names.update(init_globals or {})
    exec(code, names)
    return names


def run_module(mod_name, init_globals=None, run_name=None, alter_sys=False):
    module = _importlib.import_module(mod_name)
    file = getattr(module, "__file__", None)
    if file is None or file.startswith("<"):
        raise ImportError(f"No code object available for {mod_name}")
    return run_path(file, init_globals, mod_name if run_name is None else run_name)
