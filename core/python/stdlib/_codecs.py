"""Texts to bytes and back by the name of an encoding."""


def encode(obj, encoding="utf-8", errors="strict"):
    return obj.encode(encoding, errors)


def decode(obj, encoding="utf-8", errors="strict"):
    return obj.decode(encoding, errors)
