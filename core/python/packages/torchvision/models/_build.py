"""What all builders of models do. Behaviour: torchvision/models/_api.py, torchvision/models/_utils.py."""
import sys

from torchvision.models._api import register_model
from torchvision.models._utils import _ovewrite_named_param, handle_legacy_interface
from torchvision.models._weights import weights_of


def builder(name, make, prepare=None, load=None):
    """Defines a builder and the enumeration of its weights in the module that calls.

    make: makes the model of the keywords; prepare(keywords): changes them where weights are asked for;
    load(model, state_dict): loads weights in another way than load_state_dict.
    """
    namespace = sys._getframe(1).f_globals
    module = namespace["__name__"]
    kinds = weights_of(name, module)

    def build(*, weights=None, progress=True, **kwargs):
        weights = kinds.verify(weights)
        if weights is None:
            return make(**kwargs)
        state = weights.get_state_dict(progress=progress, check_hash=True)
        _ovewrite_named_param(kwargs, "num_classes", 1000)
        finish = prepare(kwargs, weights) if prepare is not None else None
        model = make(**kwargs)
        if load is not None:
            load(model, state)
        else:
            model.load_state_dict(state)
        if finish is not None:
            finish(model)
        return model

    build.__name__ = build.__qualname__ = name
    build.__module__ = module
    older = next(iter(kinds))  # what pretrained=True meant
    namespace[name] = register_model()(handle_legacy_interface(weights=("pretrained", older))(build))
    namespace[kinds.__name__] = kinds
    namespace.setdefault("__all__", []).extend([kinds.__name__, name])
