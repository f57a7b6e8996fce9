"""How many flips bring 1 to the front, over all permutations of n: lists, slices and integers."""


def fannkuch(n):
    order = list(range(n))
    turns = list(range(n))
    most = 0
    while True:
        if order[0]:
            deck = order[:]
            flips = 0
            while deck[0]:
                k = deck[0] + 1
                deck[:k] = deck[k - 1::-1] if k < n else deck[::-1]
                flips += 1
            if flips > most:
                most = flips
        for at in range(1, n):
            turns[at] -= 1
            order.insert(at, order.pop(0))
            if turns[at] >= 0:
                break
            turns[at] = at
        else:
            return most


def run():
    return fannkuch(8)
