import math
from fractions import Fraction as F


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


print(F(6, 4), repr(F(3, -9)), F("1/3"), F(" -0.25 "), F("1e-3"), F("3"), F(0.5), F(), F(F(1, 2), F(3, 4)), F("2.5e2"))
a, b = F(1, 3), F(3, 4)
print(a + b, a - b, a * b, a / b, a // b, b % a, divmod(b, a), a ** 2, a ** -2, F(-1, 2) ** -3, 2 ** a, a ** 0.5, -a, abs(F(-1, 2)), +a)
print(a + 1, 1 - a, a * 0.5, 2 / a, a + 1j, 5 // b, 5 % b, 1.5 - a)
print(a < b, a == F(2, 6), a == 1 / 3, F(1, 2) == 0.5, F(2) == 2, a < 0.5, a > 1, hash(F(1, 2)) == hash(0.5), hash(F(3)) == hash(3), hash(F(-1, 7)))
print(int(F(-7, 2)), math.floor(F(-7, 2)), math.ceil(F(7, 2)), round(F(5, 2)), round(F(7, 2)), round(F(10, 3), 2), round(F(1234), -2), float(a), bool(F(0)))
print(F(math.pi).limit_denominator(1000), F("3.1415926535897932").limit_denominator(100), F(1, 3).limit_denominator(2), a.numerator, a.denominator, a.as_integer_ratio(), F(0.1))
shown(lambda: F(1, 0))
shown(lambda: F("x"))
shown(lambda: F("1/ 2x"))
shown(lambda: F(1.5, 2))
shown(lambda: F(0) ** -1)
shown(lambda: a / 0)
shown(lambda: a + "x")
print(sum([a, b]), max(a, b), f"{a}", f"{a:.3f}", sorted([b, a]), a.is_integer())
