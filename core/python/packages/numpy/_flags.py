"""ndarray.flags. Behaviour: numpy/_core/src/multiarray/flagsobject.c."""


class flagsobj:
    """How the bytes lie."""

    def __init__(self, array):
        self._array = array
        self.owndata = array.base is None
        self.aligned = True
        self.writebackifcopy = False

    @property
    def c_contiguous(self):
        return not self._array._flips and self._array._raw.is_contiguous()

    @property
    def f_contiguous(self):
        array = self._array
        return not array._flips and array._raw.permute(list(range(array.ndim))[::-1]).is_contiguous()

    contiguous = c_contiguous

    @property
    def writeable(self):
        return self._array._writeable

    @writeable.setter
    def writeable(self, value):
        self._array._writeable = bool(value)

    def __getitem__(self, key):
        return getattr(self, {"C": "c_contiguous", "F": "f_contiguous", "W": "writeable", "O": "owndata", "A": "aligned",
                              "C_CONTIGUOUS": "c_contiguous", "F_CONTIGUOUS": "f_contiguous", "WRITEABLE": "writeable",
                              "OWNDATA": "owndata", "ALIGNED": "aligned", "WRITEBACKIFCOPY": "writebackifcopy"}[key])

    def __setitem__(self, key, value):
        if key not in ("W", "WRITEABLE"):
            raise KeyError("Unknown flag")
        self.writeable = value

    def __repr__(self):
        names = ["C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY"]
        return "".join(f"  {name} : {self[name]}\n" for name in names)
