"""Numbers leave operations with wider ones to the methods of those."""


class Wide(float):
    def __radd__(self, other):
        return "radd"

    def __rpow__(self, other):
        return "rpow"

    def __gt__(self, other):
        return "gt"

    def __eq__(self, other):
        return "eq"


class Whole(int):
    def __rmul__(self, other):
        return "rmul"


print(0 + Wide(1), 0.5 + Wide(1), True + Wide(1), 2 ** Wide(1), 1 < Wide(2), 1 == Wide(1), 7 // Wide(2), 1j + Wide(1))
print(2 * Whole(3), 2.0 * Whole(3), sum([Wide(1)]))
print(int.__add__(1, 1.0), (1).__eq__(1.0), (1.0).__add__(1), (2).__pow__(0.5), (1.5).__mul__(1j), (1j).__mul__(1.5), (1).__radd__(1.5))
print(0 + 1.5, 2 ** 0.5, pow(4, 0.5), 1 == 1.0, divmod(7, 2.5), max(1, 2.0), sorted([2, 1.5]))
