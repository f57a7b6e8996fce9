"""gradcheck() and gradgradcheck(): gradients beside difference quotients. Behaviour: torch/autograd/gradcheck.py.

Differs: fast_mode, which checks the same with random directions, checks all of them. check_batched_grad and
check_batched_forward_grad are taken and change nothing: vmap runs a function once for each item."""
import warnings

import torch
from torch.autograd import forward_ad
from torch.autograd._jacobians import (GradcheckError, as_tuple, differentiable_outputs, expected_of_backward, followed, numerical,
                                       of_backward, of_forward)

__all__ = ["gradcheck", "gradgradcheck", "GradcheckError", "get_numerical_jacobian", "get_analytical_jacobian"]

_NOT_DETERMINISTIC = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, "
    "although analytical gradient matches numerical gradient.The tolerance for nondeterminism was {}.\n\n\nNOTE: If your op relies "
    "on non-deterministic operations i.e., it is listed here:\n"
    "https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html\n"
    "this failure might be expected.")


def _check_inputs(inputs):
    wanted = followed(inputs)
    for place in wanted:
        one = inputs[place]
        if one.dtype not in (torch.float64, torch.complex128):
            warnings.warn(f"Input #{place} requires gradient and is not a double precision floating point or complex. This check "
                          "will likely fail if all the inputs are not of double precision floating point or complex. ")
        if one.layout == torch.strided and any(stride == 0 and size > 1 for stride, size in zip(one.stride(), one.shape)):
            raise RuntimeError(f"The {place}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                               "non-overlapping to be able to compute the numerical gradients correctly. You should call "
                               ".contiguous on the input before passing it to gradcheck.")
    if not wanted:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of the them have "
                         "requires_grad=True.")


def _check_outputs(outputs):
    if any(isinstance(one, torch.Tensor) and one.is_sparse for one in outputs):
        raise ValueError("Sparse output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) on the output of "
                         "fn for gradcheck.")


def _close(found, expected, rtol, atol):
    return torch.allclose(found, expected.to(found.dtype), rtol=rtol, atol=atol)


def _mismatch(found, expected, output, place, part, side, is_forward):
    prefix = "" if part is None else f"While considering the {part} part of complex {side} only, "
    mode = "computed with forward mode " if is_forward else ""
    return GradcheckError(f"{prefix}Jacobian {mode}mismatch for output {output} with respect to input {place},\n"
                          f"numerical:{expected}\nanalytical:{found}\n")


def _check_kind(grad, tensor, check_grad_dtypes):
    if grad is None:
        return
    if check_grad_dtypes and grad.dtype != tensor.dtype:
        raise GradcheckError("Gradient has dtype mismatch")
    if grad.shape != tensor.shape:
        raise GradcheckError("Analytical gradient has incorrect size")


def _check_backward(outputs, tensor, place, rows, options):
    for number, output in enumerate(outputs):
        parts = ([(1j, "imaginary", lambda z: z.imag), (1, "real", lambda z: z.real)] if output.is_complex()
                 else [(1, None, lambda z: z)])
        for one, name, part in parts:
            expected = expected_of_backward(rows, tensor, output, number, part)
            found, kind = of_backward(output, tensor, one)
            again, _ = of_backward(output, tensor, one)
            _check_kind(kind, tensor, options["check_grad_dtypes"])
            if not _close(found, expected, options["rtol"], options["atol"]):
                raise _mismatch(found, expected, number, place, name, "outputs", False)
            if found.numel() and (found - again).abs().max() > options["nondet_tol"]:
                raise GradcheckError(_NOT_DETERMINISTIC.format(options["nondet_tol"]))


def _check_forward(func, inputs, outputs, place, rows, options):
    tensor = inputs[place]
    units = [(1j, "imaginary", 1), (1, "real", 0)] if tensor.is_complex() else [(1, None, 0)]
    for unit, name, slope in units:
        found_rows = of_forward(func, inputs, place, len(outputs), unit)
        for number, output in enumerate(outputs):
            wide = torch.complex128 if output.is_complex() else torch.float64
            expected = torch.zeros(tensor.numel(), output.numel(), dtype=wide)
            found = torch.zeros_like(expected)
            for index in range(tensor.numel()):
                slopes = rows[index][slope][number]
                # The quotient is by eps, also where the step was an imaginary one.
                expected[index] = slopes.to(wide)
                tangent = found_rows[index][number]
                if tangent is None:
                    continue
                if options["check_grad_dtypes"] and tangent.dtype != output.dtype:
                    raise GradcheckError("Forward AD gradient has dtype mismatch.")
                found[index] = tangent.to(wide)
            if not _close(found, expected, options["rtol"], options["atol"]):
                raise _mismatch(found, expected, number, place, name, "inputs", True)


