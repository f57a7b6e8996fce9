"""Statistics of the bands of an image. Behaviour: PIL/ImageStat.py."""


class Stat:
    """Lists with one number for each band, of an image or of a histogram."""

    def __init__(self, image_or_list, mask=None):
        counts = image_or_list if isinstance(image_or_list, list) else image_or_list.histogram(mask)
        if not isinstance(counts, list):
            raise TypeError("first argument must be image or list")
        self.h = counts
        bands = [counts[start: start + 256] for start in range(0, len(counts), 256)]
        self.bands = list(range(len(bands)))
        self.count = [sum(one) for one in bands]
        self.sum = [float(sum(i * n for i, n in enumerate(one))) for one in bands]
        self.sum2 = [float(sum(i * i * n for i, n in enumerate(one))) for one in bands]
        self.mean = [total / max(count, 1) for total, count in zip(self.sum, self.count)]
        self.rms = [(total / max(count, 1)) ** 0.5 for total, count in zip(self.sum2, self.count)]
        self.var = [(squares - total ** 2.0 / count) / count for squares, total, count in zip(self.sum2, self.sum, self.count)]
        self.stddev = [one ** 0.5 for one in self.var]
        seen = [[i for i, n in enumerate(one) if n] for one in bands]
        self.extrema = [(one[0], one[-1]) if one else (255, 0) for one in seen]
        self.median = []
        for one, count in zip(bands, self.count):
            passed, value = 0, 0
            for value, n in enumerate(one):
                passed += n
                if passed > count // 2:
                    break
            self.median.append(value)
