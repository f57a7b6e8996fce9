"""Products with Jacobians and Hessians of a function at a point, and these matrices themselves.

Behaviour: torch/autograd/functional.py. Differs: vectorize, strategy and outer_jacobian_strategy change nothing: the values
are the same."""
import torch

__all__ = ["vjp", "jvp", "jacobian", "hessian", "hvp", "vhp"]


def _as_tuple(given, what, function):
    """(whether it is a tuple, it as one)."""
    is_tuple = isinstance(given, tuple)
    items = given if is_tuple else (given,)
    for i, item in enumerate(items):
        if isinstance(item, torch.Tensor):
            continue
        start = f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but the"
        raise TypeError(f"{start} value at index {i} has type {type(item)}." if is_tuple
                        else f"{start} given {what} has type {type(item)}.")
    return is_tuple, items


def _as_given(items, was_tuple):
    return items if was_tuple else items[0]


def _matrix_as_given(rows, outputs_were_tuple, inputs_were_tuple):
    return _as_given(tuple(_as_given(row, inputs_were_tuple) for row in rows), outputs_were_tuple)


def _fresh(tensors, create_graph, needs_graph):
    """New tensors with the same values, so that what the function captures is told from what it is given."""
    return tuple(one.view_as(one) if create_graph and one.requires_grad else one.detach().requires_grad_(needs_graph)
                 for one in tensors)


def _finished(tensors, create_graph):
    return tuple(tensors) if create_graph else tuple(one.detach() for one in tensors)


_INDEPENDENT = {
    "outputs": "Output {} of the user-provided function does not require gradients. The outputs must be computed in a "
               "differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {} is independent of the inputs of the user-provided function. This is "
                   "not allowed in strict mode.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} "
                "is independent of the input. This is not allowed in strict mode. You should ensure that your function is "
                "twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear "
                "function for example).",
    "hessian": "The hessian of the user-provided function with respect to input {} is independent of the input. This is not "
               "allowed in strict mode. You should ensure that your function is thrice differentiable and that the hessian "
               "depends on the inputs.",
}


def _check_dependence(tensors, kind, strict):
    if not strict:
        return
    for i, one in enumerate(tensors):
        if one is None:
            raise RuntimeError(f"The output of the user-provided function is independent of input {i}. This is not allowed in "
                               "strict mode.")
        if not one.requires_grad:
            raise RuntimeError(_INDEPENDENT[kind].format(i))


def _gradients(outputs, inputs, cotangents=None, create_graph=False, retain_graph=None):
    """One gradient an input; None where nothing leads."""
    if cotangents is None:
        cotangents = (None,) * len(outputs)
    pairs = [(output, cotangent) for output, cotangent in zip(outputs, cotangents)
             if output is not None and output.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return torch.autograd.grad([output for output, _ in pairs], inputs, [cotangent for _, cotangent in pairs],
                               allow_unused=True, create_graph=create_graph, retain_graph=retain_graph)


_NOT_REACHED = {
    "back": "The output of the user-provided function is independent of input {}. This is not allowed in strict mode.",
    "back_trick": "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double "
                  "backward trick to compute forward mode gradients. This is not allowed in strict mode.",
    "double_back": "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict mode.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. This is "
                         "not allowed in strict mode as it prevents from using the double backward trick to replace forward "
                         "mode AD.",
}


def _with_zeros(grads, like, strict, create_graph, stage):
    whole = []
    for i, grad in enumerate(grads):
        if grad is None:
            if strict:
                raise RuntimeError(_NOT_REACHED[stage].format(i))
            grad = torch.zeros_like(like[i])
        elif strict and create_graph and not grad.requires_grad:
            raise RuntimeError(f"The {'hessian' if 'double' in stage else 'jacobian'} of the user-provided function is "
                               f"independent of input {i}. This is not allowed in strict mode when create_graph=True.")
        whole.append(grad)
    return tuple(whole)


def _vector(v, like, like_was_tuple, function, create_graph):
    """v, checked; None stands for 1 where there is one number."""
    _, items = _as_tuple(v, "v", function)
    items = _fresh(items, create_graph, False)
    if len(like) != len(items):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(items)}."
                           if like_was_tuple else "The given v should contain a single Tensor.")
    for i, (item, other) in enumerate(zip(items, like)):
        if item.size() != other.size():
            start = f"Entry {i} in " if like_was_tuple else ""
            raise RuntimeError(f"{start}v has invalid size: should be {other.size()} but got {item.size()}.")
    return items


