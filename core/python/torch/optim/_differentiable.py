"""Steps of optimisers that gradients flow through (differentiable=True), and of parameters whose class carries out ops: what the rules say, as operations on tensors. Parameters are
changed in place, what is remembered is replaced.

Behaviour: torch/optim/*.py, the functions _single_tensor_*.
"""
import torch


def step(optimizer):
    """One step of all parameters that have a gradient.

    Errors: NotImplementedError  the optimiser has no such form.
    """
    rule = _RULES.get(type(optimizer).__name__)
    if rule is None:
        raise NotImplementedError(f"{type(optimizer).__name__}.step() with differentiable=True is not available; build the update "
                                  "from tensor operations instead")
    with torch.set_grad_enabled(bool(optimizer.defaults.get("differentiable"))):
        for group in optimizer.param_groups:
            for param in group["params"]:
                if param.grad is not None:
                    grad = -param.grad if group.get("maximize") else param.grad
                    rule(group, optimizer.state[param], param, grad)


def _zeros(param):
    return torch.zeros_like(param, memory_format=torch.preserve_format)


def _count(state):
    """The number of this step, as a tensor."""
    state["step"] = state.get("step", torch.tensor(0.0)) + 1
    return state["step"]


def _decayed(group, param, grad):
    return grad + group["weight_decay"] * param if group["weight_decay"] != 0 else grad


def _decay(group, param, grad):
    """Decay of weights, in the gradient or, decoupled from it, in the parameter."""
    if group["weight_decay"] == 0 or not group.get("decoupled_weight_decay"):
        return _decayed(group, param, grad)
    param.mul_(1 - group["lr"] * group["weight_decay"])
    return grad


def _mean(state, name, param, value, weight):
    """A running mean: `weight` of the new value."""
    state[name] = torch.lerp(state[name] if name in state else _zeros(param), value, weight)
    return state[name]


def _mean_square(state, name, param, grad, kept):
    before = state[name] if name in state else _zeros(param)
    state[name] = before * kept + (1 - kept) * grad * grad.conj()
    return state[name]


def _sgd(group, state, param, grad):
    grad = _decayed(group, param, grad)
    if group["momentum"] != 0:
        buffer = state.get("momentum_buffer")
        state["momentum_buffer"] = grad.clone() if buffer is None else group["momentum"] * buffer + (1 - group["dampening"]) * grad
        grad = grad + group["momentum"] * state["momentum_buffer"] if group["nesterov"] else state["momentum_buffer"]
    param.add_(-group["lr"] * grad)


def _adam(group, state, param, grad):
    number = _count(state)
    grad = _decay(group, param, grad)
    beta1, beta2 = group["betas"]
    average = _mean(state, "exp_avg", param, grad, 1 - beta1)
    square = _mean_square(state, "exp_avg_sq", param, grad, beta2)
    if group["amsgrad"]:
        square = state["max_exp_avg_sq"] = torch.maximum(state.get("max_exp_avg_sq", _zeros(param)), square)
    spread = square.sqrt() / (1 - beta2 ** number).sqrt() + group["eps"]
    param.sub_(group["lr"] / (1 - beta1 ** number) * average / spread)


def _adamax(group, state, param, grad):
    number = _count(state)
    grad = _decayed(group, param, grad)
    beta1, beta2 = group["betas"]
    average = _mean(state, "exp_avg", param, grad, 1 - beta1)
    before = state.get("exp_inf", _zeros(param))
    state["exp_inf"] = torch.stack([before * beta2, grad.abs() + group["eps"]]).amax(0)
    param.sub_(group["lr"] / (1 - beta1 ** number) * average / state["exp_inf"])


def _rmsprop(group, state, param, grad):
    _count(state)
    grad = _decayed(group, param, grad)
    square = _mean_square(state, "square_avg", param, grad, group["alpha"])
    if group["centered"]:
        square = square - _mean(state, "grad_avg", param, grad, 1 - group["alpha"]) ** 2
    update = grad / (square.sqrt() + group["eps"])
    if group["momentum"] > 0:
        update = state["momentum_buffer"] = state.get("momentum_buffer", _zeros(param)) * group["momentum"] + update
    param.sub_(group["lr"] * update)


