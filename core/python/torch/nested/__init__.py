"""Nested tensors, which are refused by their names."""


def _refuse(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"torch.nested.{name}: nnscope has no nested tensors")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


nested_tensor, as_nested_tensor, to_padded_tensor, nested_tensor_from_jagged, narrow, masked_select = map(_refuse, (
    "nested_tensor", "as_nested_tensor", "to_padded_tensor", "nested_tensor_from_jagged", "narrow", "masked_select"))
