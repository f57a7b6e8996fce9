# The tables of global hooks are names of torch.nn.modules.module: what a program puts there is what calls look at.
from collections import OrderedDict

import torch
import torch.nn as nn

module = nn.modules.module
layer = nn.Linear(2, 2)
x = torch.ones(1, 2)


def tell(name):
    return lambda *args: print(name, len(args))


handle = module.register_module_forward_hook(tell("forward"))
layer(x)
kept = module._global_forward_hooks
module._global_forward_hooks = OrderedDict()
print(len(kept), len(module._global_forward_hooks))
layer(x)
module.register_module_forward_hook(tell("of the new table"))
layer(x)
print(len(kept), len(module._global_forward_hooks))
module._global_forward_hooks = kept
layer(x)
handle.remove()
layer(x)
print(len(kept))

# By setattr() and the module's __dict__ as well; the other tables alike.
setattr(module, "_global_forward_pre_hooks", OrderedDict({7: tell("pre")}))
layer(x)
vars(module)["_global_forward_pre_hooks"] = OrderedDict()
layer(x)
module._global_backward_hooks = OrderedDict()
module._global_is_full_backward_hook = None
module.register_module_full_backward_hook(tell("backward"))
layer(x.clone().requires_grad_()).sum().backward()
module._global_backward_hooks.clear()
layer(x.clone().requires_grad_()).sum().backward()
module._global_parameter_registration_hooks = OrderedDict({1: lambda m, name, p: print("parameter", name)})
nn.Linear(1, 1)
