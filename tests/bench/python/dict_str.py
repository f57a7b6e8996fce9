"""Words counted, sorted and written: dicts, texts, sorting with a key."""

TEXT = "the quick brown fox jumps over the lazy dog and runs away from the angry bear "


def run():
    counts = {}
    for line in (TEXT * 20).split("and"):
        for word in line.split():
            for k in range(len(word)):
                part = word[k:].upper() + str(k)
                counts[part] = counts.get(part, 0) + 1
    for _ in range(20):
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{word}={count}" for word, count in ranked[:10])