def _adagrad(group, state, param, grad):
    number = _count(state)
    grad = _decayed(group, param, grad)
    state["sum"] = state["sum"] + grad * grad.conj()
    rate = group["lr"] / (1 + (number - 1) * group["lr_decay"])
    param.sub_(rate * grad / (state["sum"].sqrt() + group["eps"]))


def _adadelta(group, state, param, grad):
    _count(state)
    grad = _decayed(group, param, grad)
    square = _mean_square(state, "square_avg", param, grad, group["rho"])
    moved = state.get("acc_delta", _zeros(param))
    delta = (moved + group["eps"]).sqrt() / (square + group["eps"]).sqrt() * grad
    state["acc_delta"] = moved
    _mean_square(state, "acc_delta", param, delta, group["rho"])
    param.sub_(group["lr"] * delta)


def _nadam(group, state, param, grad):
    number = _count(state)
    grad = _decay(group, param, grad)
    beta1, beta2 = group["betas"]
    now = beta1 * (1 - 0.5 * 0.96 ** (number * group["momentum_decay"]))
    then = beta1 * (1 - 0.5 * 0.96 ** ((number + 1) * group["momentum_decay"]))
    product = state["mu_product"] = state.get("mu_product", torch.tensor(1.0)) * now
    average = _mean(state, "exp_avg", param, grad, 1 - beta1)
    square = _mean_square(state, "exp_avg_sq", param, grad, beta2)
    spread = (square / (1 - beta2 ** number)).sqrt() + group["eps"]
    param.sub_(group["lr"] * (1 - now) / (1 - product) * grad / spread)
    param.sub_(group["lr"] * then / (1 - product * then) * average / spread)


def _radam(group, state, param, grad):
    number = _count(state)
    grad = _decay(group, param, grad)
    beta1, beta2 = group["betas"]
    average = _mean(state, "exp_avg", param, grad, 1 - beta1) / (1 - beta1 ** number)
    square = _mean_square(state, "exp_avg_sq", param, grad, beta2)
    rest = 1 - beta2 ** number
    most = 2 / (1 - beta2) - 1
    length = most - 2 * number * beta2 ** number / rest
    if length > 5:
        variance = ((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)).sqrt()
        average = average * variance * rest.sqrt() / (square.sqrt() + group["eps"])
    param.sub_(group["lr"] * average)


def _rprop(group, state, param, grad):
    _count(state)
    less, more = group["etas"]
    least, most = group["step_sizes"]
    sign = (grad * state.get("prev", _zeros(param))).sign()
    size = state["step_size"] if "step_size" in state else torch.full_like(param, group["lr"])
    state["step_size"] = (size * torch.where(sign > 0, more, torch.where(sign < 0, less, 1.0))).clamp(least, most)
    state["prev"] = torch.where(sign < 0, 0.0, grad)
    param.sub_(state["prev"].sign() * state["step_size"])


def _asgd(group, state, param, grad):
    number = _count(state)
    grad = _decayed(group, param, grad)
    eta, mu = state.get("eta", torch.as_tensor(group["lr"])), state.get("mu", torch.ones(()))
    param.mul_(1 - group["lambd"] * eta)
    param.sub_(eta * grad)
    mean = state.get("ax", _zeros(param))
    state["ax"] = mean + (param - mean) * mu
    state["eta"] = group["lr"] / (1 + group["lambd"] * group["lr"] * number) ** group["alpha"]
    state["mu"] = 1 / (number - group["t0"]).clamp(min=1)


_RULES = {"SGD": _sgd, "Adam": _adam, "AdamW": _adam, "Adamax": _adamax, "RMSprop": _rmsprop, "Adagrad": _adagrad,
          "Adadelta": _adadelta, "NAdam": _nadam, "RAdam": _radam, "Rprop": _rprop, "ASGD": _asgd}