def _check_undefined_forward(func, inputs):
    """A tangent that is left out is one of zeros."""
    wanted = followed(inputs)
    for place in wanted:
        tangents = []
        direction = torch.rand_like(inputs[place].detach())
        for fills in ((True, False) if len(wanted) > 1 else (False,)):
            with forward_ad.dual_level():
                given = list(inputs)
                for other in wanted:
                    plain = inputs[other].detach()
                    if other == place:
                        given[other] = forward_ad.make_dual(plain, direction)
                    else:
                        given[other] = forward_ad.make_dual(plain, torch.zeros_like(plain)) if fills else plain
                outputs = differentiable_outputs(func(*given))
                tangents.append([forward_ad.unpack_dual(one).tangent for one in outputs])
        for number, (a, b) in enumerate(zip(tangents[0], tangents[-1])):
            a, b = (torch.zeros_like(outputs[number]) if one is None else one for one in (a, b))
            if not torch.allclose(*torch.broadcast_tensors(a, b)):
                raise GradcheckError("Mismatch in tangent values for output with index: ", number, " when input: ", place,
                                     " has an undefined tangent value. ", " Got: ", b, " but expected: ", a)


def _is_zero(grad):
    return bool((grad.to_dense() == 0).all())


def _check_linear(outputs, inputs):
    """Gradients of zero lead to gradients of zero."""
    wanted = [inputs[place] for place in followed(inputs)]
    grads = torch.autograd.grad(outputs, wanted, [torch.zeros_like(one) for one in outputs], retain_graph=True, allow_unused=True)
    for grad, tensor in zip(grads, wanted):
        if grad is None:
            continue
        if grad.layout != torch.strided:
            if grad.layout != tensor.layout:
                raise GradcheckError(f"grad is incorrect layout ({grad.layout} is not {tensor.layout})")
            for what in ("sparse_dim", "dense_dim"):
                got, expected = getattr(grad, what)(), getattr(tensor, what)()
                if got != expected:
                    raise GradcheckError(f"grad is sparse tensor, but has incorrect {what} {got}, expected {expected}")
        if not _is_zero(grad):
            raise GradcheckError("backward not multiplied by grad_output")
        if grad.dtype != tensor.dtype:
            raise GradcheckError("grad is incorrect type")
        if grad.device != tensor.device:
            raise GradcheckError("grad is incorrect device")
        if grad.shape != tensor.shape:
            raise GradcheckError("grad is incorrect size")


_NEW_CHECK = ("Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break "
              "existing callers of this function. If this is true for you, you can call this function with "
              "\"check_undefined_grad=False\" to disable the feature")
_NOTES = "Please look at \"Notes about undefined output gradients\" in \"tools/autograd/derivatives.yaml\""


def _check_undefined_backward(func, inputs):
    """A gradient that did not come is one of zeros."""
    undefined = torch._C._functions.UndefinedGrad()
    wanted = [inputs[place] for place in followed(inputs)]

    def outputs():
        return [one for one in differentiable_outputs(func(*inputs)) if one.requires_grad]

    variants = [[undefined(one) for one in outputs()]]
    if len(variants[0]) > 1:
        for missing in range(len(variants[0])):
            variants.append([undefined(one) if place == missing else one for place, one in enumerate(outputs())])
    for variant in variants:
        if not variant:
            continue
        try:
            grads = torch.autograd.grad(variant, wanted, [torch.zeros_like(one) for one in variant], allow_unused=True)
        except RuntimeError as error:
            warnings.warn(_NEW_CHECK)
            raise GradcheckError(f"Expected backward function to handle undefined output grads. {_NOTES}") from error
        if any(grad is not None and not _is_zero(grad) for grad in grads):
            warnings.warn(_NEW_CHECK)
            raise GradcheckError("Expected all input grads to be undefined or zero when all output grads are undefined or zero. "
                                 f"{_NOTES}")


def _check_constant(func, inputs, eps):
    """A function without differentiable outputs does not change."""
    for place in followed(inputs):
        tensor = inputs[place]
        for index in range(tensor.numel()):
            values = []
            for step in (eps, -eps):
                moved = tensor.detach().clone().requires_grad_()
                with torch.no_grad():
                    moved.view(-1)[index] += step
                given = as_tuple(func(*inputs[:place], moved, *inputs[place + 1:]))
                values.append([one.detach().clone() for one in given if isinstance(one, torch.Tensor)])
            for a, b in zip(*values):
                if a.dtype != torch.bool and ((a - b).abs() > 0).any():
                    raise GradcheckError("Numerical gradient for function expected to be zero")


def _check(func, inputs, options):
    _check_inputs(inputs)
    made = as_tuple(func(*inputs))
    _check_outputs(made)
    outputs = tuple(one for one in differentiable_outputs(made) if one.requires_grad or options["check_forward_ad"])
    if not outputs:
        _check_constant(func, inputs, options["eps"])
        return
    outputs = differentiable_outputs(made)
    rows = {place: numerical(func, inputs, inputs[place], options["eps"]) for place in followed(inputs)}
    if options["check_backward_ad"]:
        for place in rows:
            _check_backward(outputs, inputs[place], place, rows[place], options)
    if options["check_forward_ad"]:
        for place in rows:
            _check_forward(func, inputs, outputs, place, rows[place], options)
        if options["check_undefined_grad"]:
            _check_undefined_forward(func, inputs)
    if not options["check_backward_ad"]:
        return
    _check_linear([one for one in outputs if one.requires_grad], inputs)
    if options["check_undefined_grad"]:
        _check_undefined_backward(func, inputs)


