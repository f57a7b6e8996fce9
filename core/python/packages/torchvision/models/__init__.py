from _stand_in import part_of

__getattr__ = part_of(__name__)
