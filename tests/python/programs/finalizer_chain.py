"""Objects whose __del__ drops the next one: chains of any length end, in order, and nest no more than so deep."""
import sys

LENGTH = 100_000


class Link:
    order = []
    running = deepest = 0

    def __init__(self, number, following):
        self.number = number
        self.following = following

    def __del__(self):
        Link.running += 1
        Link.deepest = max(Link.deepest, Link.running)
        Link.order.append(self.number)
        self.following = None
        Link.running -= 1


def chain(cls, length):
    head = None
    for number in reversed(range(length)):
        head = cls(number, head)
    return head


head = chain(Link, LENGTH)
head = None
print(len(Link.order), Link.order == list(range(LENGTH)), Link.deepest <= 50, Link.running)

# The inner ones end first, as long as they nest.
class Told(Link):
    def __del__(self):
        print("begin", self.number)
        self.following = None
        print("end", self.number)


head = chain(Told, 4)
del head
print("behind it")


# Those that only hold the next one.
class Holder(Link):
    count = 0

    def __del__(self):
        Holder.count += 1


head = chain(Holder, LENGTH)
head = None
print(Holder.count)


# One in the middle keeps the rest.
class Keeper(Link):
    kept = None

    def __del__(self):
        if self.number == 1000:
            Keeper.kept = self
        else:
            Link.__del__(self)


Link.order.clear()
head = chain(Keeper, 2000)
head = None
print(len(Link.order), Link.order[-1], Keeper.kept.number, Keeper.kept.following.number)
Keeper.kept.following = None
print(len(Link.order), Link.order[-1])
Keeper.kept = None
print(len(Link.order), Link.order[-1])


# Each raises, which nobody but the hook hears of.
class Raising(Link):
    def __del__(self):
        self.following = None
        raise ValueError(self.number)


told = []
sys.unraisablehook = lambda what: told.append(what.exc_value.args[0])
head = chain(Raising, 300)
head = None
sys.unraisablehook = sys.__unraisablehook__
print(len(told), sorted(told) == list(range(300)))


# A tree: each drops two.
class Node:
    count = 0

    def __init__(self, depth):
        self.sides = [Node(depth - 1), Node(depth - 1)] if depth else []

    def __del__(self):
        Node.count += 1
        while self.sides:
            self.sides.pop()


root = Node(11)
root = None
print(Node.count)


# Generators that stand in a `with` or `try` each hold the next one.
closed = []


def waiting(number, following):
    try:
        yield number
    finally:
        following = None
        closed.append(number)


head = None
for number in reversed(range(40)):
    head = waiting(number, head)
    next(head)
head = None
print(closed == list(reversed(range(40))))


# Dropped at the end of a function, and of a loop's turn.
def scope():
    Link.order.clear()
    inner = chain(Link, 120)
    return len(Link.order)


print(scope(), Link.order == list(range(120)))
Link.order.clear()
for turn in range(3):
    one = chain(Link, 60)
one = None
print(len(Link.order), Link.order == list(range(60)) * 3)
