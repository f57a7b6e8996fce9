import io
import unittest
import warnings


class Numbers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print("set up class")

    @classmethod
    def tearDownClass(cls):
        print("tear down class")

    def setUp(self):
        self.addCleanup(print, "cleanup")

    def tearDown(self):
        print("tear down")

    def test_equal(self):
        "Adds."
        self.assertEqual(1 + 1, 2)
        self.assertAlmostEqual(0.1 + 0.2, 0.3)
        self.assertIn(1, [1])
        self.assertIsNone(None)
        self.assertIsInstance(1, int)
        self.assertCountEqual([1, 2], [2, 1])
        self.assertLess(1, 2)

    def test_fails(self):
        self.assertTrue(0 > 1, "no")

    def test_error(self):
        raise KeyError("x")

    @unittest.skip("later")
    def test_skipped(self):
        pass

    def test_skips(self):
        self.skipTest("now")

    @unittest.expectedFailure
    def test_expected(self):
        self.fail("as it should")

    @unittest.expectedFailure
    def test_unexpected(self):
        pass

    def test_raises(self):
        with self.assertRaises(ValueError) as context:
            raise ValueError("text")
        self.assertEqual(str(context.exception), "text")
        self.assertRaises(ZeroDivisionError, lambda: 1 / 0)
        with self.assertRaisesRegex(TypeError, "b.d"):
            raise TypeError("bad")
        with self.assertWarns(UserWarning):
            warnings.warn("w")

    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertNotEqual(i, 1)


@unittest.skipIf(True, "whole class")
class Skipped(unittest.TestCase):
    def test_a(self):
        pass


def shown(text):
    lines = [line if not line.startswith("Ran ") else " ".join(line.split()[:3]) for line in text.splitlines()]
    return "\n".join(line for line in lines if not line.strip() or line.strip("~^ "))


for verbosity in (1, 2):
    out = io.StringIO()
    suite = unittest.TestSuite([unittest.defaultTestLoader.loadTestsFromTestCase(one) for one in (Numbers, Skipped)])
    result = unittest.TextTestRunner(stream=out, verbosity=verbosity).run(suite)
    print(shown(out.getvalue()))
    print(result.testsRun, len(result.failures), len(result.errors), len(result.skipped), result.wasSuccessful(), suite.countTestCases())
case = Numbers("test_equal")
print(case, case.id(), case.shortDescription(), repr(case))
for action in (lambda: case.assertEqual(1, 2), lambda: case.assertEqual([1], [2]), lambda: case.assertEqual("a", "b"), lambda: case.assertEqual({"a": 1}, {"a": 2}),
               lambda: case.assertIn(1, []), lambda: case.assertAlmostEqual(1, 2), lambda: case.assertIs(1, None), lambda: case.assertIsNotNone(None), lambda: case.assertRaises(ValueError, print),
               lambda: case.assertTrue([]), lambda: case.assertFalse(1), lambda: case.assertEqual((1, 2), (1, 2, 3)), lambda: case.assertEqual({1}, {2}), lambda: case.assertGreater(1, 2, "m"),
               lambda: case.assertIsInstance(1, str), lambda: case.assertCountEqual([1, 1], [1]), lambda: case.assertNotIn(1, [1]), lambda: case.assertRegex("a", "b"), lambda: case.assertNotEqual(1, 1)):
    try:
        action()
    except AssertionError as error:
        # Where a line differs is not marked below it, and empty lines are left out.
        print("\n".join(line for line in str(error).split("\n") if line and not line.startswith("?")))
out = io.StringIO()
unittest.main(argv=["x", "Numbers.test_equal"], exit=False, testRunner=unittest.TextTestRunner(stream=out))
print(shown(out.getvalue()))
