# Since 3.14 typing.Union is the class of int | str.
from typing import *

T = TypeVar("T")


class Foo:
    pass


print(Union[int, str], Optional[int], Optional[Foo], Union[int, None, str, int], Union[int], Optional[List[int]])
print(Optional["Foo"], Union["Foo", int], List[Optional[int]], Optional[T][int], Union[Union[int, str], float])
print(Union[int, str] == Union[str, int], isinstance(3, Union[int, str]), issubclass(float, Union[int, str]), get_args(Optional[int]))
print(get_origin(Optional[int]) is Union, Union, Dict[str, Optional[Tuple[int, ...]]], List[int] | None, T | int)
try:
    Optional[3]
except TypeError as error:
    print(error)
try:
    Optional[int, str]
except TypeError as error:
    print(error)
