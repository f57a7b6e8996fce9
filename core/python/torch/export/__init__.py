"""torch.export, which is refused by its names: `nnscope inspect` opens packages that PyTorch exported, no program makes one."""


def _refuse(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"torch.export.{name}: nnscope exports no programs; `nnscope capture` shows their graphs")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


export, save, load, unflatten, draft_export, register_dataclass, dims, Dim, ExportedProgram = map(_refuse, (
    "export", "save", "load", "unflatten", "draft_export", "register_dataclass", "dims", "Dim", "ExportedProgram"))
