import os
import random
import secrets
import uuid

# Other ones each time; the stream of the seeded generator is not touched.
random.seed(1)
before = random.getstate()
drawn = [os.urandom(16) for _ in range(4)]
print([len(one) for one in drawn], len(set(drawn)), type(drawn[0]).__name__, os.urandom(0), random.getstate() == before)
for size in (-1, "4"):
    try:
        os.urandom(size)
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error)

# Every bit is set about half of the time.
bits = [0] * 8
for byte in os.urandom(8000):
    for i in range(8):
        bits[i] += byte >> i & 1
print(all(3600 < count < 4400 for count in bits))

source = random.SystemRandom(5)
numbers = [source.random() for _ in range(2000)]
print(all(0 <= x < 1 for x in numbers), 0.45 < sum(numbers) / len(numbers) < 0.55, len(set(numbers)))
print({source.getrandbits(1) for _ in range(200)}, source.getrandbits(0), max(source.getrandbits(70) for _ in range(50)) < 1 << 70)
print(sorted({source.randrange(3) for _ in range(200)}), sorted(source.sample(range(5), 5)), len(source.randbytes(7)))
for call in (lambda: source.getrandbits(-1), source.getstate, lambda: source.setstate(None)):
    try:
        call()
    except (ValueError, NotImplementedError) as error:
        print(type(error).__name__, error)
print(source.seed(3), len(secrets.token_hex(8)), 0 <= secrets.randbelow(10) < 10, secrets.choice([7]), uuid.uuid4().version)
