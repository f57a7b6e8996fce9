from itertools import *


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


print(list(islice(count(5, 2), 3)), list(islice(cycle("ab"), 5)), list(repeat(7, 2)), count(3), repeat(1, 4), count(1, 2))
print(list(accumulate([1, 2, 3])), list(accumulate([1, 2, 3], lambda a, b: a * b)), list(accumulate([], initial=9)))
print(list(chain("ab", [1])), list(chain.from_iterable(["x", "yz"])), list(compress("abcd", [1, 0, 1])))
print(list(dropwhile(lambda x: x < 3, [1, 3, 1])), list(takewhile(lambda x: x < 3, [1, 3, 1])), list(filterfalse(None, [0, 1, ""])))
for key, group in groupby([1, 1, 2, 3, 3], key=lambda x: x > 1):
    print(key, list(group))
for key, group in groupby("aabca"):
    print(key, end=" ")
print()
groups = [(k, g) for k, g in groupby("aab")]
print([(k, list(g)) for k, g in groups])
print(list(islice("abcdef", 2)), list(islice("abcdef", 1, None, 2)), list(islice("abcdef", 1, 4)), list(islice("abcdef", 0, None)))
it = iter(range(10))
print(list(islice(it, 2, 5)), next(it), list(islice(it, 0)), next(it))
shown(lambda: islice([], -1))
shown(lambda: islice([], 0, 1, 0))
shown(lambda: islice([], "a"))
shown(lambda: islice([]))
print(list(pairwise("abc")), list(pairwise("a")), list(starmap(pow, [(2, 3), (3, 2)])), list(zip_longest("abc", "x", fillvalue="-")))
print(list(product("ab", [1, 2])), list(product([0, 1], repeat=2)), list(product()), list(product("a", "")))
print(list(permutations("abc", 2)), len(list(permutations(range(5)))), list(permutations("ab", 3)), list(permutations([])))
print(list(combinations("abcd", 2)), list(combinations("ab", 3)), list(combinations("ab", 0)))
print(list(combinations_with_replacement("abc", 2)), list(combinations_with_replacement("", 0)))
a, b = tee([1, 2, 3])
print(next(a), list(b), list(a))
i, j, k = tee(iter("xy"), 3)
print(list(i), list(j), list(k))
shown(lambda: combinations("a", -1))
shown(lambda: tee([], -1))
shown(lambda: product([1], repeat=-1))
it = chain([1, 2], [3])
print(next(it), list(it), list(it))
print(list(zip(count(), "ab")), list(map(lambda a, b: a + b, [1, 2], repeat(10))), sum(chain([1], [2])))
r = repeat(5, 3)
next(r)
print(r, list(r), r)
c = count(10)
next(c)
print(c)
from operator import itemgetter, attrgetter, methodcaller
import operator
print(itemgetter(1)("abc"), itemgetter(0, 2)("abc"), attrgetter("real")(5), methodcaller("split", "-")("a-b"))
print(itemgetter(1, 2), attrgetter("a.b"), methodcaller("f", 1, x=2), operator.add(1, 2), operator.mod(7, 3), operator.contains([1], 1))
print(operator.index(True), operator.iadd([1], [2]), operator.countOf("aab", "a"), operator.indexOf("abc", "b"), operator.concat("a", "b"))
shown(lambda: operator.index(1.5))
shown(lambda: operator.concat(1, 2))
import heapq, bisect
h = []
for x in (5, 1, 4, 1, 3):
    heapq.heappush(h, x)
print(h, heapq.heappop(h), heapq.heapreplace(h, 9), heapq.heappushpop(h, 0), h)
h = [9, 8, 7, 6, 5, 4, 3, 2, 1]
heapq.heapify(h)
print(h, heapq.nsmallest(3, h), heapq.nlargest(2, h, key=lambda x: -x), list(heapq.merge([1, 4], [2, 3], [0])))
print(list(heapq.merge([4, 1], [3, 2], reverse=True)), list(heapq.merge(["bb", "a"], ["ccc"], key=lambda x: -len(x))))
shown(lambda: heapq.heappop([]))
print(bisect.bisect([1, 2, 2, 3], 2), bisect.bisect_left([1, 2, 2, 3], 2), bisect.bisect([1, 2, 3], -2, key=lambda x: -x))
l = [1, 3]
bisect.insort(l, 2)
print(l)
shown(lambda: bisect.bisect([], 1, -1))
