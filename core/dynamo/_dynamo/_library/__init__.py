"""What stands for the methods of torch.nn while a frame is traced.

A tracer follows Python; here torch.nn is C++. Each method below reads what PyTorch's own method reads, in that order, so
that the same guards are installed and nodes get the same names (they are those of local variables). Nothing here runs
as a program. Behaviour: torch/nn/modules.
"""
import torch
import torch.nn.functional as F
from torch._C import _dynamo as _native
from torch.nn.parameter import Parameter


class Module:
    training: bool

    def __init__(self, *args, **kwargs):
        object.__setattr__(self, "training", True)
        object.__setattr__(self, "_parameters", {})
        object.__setattr__(self, "_buffers", {})
        object.__setattr__(self, "_non_persistent_buffers_set", set())
        object.__setattr__(self, "_backward_pre_hooks", _ordered())
        object.__setattr__(self, "_backward_hooks", _ordered())
        object.__setattr__(self, "_is_full_backward_hook", None)
        object.__setattr__(self, "_forward_hooks", _ordered())
        object.__setattr__(self, "_forward_hooks_with_kwargs", _ordered())
        object.__setattr__(self, "_forward_hooks_always_called", _ordered())
        object.__setattr__(self, "_forward_pre_hooks", _ordered())
        object.__setattr__(self, "_forward_pre_hooks_with_kwargs", _ordered())
        object.__setattr__(self, "_state_dict_hooks", _ordered())
        object.__setattr__(self, "_state_dict_pre_hooks", _ordered())
        object.__setattr__(self, "_load_state_dict_pre_hooks", _ordered())
        object.__setattr__(self, "_load_state_dict_post_hooks", _ordered())
        object.__setattr__(self, "_modules", {})

    def __call__(self, *args, **kwargs):
        if self._compiled_call_impl is not None:
            return self._compiled_call_impl(*args, **kwargs)
        return self._call_impl(*args, **kwargs)

    _compiled_call_impl = None

    def _call_impl(self, *args, **kwargs):
        forward_call = self.forward
        if not (self._backward_hooks or self._backward_pre_hooks or self._forward_hooks or self._forward_pre_hooks
                or _backward_hooks or _backward_pre_hooks or _forward_hooks or _forward_pre_hooks):
            return forward_call(*args, **kwargs)
        result = None

        def inner():
            nonlocal result, args, kwargs
            if self._backward_pre_hooks or self._backward_hooks:
                _break_for_backward_hooks()
            if _forward_pre_hooks or self._forward_pre_hooks:
                for hook_id, hook in (*_forward_pre_hooks.items(), *self._forward_pre_hooks.items()):
                    if hook_id in self._forward_pre_hooks_with_kwargs:
                        args_kwargs_result = hook(self, args, kwargs)
                        if args_kwargs_result is not None:
                            args, kwargs = args_kwargs_result
                    else:
                        args_result = hook(self, args)
                        if args_result is not None:
                            if not isinstance(args_result, tuple):
                                args_result = (args_result,)
                            args = args_result
            result = forward_call(*args, **kwargs)
            if _forward_hooks or self._forward_hooks:
                for hook_id, hook in (*_forward_hooks.items(), *self._forward_hooks.items()):
                    if hook_id in self._forward_hooks_always_called:
                        pass
                    if hook_id in self._forward_hooks_with_kwargs:
                        hook_result = hook(self, args, kwargs, result)
                    else:
                        hook_result = hook(self, args, result)
                    if hook_result is not None:
                        result = hook_result
            return result

        return inner()

    def __setattr__(self, name, value):
        params = self.__dict__.get("_parameters")
        if isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            _remove_from(name, self.__dict__, self._buffers, self._modules, self._non_persistent_buffers_set)
            self.register_parameter(name, value)
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(f"cannot assign '{torch.typename(value)}' as parameter '{name}' "
                                "(torch.nn.Parameter or None expected)")
            self.register_parameter(name, value)
        else:
            modules = self.__dict__.get("_modules")
            if isinstance(value, torch.nn.Module):
                if modules is None:
                    raise AttributeError("cannot assign module before Module.__init__() call")
                _remove_from(name, self.__dict__, self._parameters, self._buffers, self._non_persistent_buffers_set)
                modules[name] = value
            elif modules is not None and name in modules:
                if value is not None:
                    raise TypeError(f"cannot assign '{torch.typename(value)}' as child module '{name}' "
                                    "(torch.nn.Module or None expected)")
                modules[name] = value
            else:
                buffers = self.__dict__.get("_buffers")
                if buffers is not None and name in buffers:
                    if value is not None and not isinstance(value, torch.Tensor):
                        raise TypeError(f"cannot assign '{torch.typename(value)}' as buffer '{name}' "
                                        "(torch.nn.Buffer, torch.Tensor or None expected)")
                    persistent = name not in self._non_persistent_buffers_set
                    self.register_buffer(name, value, persistent)
                else:
                    object.__setattr__(self, name, value)

    def __delattr__(self, name):
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            object.__delattr__(self, name)

    def register_parameter(self, name, param):
        if hasattr(self, name) and name not in self._parameters:
            raise KeyError(f"attribute '{name}' already exists")
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        if hasattr(self, name) and name not in self._buffers:
            raise KeyError(f"attribute '{name}' already exists")
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name, module):
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        self._modules[name] = module

    def register_module(self, name, module):
        self.add_module(name, module)

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        _make_handle(self._forward_pre_hooks)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        _make_handle(self._forward_hooks)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        _make_handle(self._backward_pre_hooks)

    def register_full_backward_hook(self, hook, prepend=False):
        _make_handle(self._backward_hooks)

    def named_children(self):
        memo = set()
        for name, module in self._modules.items():
            if module is not None and module not in memo:
                memo.add(module)
                yield name, module

    def children(self):
        for _name, module in self.named_children():
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        if memo is None:
            memo = set()
        if self not in memo:
            if remove_duplicate:
                memo.add(self)
            yield prefix, self
            for name, module in self._modules.items():
                if module is None:
                    continue
                submodule_prefix = prefix + ("." if prefix else "") + name
                yield from module.named_modules(memo, submodule_prefix, remove_duplicate)

    def modules(self):
        for _name, module in self.named_modules():
            yield module

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        memo = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for module_prefix, module in modules:
            members = get_members_fn(module)
            for k, v in members:
                if v is None or v in memo:
                    continue
                if remove_duplicate:
                    memo.add(v)
                name = module_prefix + ("." if module_prefix else "") + k
                yield name, v

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        gen = self._named_members(lambda module: module._parameters.items(), prefix=prefix, recurse=recurse,
                                  remove_duplicate=remove_duplicate)
        yield from gen

    def parameters(self, recurse=True):
        for _name, param in self.named_parameters(recurse=recurse):
            yield param

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        gen = self._named_members(lambda module: module._buffers.items(), prefix=prefix, recurse=recurse,
                                  remove_duplicate=remove_duplicate)
        yield from gen

    def buffers(self, recurse=True):
        for _, buf in self.named_buffers(recurse=recurse):
            yield buf

    def train(self, mode=True):
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        return self.train(False)

    def apply(self, fn):
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def get_submodule(self, target):
        if target == "":
            return self
        atoms = target.split(".")
        mod = self
        for item in atoms:
            if not hasattr(mod, item):
                raise AttributeError(mod._get_name() + " has no attribute `" + item + "`")
            mod = getattr(mod, item)
            if not isinstance(mod, torch.nn.Module):
                raise AttributeError("`" + item + "` is not an nn.Module")
        return mod

    def get_parameter(self, target):
        module_path, _, param_name = target.rpartition(".")
        mod = self.get_submodule(module_path)
        if not hasattr(mod, param_name):
            raise AttributeError(mod._get_name() + " has no attribute `" + param_name + "`")
        param = getattr(mod, param_name)
        if not isinstance(param, Parameter):
            raise AttributeError("`" + param_name + "` is not an nn.Parameter")
        return param

    def get_buffer(self, target):
        module_path, _, buffer_name = target.rpartition(".")
        mod = self.get_submodule(module_path)
        if not hasattr(mod, buffer_name):
            raise AttributeError(mod._get_name() + " has no attribute `" + buffer_name + "`")
        return getattr(mod, buffer_name)

    def set_submodule(self, target, module, strict=False):
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        atoms = target.split(".")
        if not isinstance(module, torch.nn.Module):
            raise ValueError("`module` is not an nn.Module, found " + str(type(module)))
        if len(atoms) == 1:
            parent = self
        else:
            parent = self.get_submodule(".".join(atoms[:-1]))
        if strict and not hasattr(parent, atoms[-1]):
            raise AttributeError(parent._get_name() + " has no attribute `" + atoms[-1] + "`")
        if hasattr(parent, atoms[-1]) and not isinstance(getattr(parent, atoms[-1]), torch.nn.Module):
            raise AttributeError("`" + atoms[-1] + "` is not an nn.Module")
        setattr(parent, atoms[-1], module)

    def zero_grad(self, set_to_none=True):
        for p in self.parameters():
            if p.grad is not None:
                if set_to_none:
                    p.grad = None
                else:
                    if p.grad.grad_fn is not None:
                        p.grad.detach_()
                    else:
                        p.grad.requires_grad_(False)
                    p.grad.zero_()

    def _get_name(self):
        return self.__class__.__name__

    def requires_grad_(self, requires_grad=True):
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self