def _is_one_number(tensors):
    return len(tensors) == 1 and tensors[0].nelement() == 1


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(*inputs), v times its Jacobian)."""
    with torch.enable_grad():
        inputs_were_tuple, inputs = _as_tuple(inputs, "inputs", "vjp")
        inputs = _fresh(inputs, create_graph, True)
        outputs_were_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", "vjp")
        _check_dependence(outputs, "outputs", strict)
        if v is not None:
            v = _vector(v, outputs, outputs_were_tuple, "vjp", create_graph)
        elif not _is_one_number(outputs):
            raise RuntimeError("The vector v can only be None if the user-provided function returns a single Tensor with a "
                               "single element.")
    with torch.set_grad_enabled(create_graph or torch.is_grad_enabled()):
        product = _with_zeros(_gradients(outputs, inputs, v, create_graph), inputs, strict, create_graph, "back")
    return (_as_given(_finished(outputs, create_graph), outputs_were_tuple),
            _as_given(_finished(product, create_graph), inputs_were_tuple))


_ONE_INPUT = ("The vector v can only be None if the input to the user-provided function is a single Tensor with a single "
              "element.")


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(*inputs), its Jacobian times v)."""
    with torch.enable_grad():
        inputs_were_tuple, inputs = _as_tuple(inputs, "inputs", "jvp")
        inputs = _fresh(inputs, create_graph, True)
        if v is not None:
            v = _vector(v, inputs, inputs_were_tuple, "jvp", create_graph)
        elif not _is_one_number(inputs):
            raise RuntimeError(_ONE_INPUT)
        outputs_were_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", "jvp")
        _check_dependence(outputs, "outputs", strict)
        # The gradients are linear in these: what they are does not matter.
        cotangents = tuple(torch.zeros_like(one, requires_grad=True) for one in outputs)
        grads = _gradients(outputs, inputs, cotangents, create_graph=True)
        _check_dependence(grads, "grad_inputs", strict)
    with torch.set_grad_enabled(create_graph or torch.is_grad_enabled()):
        product = _with_zeros(_gradients(grads, cotangents, v, create_graph), outputs, strict, create_graph, "back_trick")
    return (_as_given(_finished(outputs, create_graph), outputs_were_tuple),
            _as_given(_finished(product, create_graph), outputs_were_tuple))


def _check_ways(function, strict, vectorize, strategy):
    """Whether PyTorch has these options together; here all ways are one."""
    where = f"torch.autograd.functional.{function}"
    if strategy == "forward-mode":
        if strict:
            raise RuntimeError(f'{where}: `strict=True` and `strategy="forward-mode"` are not supported together (yet). Please '
                               'either set `strict=False` or `strategy="reverse-mode"`.')
        if not vectorize:
            raise NotImplementedError(f'{where}: `strategy="forward-mode"` is currently only supported together with '
                                      '`vectorize=True`. Please set `vectorize=True` or `strategy="reverse-mode"`.')
    if strict and vectorize:
        raise RuntimeError(f"{where}: `strict=True` and `vectorized=True` are not supported together. Please either set "
                           "`strict=False` or `vectorize=False`.")


