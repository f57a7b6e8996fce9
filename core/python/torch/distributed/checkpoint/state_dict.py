"""States of models and optimisers under the names of the model. Behaviour: torch/distributed/checkpoint/state_dict.py."""
from dataclasses import dataclass

import torch

__all__ = ["StateDictOptions", "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict", "set_model_state_dict",
           "set_optimizer_state_dict", "set_state_dict"]
_WRAPPERS = ("_fsdp_wrapped_module.", "_orig_mod.", "_checkpoint_wrapped_module.")


@dataclass
class StateDictOptions:
    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


def _options(options):
    options = options or StateDictOptions()
    for name in ("broadcast_from_rank0", "flatten_optimizer_state_dict"):
        if getattr(options, name):
            raise NotImplementedError(f"StateDictOptions: {name} is not in nnscope")
    return options


def _unwrapped_names(model):
    """{name in the module: name of the model}: `module.` is left out of DistributedDataParallel and DataParallel alone."""
    from torch.nn.parallel import DataParallel, DistributedDataParallel
    is_wrapped = isinstance(model, (DataParallel, DistributedDataParallel))

    def bare(name):
        name = name[len("module."):] if is_wrapped and name.startswith("module.") else name
        for wrapper in _WRAPPERS:
            name = name.replace(wrapper, "")
        return name

    return bare


def _kept(value, options):
    if not isinstance(value, torch.Tensor):
        return value
    value = value.detach()
    if options.full_state_dict and hasattr(value, "full_tensor"):
        value = value.full_tensor()
    return value.cpu() if options.cpu_offload else value


def get_model_state_dict(model, *, submodules=None, options=None):
    """The state of a model under the names that it has without wrappers; with full_state_dict whole tensors."""
    if submodules:
        raise NotImplementedError("get_model_state_dict: submodules")
    options, bare = _options(options), _unwrapped_names(model)
    frozen = {bare(name) for name, one in model.named_parameters() if not one.requires_grad} if options.ignore_frozen_params else ()
    return {bare(name): _kept(value, options) for name, value in model.state_dict().items() if bare(name) not in frozen}


def _names_of(model):
    bare = _unwrapped_names(model)
    return {id(one): bare(name) for name, one in model.named_parameters()}


def _distributed(value, parameter):
    """What an optimiser keeps of a DTensor is a plain tensor of its part: as a DTensor it tells what it is part of."""
    if not hasattr(parameter, "_spec") or not isinstance(value, torch.Tensor) or value.dim() == 0 or hasattr(value, "_spec"):
        return value
    from torch.distributed.tensor._api import _wrap
    return _wrap(value.detach(), parameter._spec) if value.shape == parameter.to_local().shape else value


def _own_part(value, parameter):
    """The way back, also from a whole tensor."""
    if not hasattr(parameter, "_spec") or not isinstance(value, torch.Tensor) or value.dim() == 0:
        return value
    if hasattr(value, "_spec"):
        return value.to_local()
    from torch.distributed.tensor._api import _part_of
    return _part_of(value, parameter._spec).clone() if value.shape == parameter._spec.shape else value


def _made_states(optimizer):
    """An optimiser that has not stepped yet has no state to be filled: a step without gradients and learning rate makes it."""
    if optimizer.state:
        return
    params = [one for group in optimizer.param_groups for one in group["params"] if one.requires_grad]
    if any(one.grad is not None for one in params):
        return
    rates = [group.get("lr") for group in optimizer.param_groups]
    for one in params:
        one.grad = torch.zeros_like(one)
    for group in optimizer.param_groups:
        if "lr" in group:
            group["lr"] = torch.tensor(0.0) if isinstance(group["lr"], torch.Tensor) else 0.0
    optimizer.step(closure=None)
    for group, rate in zip(optimizer.param_groups, rates):
        if "lr" in group:
            group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)


_init_optim_state = _made_states


def _optimizers(optimizers):
    return (optimizers,) if isinstance(optimizers, torch.optim.Optimizer) else tuple(optimizers)


def get_optimizer_state_dict(model, optimizers, *, submodules=None, options=None):
    """{"state": {name: state}, "param_groups": [settings with names]}: names of the model stand for parameters."""
    if submodules:
        raise NotImplementedError("get_optimizer_state_dict: submodules")
    options, names = _options(options), _names_of(model)
    made = {"state": {}, "param_groups": []}
    for optimizer in _optimizers(optimizers):
        _made_states(optimizer)
        for group in optimizer.param_groups:
            own = {key: value for key, value in group.items() if key != "params"}
            own["params"] = [names[id(one)] for one in group["params"]]
            made["param_groups"].append(own)
            for one in group["params"]:
                state = optimizer.state.get(one)
                if state:
                    made["state"][names[id(one)]] = {key: _kept(_distributed(value, one), options) for key, value in state.items()}
    return made


def get_state_dict(model, optimizers, *, submodules=None, options=None):
    return (get_model_state_dict(model, submodules=submodules, options=options),
            get_optimizer_state_dict(model, optimizers, submodules=submodules, options=options))


def _placed(value, like):
    """A whole tensor as what is in its place: of a DTensor the part of this rank."""
    if not isinstance(value, torch.Tensor) or not hasattr(like, "_spec") or hasattr(value, "_spec"):
        return value
    from torch.distributed.tensor import distribute_tensor
    return distribute_tensor(value.to(like.device), like.device_mesh, like.placements, src_data_rank=None)


def set_model_state_dict(model, model_state_dict, *, options=None):
    """Loads a state under the names of the model. Gives what load_state_dict() does."""
    options, bare = _options(options), _unwrapped_names(model)
    wrapped = {bare(name): (name, value) for name, value in model.state_dict().items()}
    given = {}
    for name, value in model_state_dict.items():
        known = wrapped.get(name)
        given[known[0] if known else name] = _placed(value, known[1]) if known else value
    return model.load_state_dict(given, strict=options.strict)


def set_optimizer_state_dict(model, optimizers, optim_state_dict, *, options=None):
    """Loads the states of parameters by their names."""
    _options(options)
    names = _names_of(model)
    groups = {tuple(sorted(group["params"])): group for group in optim_state_dict["param_groups"]}
    for optimizer in _optimizers(optimizers):
        _made_states(optimizer)
        plain = optimizer.state_dict()
        numbers, parameters = {}, {names[id(one)]: one for own in optimizer.param_groups for one in own["params"]}
        for group, own in zip(plain["param_groups"], optimizer.param_groups):
            known = [names[id(one)] for one in own["params"]]
            numbers.update(zip(known, group["params"]))
            saved = groups.get(tuple(sorted(known)))
            if saved is not None:
                group.update({key: value for key, value in saved.items() if key != "params"})
        for name, number in numbers.items():
            state = optim_state_dict["state"].get(name)
            if state is not None:
                plain["state"][number] = {key: _own_part(value, parameters[name]) for key, value in state.items()}
        optimizer.load_state_dict(plain)


def set_state_dict(model, optimizers, *, model_state_dict, optim_state_dict, options=None):
    found = set_model_state_dict(model, model_state_dict, options=options)
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return found