def _ordered():
    from collections import OrderedDict
    return OrderedDict()


def _remove_from(name, *dicts_or_sets):
    for d in dicts_or_sets:
        if name in d:
            if isinstance(d, dict):
                del d[name]
            else:
                d.discard(name)


def _make_handle(hooks):
    """Handles are counted on their class, which no frame that is traced may write to."""
    from torch.utils.hooks import RemovableHandle
    RemovableHandle.next_id = 1


# The hooks that run for every module.
_forward_pre_hooks = _native.global_hooks("forward_pre")
_forward_hooks = _native.global_hooks("forward")
_backward_pre_hooks = _native.global_hooks("backward_pre")
_backward_hooks = _native.global_hooks("backward")


def _break_for_backward_hooks():
    torch._dynamo._break_for_backward_hooks()


class _Contexts:
    """What contexts make of functions. Behaviour: torch/utils/_contextlib.py, context_decorator."""

    def decorated(context, function):
        def decorate_context(*args, **kwargs):
            with context:
                return function(*args, **kwargs)

        return decorate_context


def wrap_inline(fn):
    def inner(*args, **kwargs):
        return fn(*args, **kwargs)

    return inner


def _gather():
    """All of them by name: what the tracer looks up."""
    from torch._dynamo._library import activations, attention, containers, layers, losses, parametrizations, recurrent
    for part in (activations, attention, containers, layers, losses, parametrizations, recurrent):
        for name, value in vars(part).items():
            if isinstance(value, type) and value.__module__ == part.__name__:
                globals()[name] = value


_gather()


def stand_in(function):
    """What is followed in the place of a function of torch; None: nothing is."""
    from torch._dynamo._library import functions
    return functions.STAND_INS.get(function)
