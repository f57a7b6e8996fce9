"""Packages of models with their programs, which are refused by their names: `nnscope inspect` opens what they hold."""


def _refuse(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"torch.package.{name}: nnscope neither writes nor runs such packages")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


PackageExporter, PackageImporter = map(_refuse, ("PackageExporter", "PackageImporter"))
