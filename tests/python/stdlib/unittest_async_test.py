import contextlib
import io
import unittest
from unittest import mock


class Waits(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        print("setUp")

    async def asyncSetUp(self):
        print("asyncSetUp")

    async def asyncTearDown(self):
        print("asyncTearDown")

    async def test_mock(self):
        call = mock.AsyncMock(return_value=3)
        self.assertEqual(await call(1, x=2), 3)
        call.assert_awaited_once()
        call.assert_awaited_with(1, x=2)
        self.addAsyncCleanup(call, "cleanup")
        with self.assertRaises(AssertionError):
            call.assert_not_awaited()

    async def test_fails(self):
        self.assertEqual(1, 2)

    def test_plain(self):
        print("plain")


result = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(Waits))
print(result.testsRun, len(result.failures), len(result.errors))
