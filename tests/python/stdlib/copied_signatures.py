"""Copies and pickles of signatures; a view of a mapping has neither."""
import copy
import inspect
import pickle
import types


def f(a, b=1, *c, d: int = 2, **e) -> str:
    pass


signature = inspect.signature(f)
print(copy.deepcopy(signature), copy.copy(signature) == signature, pickle.loads(pickle.dumps(signature)) == signature)
bound = signature.bind(1, 2, 3, d=4, x=5)
print(copy.deepcopy(bound).arguments, pickle.loads(pickle.dumps(bound)).kwargs, copy.deepcopy(signature.parameters["b"]))
for copied in (copy.copy, copy.deepcopy, pickle.dumps):
    try:
        copied(types.MappingProxyType({1: 2}))
    except TypeError as error:
        print(error)