def gradcheck(func, inputs, *, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=True, nondet_tol=0.0,
              check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False, check_batched_forward_grad=False,
              check_forward_ad=False, check_backward_ad=True, fast_mode=False, masked=None):
    """Whether the gradients of func at `inputs` are those that small steps of each item show. Inputs that require gradients are
    to be in double precision. Raises GradcheckError where they differ; raise_exception=False: gives False."""
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    options = {"eps": eps, "atol": atol, "rtol": rtol, "nondet_tol": nondet_tol, "check_undefined_grad": check_undefined_grad,
               "check_grad_dtypes": check_grad_dtypes, "check_forward_ad": check_forward_ad, "check_backward_ad": check_backward_ad}
    try:
        _check(func, as_tuple(inputs), options)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-06, atol=1e-05, rtol=0.001, gen_non_contig_grad_outputs=False,
                  raise_exception=True, nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False,
                  check_batched_grad=False, check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False, masked=False):
    """gradcheck of the gradients: with respect to the inputs and to what the outputs' gradients are."""
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    given = as_tuple(inputs)
    if grad_outputs is None:
        cotangents = tuple(torch.testing.make_tensor(one.shape, dtype=one.dtype, device=one.device, low=-1, high=1,
                                                     requires_grad=True, noncontiguous=gen_non_contig_grad_outputs)
                           for one in differentiable_outputs(func(*given)))
    else:
        cotangents = as_tuple(grad_outputs)
    places = followed(given)

    def gradients(*both):
        args, grads = list(both[:len(given)]), both[len(given):]
        for place in places:
            # Of forward mode they do not require gradients, but what is differentiated here does.
            if not args[place].requires_grad:
                args[place] = torch._C._autograd._detach_history(args[place]).requires_grad_()
        with torch.enable_grad():
            outputs = differentiable_outputs(func(*args))
            found = torch.autograd.grad(outputs, [args[place] for place in places], grads, create_graph=True, allow_unused=True)
        return tuple(one for one in found if one is not None)

    return gradcheck(gradients, given + cotangents, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
                     nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes,
                     check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev)


def _deprecated(name):
    warnings.warn(f"`{name}` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it will be "
                  "removed in a future version of PyTorch. If you have a specific use for this or feature request for this to be a "
                  "stable API, please file us an issue at https://github.com/pytorch/pytorch/issues/new", FutureWarning,
                  stacklevel=3)


def get_numerical_jacobian(fn, inputs, target=None, eps=1e-3, grad_out=1.0):
    """The Jacobians of the first output of fn(inputs), one an input that requires gradients and is `target`."""
    _deprecated("get_numerical_jacobian")
    if grad_out != 1.0:
        raise ValueError("Expected grad_out to be 1.0. get_numerical_jacobian no longer supports values of grad_out != 1.0.")
    made = []
    for place in followed(inputs):
        if target is not None and inputs[place] is not target:
            continue
        rows = numerical(lambda *given: as_tuple(fn(given))[:1], inputs, inputs[place], eps)
        output = differentiable_outputs(fn(inputs))[0]
        if output.is_complex():
            raise ValueError("Expected output to be non-complex. get_numerical_jacobian no longer supports functions that return "
                             "complex outputs.")
        made.append(expected_of_backward(rows, inputs[place], output, 0, lambda z: z))
    return tuple(made)


def get_analytical_jacobian(inputs, output, nondet_tol=0.0, grad_out=1.0):
    """(the Jacobians of an output, whether backward gave the same twice, whether sizes and dtypes of gradients are right)."""
    _deprecated("get_analytical_jacobian")
    if grad_out != 1.0:
        raise ValueError("Expected grad_out to be 1.0. get_analytical_jacobian no longer supports values of grad_out != 1.0.")
    if output.is_complex():
        raise ValueError("Expected output to be non-complex. get_analytical_jacobian no longer supports functions that return "
                         "complex outputs.")
    jacobians, is_same, has_sizes, has_types = [], True, True, True
    for place in followed(inputs):
        found, grad = of_backward(output, inputs[place], 1)
        again, _ = of_backward(output, inputs[place], 1)
        is_same = is_same and not (found.numel() and (found - again).abs().max() > nondet_tol)
        has_sizes = has_sizes and (grad is None or grad.shape == inputs[place].shape)
        has_types = has_types and (grad is None or grad.dtype == inputs[place].dtype)
        jacobians.append(found)
    return tuple(jacobians), is_same, has_sizes, has_types


__bound__ = gradcheck
