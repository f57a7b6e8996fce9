"""Stand-in for the base class of tests that compare an op's gradients with finite differences."""
import functools
import itertools

import torch

from upstream_internal.common_utils import TestCase, gradcheck, gradgradcheck


def _is_wanted(value):
    return isinstance(value, torch.Tensor) and value.requires_grad


def _replaced(value, given):
    """The value with what asks for a gradient replaced by the next of `given`; lists of tensors item by item."""
    if _is_wanted(value):
        return next(given)
    if isinstance(value, (list, tuple)) and any(isinstance(one, torch.Tensor) for one in value):
        return type(value)(_replaced(one, given) for one in value)
    return value


def _wanted(value):
    if _is_wanted(value):
        return [value]
    if isinstance(value, (list, tuple)):
        return [one for one in value if _is_wanted(one)]
    return []


class TestGradients(TestCase):
    exact_dtype = True

    def _skip_helper(self, device, dtype, op):
        if dtype not in op.supported_backward_dtypes(torch.device(device).type):
            self.skipTest("Skipped! Op doesn't support autograd for this dtype.")
        if not op.supports_autograd and not op.supports_forward_ad:
            self.skipTest("Skipped! autograd not supported.")

    def _get_safe_inplace(self, inplace_variant):
        @functools.wraps(inplace_variant)
        def function(tensor, *args, **kwargs):
            return inplace_variant(tensor.clone(), *args, **kwargs)
        return function

    def _check_helper(self, device, dtype, op, variant, check, *, check_forward_ad=False, check_backward_ad=True, **ignored):
        if variant is None:
            self.skipTest("Skipped! Variant not implemented.")
        is_in_place = variant is op.get_inplace()
        for sample in op.sample_inputs(device, dtype, requires_grad=True, small_inputs_only=True):
            if sample.broadcasts_input and is_in_place:
                continue
            every = [sample.input, *sample.args, *sample.kwargs.values()]
            inputs = tuple(itertools.chain.from_iterable(_wanted(one) for one in every))

            def function(*given):
                rest = iter(given)
                value = _replaced(sample.input, rest)
                args = [_replaced(one, rest) for one in sample.args]
                kwargs = {name: _replaced(one, rest) for name, one in sample.kwargs.items()}
                made = op.gradcheck_wrapper(variant, value, *args, **kwargs)
                if sample.output_process_fn_grad is not None:
                    made = sample.output_process_fn_grad(made)
                return made

            options = {"nondet_tol": op.gradcheck_nondet_tol, "fast_mode": op.gradcheck_fast_mode or False,
                       "check_forward_ad": check_forward_ad, "check_backward_ad": check_backward_ad}
            if check == "gradcheck":
                self.assertTrue(gradcheck(function, inputs, check_grad_dtypes=True, **options))
            else:
                options = {"nondet_tol": op.gradcheck_nondet_tol, "fast_mode": op.gradcheck_fast_mode or False}
                self.assertTrue(gradgradcheck(function, inputs, gen_non_contig_grad_outputs=False, check_grad_dtypes=True, **options))

    def _grad_test_helper(self, device, dtype, op, variant, *, check_forward_ad=False, check_backward_ad=True, **ignored):
        return self._check_helper(device, dtype, op, variant, "gradcheck", check_forward_ad=check_forward_ad,
                                  check_backward_ad=check_backward_ad)

    def _gradgrad_test_helper(self, device, dtype, op, variant):
        return self._check_helper(device, dtype, op, variant, "bwgrad_bwgrad")
