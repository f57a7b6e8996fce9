"""Averages of weights. Behaviour: torch/optim/swa_utils.py."""
import torch


def get_ema_multi_avg_fn(decay=0.999):
    """Moves averages by 1 - decay to the parameters. Errors: ValueError  decay is outside of [0, 1]."""
    _check(decay)

    @torch.no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        for average, current in zip(ema_param_list, current_param_list):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn():
    @torch.no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        for average, current in zip(averaged_param_list, current_param_list):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, 1 / (num_averaged + 1))
            else:
                average.copy_(average + (current - average) / (num_averaged + 1))

    return swa_update


def get_ema_avg_fn(decay=0.999):
    _check(decay)

    @torch.no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    @torch.no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def _check(decay):
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


@torch.no_grad()
def update_bn(loader, model, device=None):
    """Running statistics of batch norms anew, from one pass over the data."""
    norms = [module for module in model.modules() if isinstance(module, torch.nn.modules.batchnorm._BatchNorm)]
    if not norms:
        return
    momenta = {module: module.momentum for module in norms}
    was_training = model.training
    for module in norms:
        module.reset_running_stats()
        module.momentum = None
    model.train()
    for given in loader:
        if isinstance(given, (list, tuple)):
            given = given[0]
        if device is not None:
            given = given.to(device)
        model(given)
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)
