"""Helpers of model definitions. Behaviour: torchvision/models/_utils.py."""
import functools
import inspect
import warnings
from collections import OrderedDict

from torch import nn

from _stand_in import part_of
from torchvision.models._api import WeightsEnum

__getattr__ = part_of(__name__)


class IntermediateLayerGetter(nn.ModuleDict):
    """Runs the children of `model` in order, up to the last that is wanted, and gives their outputs by new names.

    return_layers: {name of a child: name of its output}. Errors: ValueError for what is no child.
    """

    def __init__(self, model, return_layers):
        children = OrderedDict(model.named_children())
        if not set(return_layers) <= set(children):
            raise ValueError("return_layers are not present in model")
        wanted = {str(layer): str(output) for layer, output in return_layers.items()}
        last = max(list(children).index(layer) for layer in wanted) if wanted else len(children) - 1
        super().__init__(OrderedDict(list(children.items())[: last + 1]))
        self.return_layers = dict(return_layers)

    def forward(self, x):
        outputs = OrderedDict()
        for name, module in self.items():
            x = module(x)
            if name in self.return_layers:
                outputs[self.return_layers[name]] = x
        return outputs


def _make_divisible(v, divisor, min_value=None):
    """The multiple of `divisor` nearest to v, at least `min_value` (else `divisor`) and not under 90 % of v."""
    least = divisor if min_value is None else min_value
    nearest = max(least, int(v + divisor / 2) // divisor * divisor)
    return nearest + divisor if nearest < 0.9 * v else nearest


def kwonly_to_pos_or_kw(fn):
    """Lets keyword-only parameters of `fn` be given by position, too, with a warning."""
    parameters = inspect.signature(fn).parameters.values()
    keyword_only = [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
    places = sum(p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for p in parameters)

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        args, more = args[:places], args[places:]
        if more:
            by_name = dict(zip(keyword_only, more))
            warnings.warn(f"{fn.__name__}: {', '.join(by_name)} should be given by name", UserWarning, stacklevel=2)
            kwargs.update(by_name)
        return fn(*args, **kwargs)

    return wrapper


def handle_legacy_interface(**weights):
    """Lets a builder take `pretrained` where it has `weights`.

    weights: {parameter: (its older name, the member that True means or a function of the keywords that gives it)}.
    """
    def decorate(builder):
        @kwonly_to_pos_or_kw
        @functools.wraps(builder)
        def wrapper(*args, **kwargs):
            for parameter, (older, default) in weights.items():
                given = kwargs.get(parameter)
                is_older = isinstance(given, bool) or (parameter not in kwargs and older in kwargs)
                if not is_older:
                    continue
                wanted = kwargs.pop(older, given)
                warnings.warn(f"the parameter '{older}' is deprecated, use '{parameter}' instead", UserWarning,
                              stacklevel=3)
                member = None
                if wanted:
                    member = default(kwargs) if callable(default) else default
                    if not isinstance(member, WeightsEnum):
                        raise ValueError(f"No weights available for model {builder.__name__}")
                kwargs[parameter] = member
            return builder(*args, **kwargs)

        return wrapper

    return decorate


def _ovewrite_named_param(kwargs, param, new_value):
    """Sets a keyword. Errors: ValueError if the caller gave it another value."""
    if kwargs.setdefault(param, new_value) != new_value:
        raise ValueError(f"The parameter '{param}' expected value {new_value} but got {kwargs[param]} instead.")


def _ovewrite_value_param(param, actual, expected):
    if actual is not None and actual != expected:
        raise ValueError(f"The parameter '{param}' expected value {expected} but got {actual} instead.")
    return expected
