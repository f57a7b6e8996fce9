import decimal
import pickle
from decimal import *

print(Decimal("0.1") + Decimal("0.2"), Decimal(1) / Decimal(7), Decimal("1.10") * 3)
print(repr(Decimal(0.1)), Decimal((1, (1, 4, 7, 5), -2)), Decimal("  1_000.5e-3 "))
print(getcontext())
with localcontext(prec=6, rounding=ROUND_DOWN) as context:
    print(Decimal(2).sqrt(), Decimal(2) / 3, Decimal(10).ln(), Decimal(1).exp(), context.flags[Inexact])
    print(context)
print(Decimal(2).sqrt(), Decimal(2).ln(), Decimal(2).log10(), Decimal("0.5").exp())
print(Decimal(2) ** Decimal("0.5"), Decimal(2) ** -3, Decimal("1.1") ** 100, pow(Decimal(3), 20, 7))
print(Decimal("3.14159").quantize(Decimal("0.01")), Decimal("2.675").quantize(Decimal("0.01"), ROUND_HALF_UP))
for rounding in (ROUND_UP, ROUND_DOWN, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_05UP):
    print(rounding, [str(Decimal(x).quantize(Decimal(1), rounding)) for x in ("1.1", "-1.1", "2.5", "-2.5", "1.5", "0.0")])
for make in (lambda: Decimal("ten"), lambda: Decimal(1) / 0, lambda: Decimal(0) / 0, lambda: Decimal(-1).sqrt(),
             lambda: Decimal(10) ** 10 ** 7, lambda: Decimal(1) // 0, lambda: Decimal("sNaN") + 1, lambda: Decimal(1) < Decimal("NaN"),
             lambda: Decimal([]), lambda: Decimal({}), lambda: int(Decimal("Infinity")), lambda: int(Decimal("NaN")),
             lambda: format(Decimal(1), "q"), lambda: Decimal(10 ** 40).quantize(Decimal("0.01")), lambda: setcontext(1),
             lambda: Context(prec=0), lambda: Context(rounding="up"), lambda: Decimal(1).fma(2, "3"), lambda: Decimal(1) // Decimal("1e-40")):
    try:
        print(make())
    except Exception as error:
        print(type(error).__name__, error)
print([format(Decimal("-1234567.891"), spec) for spec in ("", ",", ".2f", "012,.1f", "e", ".3e", "g", ".3g", "%", "+.1%", ">15", "*^16")])
print([str(Decimal(text)) for text in ("1E+5", "0.0000001", "0.000001", "1E-10", "-0", "0E5", "123E-2", "NaN12", "-inf")])
print([Decimal(text).to_eng_string() for text in ("1E+5", "0.0000001", "0E5", "123E+7")])
print(sorted(map(Decimal, ("3", "-1", "2.50", "2.5", "Infinity"))), max(Decimal("1.0"), Decimal(1)))
print(Decimal("2.50") == 2.5, Decimal("0.1") == 0.1, Decimal(1) < 1.5, hash(Decimal("2.50")) == hash(2.5), Decimal(3) in {3})
print(Decimal(7) // 2, Decimal(-7) // 2, Decimal(-7) % 3, divmod(Decimal("7.5"), 2), -Decimal("1.20"), abs(Decimal("-3")))
print(round(Decimal("2.5")), round(Decimal("2.675"), 2), int(Decimal("-3.9")), float(Decimal("1e-3")))
print(Decimal("1.20").normalize(), Decimal("1200").normalize(), Decimal("1.5").as_integer_ratio(), Decimal("-1.50").as_tuple())
print(Decimal("3.7").to_integral_value(), Decimal("321.5").logb(), Decimal(5).scaleb(3), Decimal(12345).shift(2), Decimal(12345).rotate(-1))
print(Decimal(1).next_plus(), Decimal(1).next_minus(), Decimal(1).next_toward(2), Decimal("1.0").compare_total(1), Decimal(2).compare(3))
print(ExtendedContext.divide(1, 3), BasicContext, Context(prec=5).create_decimal("3.14159265"))
print(Decimal("1e-999999") / 10 ** 20, getcontext().flags[Underflow])
getcontext().clear_flags()
setcontext(Context(prec=4, traps=[Inexact]))
try:
    Decimal(1) / 3
except Inexact as error:
    print(error, getcontext().flags[Rounded])
setcontext(DefaultContext)
print(sum(map(Decimal, ("0.1",) * 10)), pickle.loads(pickle.dumps(Decimal("1.50"))), isinstance(Decimal(1), decimal.Decimal))
print(Decimal("Infinity") - 1, Decimal("NaN").is_nan(), Decimal("-0").is_signed(), Decimal(5).number_class(), Decimal("1e3").adjusted())
