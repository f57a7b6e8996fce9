"""Stand-ins for torch.testing._internal and for what torch._dynamo has for its own tests."""
import types
import unittest

__path__ = [*__path__]
MODULES = ("common_utils", "common_dtype", "common_device_type", "common_cuda", "common_nn", "logging_utils", "inductor_utils",
           "two_tensor")
# Ours only where the checkout has no torch/testing/_internal.
BY_CHECKOUT = ("common_dtype", "common_nn")


def test_cases():
    """Modules of torch._dynamo and torch._inductor by name."""
    import torch
    from upstream_internal import common_utils

    class DynamoTestCase(common_utils.TestCase):
        def setUp(self):
            super().setUp()
            torch._dynamo.reset()
            torch._dynamo.utils.counters.clear()

        def tearDown(self):
            torch._dynamo.reset()
            torch._dynamo.utils.counters.clear()
            super().tearDown()

    found = {}
    for name in ("torch._dynamo.test_case", "torch._inductor.test_case"):
        module = types.ModuleType(name)
        module.TestCase = DynamoTestCase
        module.run_tests = common_utils.run_tests
        found[name] = module
    return found
