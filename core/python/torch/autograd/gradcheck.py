"""gradcheck() and gradgradcheck(): gradients beside difference quotients. Behaviour: torch/autograd/gradcheck.py.

Differs: all options that choose other ways to the same answer (fast_mode, check_batched_grad, check_forward_ad and so on) are
taken and change nothing."""
import warnings

import torch


class GradcheckError(RuntimeError):
    """What gradcheck and gradgradcheck raise."""


def _tensors(given):
    return tuple(one for one in (given if isinstance(given, (tuple, list)) else (given,)) if isinstance(one, torch.Tensor))


def _is_differentiable(tensor):
    return tensor.is_floating_point() or tensor.is_complex()


def _outputs(func, inputs):
    return tuple(one for one in _tensors(func(*inputs)) if _is_differentiable(one))


def _moved(tensor, index, by):
    """Runs of the caller see the tensor with one item moved."""
    flat = tensor.detach().view(-1) if tensor.is_contiguous() else None
    if flat is not None:
        flat[index] += by
        return
    place = []
    for size in reversed(tensor.shape):
        place.append(index % size)
        index //= size
    tensor.detach()[tuple(reversed(place))] += by


def _numerical(func, inputs, tensor, eps):
    """d outputs / d tensor by central differences: for each output (items of the tensor, items of the output), complex for
    complex tensors: the change with the real part and 1j times that with the imaginary one."""
    columns = []
    for index in range(tensor.numel()):
        slopes = []
        for step in ((eps, eps * 1j) if tensor.is_complex() else (eps,)):
            # Gradients are recorded: what a function gives may depend on it.
            _moved(tensor, index, step)
            above = [one.detach().clone() for one in _outputs(func, inputs)]
            _moved(tensor, index, -2 * step)
            below = [one.detach().clone() for one in _outputs(func, inputs)]
            _moved(tensor, index, step)
            slopes.append([((a - b) / (2 * eps)).reshape(-1) for a, b in zip(above, below)])
        columns.append(slopes)
    return columns


def _parts(output):
    """The cotangents under which backward gives the gradient of the real part, and of the imaginary part, of an item."""
    return ((1, lambda z: z.real), (1j, lambda z: z.imag)) if output.is_complex() else ((1, lambda z: z),)


def _check_tensor(func, inputs, place, eps, atol, rtol):
    tensor = inputs[place]
    numerical = _numerical(func, inputs, tensor, eps)
    outputs = _outputs(func, inputs)
    for number, output in enumerate(outputs):
        for one, part in _parts(output):
            expected = torch.zeros(tensor.numel(), output.numel(), dtype=tensor.dtype)
            found = torch.zeros(tensor.numel(), output.numel(), dtype=tensor.dtype)
            for row, slopes in enumerate(numerical):
                expected[row] = part(slopes[0][number]) if len(slopes) == 1 else torch.complex(
                    part(slopes[0][number]).contiguous(), part(slopes[1][number]).contiguous())
            if output.requires_grad:
                for item in range(output.numel()):
                    cotangent = torch.zeros(output.numel(), dtype=output.dtype)
                    cotangent[item] = one
                    grad, = torch.autograd.grad(output, tensor, cotangent.view(output.shape).to(output.device),
                                                retain_graph=True, allow_unused=True)
                    if grad is not None:
                        found[:, item] = grad.detach().reshape(-1).cpu()
            if not torch.allclose(found, expected.to(found.dtype), rtol=rtol, atol=atol):
                raise GradcheckError(f"Jacobian mismatch for output {number} with respect to input {place},\n"
                                     f"numerical:{expected}\nanalytical:{found}\n")


def gradcheck(func, inputs, *, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=True, nondet_tol=0.0,
              check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False, check_batched_forward_grad=False,
              check_forward_ad=False, check_backward_ad=True, fast_mode=False, masked=None):
    """Whether the gradients of func at `inputs` are those that small steps of each item show. Inputs that require gradients are
    to be in double precision. Raises GradcheckError where they differ; raise_exception=False: gives False."""
    given = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    checked = [i for i, one in enumerate(given) if isinstance(one, torch.Tensor) and one.requires_grad]
    try:
        if not checked:
            raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of the them have "
                             "requires_grad=True.")
        for i in checked:
            if given[i].dtype not in (torch.float64, torch.complex128):
                warnings.warn(
                    f"Input #{i} requires gradient and is not a double precision floating point or complex. This check will "
                    "likely fail if all the inputs are not of double precision floating point or complex. ")
        for i in checked:
            _check_tensor(func, given, i, eps, atol, rtol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-06, atol=1e-05, rtol=0.001, gen_non_contig_grad_outputs=False,
                  raise_exception=True, nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False,
                  check_batched_grad=False, check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False, masked=False):
    """gradcheck of the gradients: with respect to the inputs and to what the outputs' gradients are."""
    given = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    if grad_outputs is None:
        cotangents = tuple(torch.testing.make_tensor(one.shape, dtype=one.dtype, device=one.device, low=-1, high=1,
                                                     requires_grad=True) for one in _outputs(func, given))
    else:
        cotangents = tuple(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else (grad_outputs,)
    followed = [i for i, one in enumerate(given) if isinstance(one, torch.Tensor) and one.requires_grad]

    def gradients(*both):
        args, grads = both[:len(given)], both[len(given):]
        args = tuple(one.detach().requires_grad_() if isinstance(one, torch.Tensor) and one.requires_grad and
                     not torch.is_grad_enabled() else one for one in args)
        with torch.enable_grad():
            outputs = _outputs(func, args)
            return torch.autograd.grad(outputs, [args[i] for i in followed], grads, create_graph=True, allow_unused=True)

    return gradcheck(gradients, given + cotangents, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)


__bound__ = gradcheck
