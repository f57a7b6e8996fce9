"""A graph as a module. Behaviour: torch/fx/graph_module.py."""
import copy
import itertools
import os
import sys
import traceback
import warnings

import torch
from torch import nn
from torch.fx._namespace import CUSTOM_BUILTINS
from torch.fx.graph import Graph, _PyTreeCodeGen
from torch.fx.node import map_aggregate

__all__ = ["GraphModule"]

_numbers = itertools.count()
# What passes keep beside the graph when a module is copied.
_KEPT_HOOKS = ("_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks", "_replace_hooks", "_create_node_hooks",
               "_erase_node_hooks", "_deepcopy_hooks")
_REPRESENTED = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


def _forward_from_src(src, globals, co_fields=None):
    """The function of the source. Its file is called <eval_with_key>.N, with where it was traced from."""
    names, key = dict(globals), f"<eval_with_key>.{next(_numbers)}"
    if co_fields:
        key += f" from {co_fields['co_filename']}:{co_fields['co_firstlineno']} in {co_fields['co_name']}"
    exec(compile(src, key, "exec"), names)
    return names.pop("forward")


def _attribute(root, path):
    for part in path.split("."):
        root = getattr(root, part)
    return root


def _put(module, name, value):
    """A tensor that is no parameter becomes a buffer."""
    if isinstance(value, torch.Tensor) and not isinstance(value, nn.Parameter):
        module.register_buffer(name, value)
    else:
        setattr(module, name, value)


def _copy_attr(from_module, to_module, target):
    """What is under a path of one module is there in another one, too."""
    *prefix, last = target.split(".")
    for part in prefix:
        source, there = getattr(from_module, part), getattr(to_module, part, None)
        if source is there:
            # A parent came as a whole, with this in it.
            return
        if there is None:
            there = nn.Module()
            setattr(to_module, part, there)
        from_module, to_module = source, there
    _put(to_module, last, getattr(from_module, last))


def _assign_attr(from_obj, to_module, target):
    """Puts something under a path with dots; modules that are missing on the way are made."""
    *prefix, last = target.split(".")
    for part in prefix:
        child = getattr(to_module, part, None)
        if child is None:
            child = nn.Module()
            setattr(to_module, part, child)
        to_module = child
    _put(to_module, last, from_obj)


def _get_attr(model, attr_name):
    """The attribute of a path with dots."""
    return _attribute(model, attr_name)


def _has_attr(model, attr_name):
    for part in attr_name.split("."):
        if not hasattr(model, part):
            return False
        model = getattr(model, part)
    return True


def _del_attr(model, attr_name):
    *prefix, last = attr_name.split(".")
    delattr(_attribute(model, ".".join(prefix)) if prefix else model, last)


class _CodeOnlyModule(nn.Module):
    """The attributes of a GraphModule without its graph."""

    def __init__(self, body):
        super().__init__()
        self.__dict__.update(body)


def _add_indent(text):
    first, *rest = text.split("\n")
    return "\n".join([first, *("    " + line for line in rest)])


def _print_readable(module, module_name, print_output=True, include_stride=False, include_device=False, colored=False,
                    expanded_def=False):
    graph = module.graph
    if not isinstance(graph, Graph):
        raise AssertionError("print_readable must be used on a module with a graph")
    code = graph.python_code("self", verbose=True, include_stride=include_stride, include_device=include_device, colored=colored,
                             expanded_def=expanded_def).src.lstrip("\n")
    text = _add_indent(f"class {module_name}(torch.nn.Module):\n{code}")
    inside = [""] + [_print_readable(child, name, False, include_stride, include_device, colored)
                     for name, child in module.named_children() if hasattr(child, "graph")]
    text += _add_indent("\n".join(inside))
    if print_output:
        print(text)
    return text


class _WrappedCall:
    """Calls the module; an error in code that was made of a graph is shown with its line."""

    def __init__(self, cls, cls_call):
        self.cls, self.cls_call = cls, cls_call

    def __call__(self, obj, *args, **kwargs):
        try:
            if self.cls_call is not None:
                return self.cls_call(obj, *args, **kwargs)
            return super(self.cls, obj).__call__(*args, **kwargs)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            if not frames or "eval_with_key" not in frames[-1].filename:
                raise
            print(self._told(obj, frames[-1].lineno), file=sys.stderr)
            raise error.with_traceback(None)  # noqa: B904

    @staticmethod
    def _told(obj, number):
        lines = [line + "\n" for line in obj._code.splitlines()]
        marker = "~" * len(lines[number - 1].strip()) + "~~~ <--- HERE"
        return "\n".join([traceback.format_exc(),
                          f"Call using an FX-traced Module, line {number} of the traced Module's generated forward function:",
                          "".join(lines[max(number - 2, 0):number]), marker, "\n".join(lines[number:number + 2])])