def _construct_standard_basis_for(tensors, tensor_numels):
    """For each tensor its columns of the unit vectors of all of them, which are laid behind one another."""
    total = sum(tensor_numels)
    chunks, start = [], 0
    for tensor, count in zip(tensors, tensor_numels):
        chunk = tensor.new_zeros(total, count)
        chunk.diagonal(-start).fill_(1)
        chunks.append(chunk)
        start += count
    return tuple(chunks)


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The Jacobian of func at `inputs`: (*shape of an output, *shape of an input), a tuple where there are several."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more '
                             'outputs than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use '
                             '"reverse-mode".')
    _check_ways("jacobian", strict, vectorize, strategy)
    with torch.enable_grad():
        inputs_were_tuple, inputs = _as_tuple(inputs, "inputs", "jacobian")
        inputs = _fresh(inputs, create_graph, True)
        outputs_were_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", "jacobian")
        _check_dependence(outputs, "outputs", strict)
        matrix = []
        for i, output in enumerate(outputs):
            rows = [[] for _ in inputs]
            for j in range(output.nelement()):
                found = _gradients((output.reshape(-1)[j],), inputs, create_graph=create_graph, retain_graph=True)
                for place, (grad, one) in enumerate(zip(found, inputs)):
                    if grad is None:
                        if strict:
                            raise RuntimeError(f"Output {i} of the user-provided function is independent of input {place}. This "
                                               "is not allowed in strict mode.")
                        grad = torch.zeros_like(one)
                    elif strict and create_graph and not grad.requires_grad:
                        raise RuntimeError("The jacobian of the user-provided function is independent of input "
                                           f"{i}. This is not allowed in strict mode when create_graph=True.")
                    rows[place].append(grad)
            matrix.append(_finished((
                (torch.stack(row) if row else one.new_zeros((0, *one.shape))).view(output.size() + one.size())
                for row, one in zip(rows, inputs)), create_graph))
    return _matrix_as_given(matrix, outputs_were_tuple, inputs_were_tuple)


def _check_scalar(outputs, was_tuple, function):
    if was_tuple:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if outputs[0].nelement() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {function} should contain a single element")


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """The second derivatives of func, which returns one number."""
    inputs_were_tuple, inputs = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    if strict and vectorize:
        _check_ways("hessian", strict, vectorize, "reverse-mode")

    def number(*given):
        was_tuple, outputs = _as_tuple(func(*given), "outputs of the user-provided function", "hessian")
        _check_dependence(outputs, "outputs", strict)
        _check_scalar(outputs, was_tuple, "hessian")
        return outputs[0].squeeze()

    def slopes(*given):
        found = jacobian(number, given, create_graph=True)
        _check_dependence(found, "jacobian", strict)
        return found

    found = jacobian(slopes, inputs, create_graph=create_graph, strict=strict)
    return _as_given(tuple(_as_given(row, inputs_were_tuple) for row in found), inputs_were_tuple)


def _slopes(func, inputs, v, create_graph, strict, function):
    """What hvp and vhp begin with: (func's value, inputs, v, first derivatives, whether the inputs were a tuple)."""
    inputs_were_tuple, inputs = _as_tuple(inputs, "inputs", function)
    inputs = _fresh(inputs, create_graph, True)
    if v is not None:
        v = _vector(v, inputs, inputs_were_tuple, function, create_graph)
    elif not _is_one_number(inputs):
        raise RuntimeError(_ONE_INPUT)
    was_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", function)
    _check_dependence(outputs, "outputs", strict)
    _check_scalar(outputs, was_tuple, function)
    slopes = _gradients(outputs, inputs, create_graph=True)
    _check_dependence(slopes, "jacobian", strict)
    return outputs, inputs, v, slopes, inputs_were_tuple


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(*inputs), v times its Hessian)."""
    with torch.enable_grad():
        outputs, inputs, v, slopes, were_tuple = _slopes(func, inputs, v, create_graph, strict, "vhp")
    with torch.set_grad_enabled(create_graph or torch.is_grad_enabled()):
        product = _with_zeros(_gradients(slopes, inputs, v, create_graph), inputs, strict, create_graph, "double_back")
    return _finished(outputs, create_graph)[0], _as_given(_finished(product, create_graph), were_tuple)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(*inputs), its Hessian times v)."""
    with torch.enable_grad():
        outputs, inputs, v, slopes, were_tuple = _slopes(func, inputs, v, create_graph, strict, "hvp")
        weights = tuple(torch.zeros_like(one, requires_grad=True) for one in inputs)
        seconds = _gradients(slopes, inputs, weights, create_graph=True)
        _check_dependence(slopes, "hessian", strict)
    with torch.set_grad_enabled(create_graph or torch.is_grad_enabled()):
        product = _with_zeros(_gradients(seconds, weights, v, create_graph), inputs, strict, create_graph,
                              "double_back_trick")
    return _finished(outputs, create_graph)[0], _as_given(_finished(product, create_graph), were_tuple)
