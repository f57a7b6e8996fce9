"""What mocks remember of their calls."""
from unittest.mock import Mock, call, MagicMock
m = Mock()
m(1, 2, a=3)
m.x.y(5)
args, kwargs = m.call_args
print(args, kwargs, m.call_args[0][1], m.call_args.kwargs, m.call_args, len(m.call_args))
print(m.call_args_list, m.mock_calls, m.method_calls, call(1, 2, a=3) == m.call_args, m.call_args == ((1, 2), {'a': 3}))
for a, k in m.call_args_list: print(a, k)
name, a, k = m.mock_calls[1]; print(name, a, k)
print(call.foo(1).bar(2), m.call_args_list == [call(1, 2, a=3)])
try: m.assert_called_with(1)
except AssertionError as e: print(e)
m.assert_any_call(1, 2, a=3); m.assert_has_calls([call(1, 2, a=3), call.x.y(5)])