class GraphModule(nn.Module):
    """A module whose forward() is made of a graph: again when another graph is assigned, or by recompile()."""

    def __new__(cls, *args, **kwargs):
        # Each has a class of its own, since forward() is its class's; a copy's is not derived from the original's.
        for base in cls.__mro__:
            if base.__qualname__.rpartition(".")[2] != "GraphModuleImpl":
                cls = base
                break

        class GraphModuleImpl(cls):
            pass

        return super().__new__(GraphModuleImpl)

    def __init__(self, root, graph, class_name="GraphModule"):
        """`root`: the module, or a dict, that has what get_attr and call_module nodes name. Errors: RuntimeError  it has it not."""
        super().__init__()
        self.__class__.__name__ = class_name
        named = [node for node in graph.nodes if node.op in ("get_attr", "call_module")]
        if isinstance(root, nn.Module):
            self.training = getattr(root, "training", True)
            if isinstance(root, _CodeOnlyModule):
                for name in [name for listed in (root.named_children(), root.named_buffers(), root.named_parameters())
                             for name, _ in listed]:
                    _copy_attr(root, self, name)
            for node in named:
                _copy_attr(root, self, node.target)
        elif isinstance(root, dict):
            for node in named:
                if node.target not in root:
                    raise RuntimeError(f"Node {node} referenced target {node.target} but that target was not provided in ``root``!")
            # What is nested less comes first, or it would replace what is inside of it.
            for target in sorted((node.target for node in named), key=lambda target: target.count(".")):
                _assign_attr(root[target], self, target)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        self.graph = graph
        tracer = graph._tracer_cls
        self._tracer_cls = tracer if tracer is not None and "<locals>" not in tracer.__qualname__ else None
        self._tracer_extras = graph._tracer_extras or {}
        self.meta = {}
        self._replace_hooks, self._create_node_hooks, self._erase_node_hooks, self._deepcopy_hooks = [], [], [], []

    @property
    def graph(self):
        return self._graph

    @graph.setter
    def graph(self, g):
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self):
        if not hasattr(self, "_code"):
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        return self._code

    def recompile(self):
        """Makes forward() of the graph as it is now. Gives the code."""
        if isinstance(self._graph._codegen, _PyTreeCodeGen) and self._graph._codegen.pytree_info is not None:
            self._in_spec = self._graph._codegen.pytree_info.in_spec
            self._out_spec = self._graph._codegen.pytree_info.out_spec
        python_code = self._graph.python_code(root_module="self")
        self._code, self._lineno_map = python_code.src, python_code._lineno_map
        cls = type(self)
        cls.forward = _forward_from_src(self._code, python_code.globals, self._graph._co_fields)
        if "_wrapped_call" not in vars(cls):
            cls._wrapped_call = _WrappedCall(cls, vars(cls).get("__call__"))

        def call_wrapped(self, *args, **kwargs):
            return self._wrapped_call(self, *args, **kwargs)

        cls.__call__ = call_wrapped
        return python_code

    def print_readable(self, print_output=True, include_stride=False, include_device=False, colored=False, *, fast_sympy_print=False,
                       expanded_def=False):
        """The code with types and lines of the program, that of modules inside, too. Prints it unless told otherwise."""
        return _print_readable(self, self._get_name(), print_output, include_stride, include_device, colored, expanded_def)

    def __str__(self):
        return "\n".join([super().__str__(), self._code, "# To see more debug info, please use `graph_module.print_readable()`"])

    def add_submodule(self, target, m):
        """Puts a module under a path; modules on the way are made. Gives whether that can be."""
        *prefix, last = target.split(".")
        module = self
        for part in prefix:
            child = getattr(module, part, None)
            if child is None:
                child = nn.Module()
                setattr(module, part, child)
            if not isinstance(child, nn.Module):
                return False
            module = child
        module.add_module(last, m)
        return True

    def delete_submodule(self, target):
        """Removes the module under a path. Gives whether there was one."""
        *prefix, last = target.split(".")
        module = self
        for part in prefix:
            module = getattr(module, part, None)
            if not isinstance(module, nn.Module):
                return False
        if not isinstance(getattr(module, last, None), nn.Module):
            return False
        delattr(module, last)
        return True

    def delete_all_unused_submodules(self):
        """Removes modules that no node calls and in which no node finds something."""
        used = set()
        for node in self.graph.nodes:
            if node.op not in ("call_module", "get_attr"):
                continue
            used.update(itertools.accumulate(node.target.split("."), "{}.{}".format))
            if node.op == "call_module" and _has_attr(self, node.target):
                inside = self.get_submodule(node.target).named_modules()
                used.update(f"{node.target}.{name}" for name, _ in inside if name)
        for name in [name for name, _ in self.named_modules() if name not in used]:
            self.delete_submodule(name)

    def to_folder(self, folder, module_name="FxModule"):
        """Writes the module as a package from which it can be imported: module.py, state_dict.pt, modules that are no layers of torch
        as files."""
        os.makedirs(folder, exist_ok=True)
        folder = str(folder)
        torch.save(self.state_dict(), f"{folder}/state_dict.pt")
        lines, pickled = [], []
        for name, child in self.named_children():
            made = repr(child)
            if type(child) not in _REPRESENTED:
                file = f"{folder}/{name}.pt"
                torch.save(child, file)
                pickled.append(name)
                made = f"torch.load(r'{file}', weights_only=False) # {made}".replace("\r", " ").replace("\n", " ")
            lines.append(f"self.{name} = {made}")
        for name, buffer in self._buffers.items():
            if buffer is not None:
                lines.append(f"self.register_buffer('{name}', torch.empty({list(buffer.shape)}, dtype={buffer.dtype}))")
        for name, parameter in self._parameters.items():
            if parameter is not None:
                lines.append(f"self.{name} = torch.nn.Parameter(torch.empty({list(parameter.shape)}, dtype={parameter.dtype}))")
        lines.append(f"self.load_state_dict(torch.load(r'{folder}/state_dict.pt'))")
        imports = "\n".join(text for text, _ in CUSTOM_BUILTINS.values())
        body = "".join(f"        {line}\n" for line in lines)
        with open(f"{folder}/module.py", "w") as file:
            file.write(f"\nimport torch\n{imports}\n\nfrom torch.nn import *\nclass {module_name}(torch.nn.Module):\n"
                       f"    def __init__(self):\n        super().__init__()\n{body}{_add_indent(self.code)}\n")
        with open(f"{folder}/__init__.py", "w") as file:
            file.write("from .module import *")
        if pickled:
            warnings.warn(f"Was not able to save the following children modules as reprs -saved as pickled files instead: {pickled}")

    def __deepcopy__(self, memo):
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        graph = copy.deepcopy(self._graph, memo)
        body = {key: value for key, value in self.__dict__.items() if key != "_graph"}
        root = _CodeOnlyModule(copy.deepcopy(body, memo))
        GraphModule.__init__(made, root, graph, self.__class__.__name__)
        for name in _KEPT_HOOKS:
            if name in self.__dict__:
                setattr(made, name, copy.deepcopy(self.__dict__[name], memo))
        made.meta = copy.deepcopy(self.__dict__.get("meta", {}), memo)
        for hook in self.__dict__.get("_deepcopy_hooks", ()):
            hook(made)
        return made

    def __copy__(self):
        made = GraphModule(self, self.graph)
        made.meta = self.__dict__.get("meta", {})
        return made

    def __reduce__(self):
        """Only the code is kept; reading it traces it again."""
        body = {key: value for key, value in self.__dict__.items() if key != "_graph"}
        names = self.recompile().globals
        return reduce_graph_module, (body, "\n".join(_import_of(name, value) for name, value in names.items()))


