"""Stand-in for the package expecttest: texts that a test expects, in the test itself."""
import unittest


class TestCase(unittest.TestCase):
    longMessage = True

    def assertExpectedInline(self, actual, expect, skip=0):
        self.assertEqual(str(expect), str(actual))

    def assertExpectedRaisesInline(self, exc_type, callable, expect, *args, skip=0, **kwargs):
        try:
            callable(*args, **kwargs)
        except exc_type as error:
            self.assertExpectedInline(str(error), expect)
            return
        self.fail(f"did not raise {exc_type.__name__}")


def assert_expected_inline(test, actual, expect, skip=0):
    test.assertEqual(str(expect), str(actual))
