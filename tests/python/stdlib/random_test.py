import random


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


random.seed(42)
print(random.random(), random.randint(1, 100), random.randrange(0, 50, 7), random.choice("abcdef"), random.uniform(-1, 1))
print([random.gauss(0, 1) for _ in range(3)], random.normalvariate(5, 2), random.getrandbits(5), random.getrandbits(70))
l = list(range(10))
random.shuffle(l)
print(l, random.sample(range(100), 5), random.sample(range(1000000), 8), random.sample("abc", 2, counts=[1, 2, 3]))
print(random.choices([1, 2, 3], k=4), random.choices("ab", weights=[1, 9], k=6), random.choices("abc", cum_weights=[1, 2, 9], k=3))
print(random.expovariate(2), random.triangular(0, 5, 1), random.betavariate(2, 3), random.gammavariate(0.5, 1), random.gammavariate(3, 2))
print(random.lognormvariate(0, 1), random.paretovariate(3), random.weibullvariate(1, 2), random.vonmisesvariate(0, 4), random.randbytes(5))
for seed in (0, 1, -5, 2 ** 70 + 3, "text", b"bytes", 1.5, ""):
    random.seed(seed)
    print(seed, random.random(), random.getrandbits(32))
r = random.Random(7)
state = r.getstate()
a = [r.random() for _ in range(700)]
r.setstate(state)
print(a == [r.random() for _ in range(700)], sum(a), round(r.gauss(), 13), r.getstate()[0], len(state[1]))
shown(lambda: random.choice([]))
shown(lambda: random.randrange(0))
shown(lambda: random.randint(5, 1))
shown(lambda: random.randrange(1, 5, 0))
shown(lambda: random.sample([1], 2))
shown(lambda: random.sample({1, 2}, 1))
shown(lambda: random.choices([1, 2], weights=[1]))
shown(lambda: random.choices([1, 2], weights=[0, 0]))
shown(lambda: random.seed([]))
shown(lambda: random.getrandbits(-1))
shown(lambda: random.randrange(1.5))