def _add_hooks(kind):
    """The pair of methods that registers and removes a hook of this kind."""
    def register(self, f):
        if not callable(f):
            raise AssertionError(f"{kind} hook must be a callable.")
        getattr(self, f"_{kind}_hooks").append(f)

    def unregister(self, f):
        getattr(self, f"_{kind}_hooks").remove(f)

    middle = "replace_node" if kind == "replace" else kind
    setattr(GraphModule, f"_register_{middle}_hook", register)
    setattr(GraphModule, f"_unregister_{middle}_hook", unregister)


for _kind in ("replace", "create_node", "erase_node", "deepcopy"):
    _add_hooks(_kind)


def _import_of(name, value):
    if name in CUSTOM_BUILTINS:
        return CUSTOM_BUILTINS[name][0]
    return f"from {value.__module__} import {value.__qualname__} as {name}"


def reduce_graph_module(body, import_block):
    """A GraphModule of its attributes and the code in `_code`."""
    from torch.fx._symbolic_trace import Tracer
    source = body.get("_code") or body["code"]

    class Root(_CodeOnlyModule):
        forward = _forward_from_src(f"{import_block}\n{source}", {})

    class KeepModules(body.get("_tracer_cls") or Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            return True

    root = Root(body)
    return GraphModule(root, KeepModules().trace(root), body.get("_graphmodule_cls_name", "GraphModule"))


def _from_rows(rows, attributes):
    """A GraphModule of what the tracer captured. A row: op, name, target, args, kwargs, type, meta."""
    graph, by_name = Graph(), {}
    for op, name, target, args, kwargs, kind, meta in rows:
        args, kwargs = map_aggregate((args, kwargs), lambda one: by_name[one.name] if isinstance(one, _Reference) else one)
        node = by_name[name] = graph.create_node(op, target, args, kwargs, name, kind)
        node.meta.update(meta)
    return GraphModule(attributes, graph)


class _Reference:
    """Stands for a node in rows."""

    def __init__(self, name):
        self.name = name
