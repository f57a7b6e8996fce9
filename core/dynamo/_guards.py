"""What a guard was made from. Behaviour: torch/_guards.py."""
import contextlib
import enum


class GuardSource(enum.Enum):
    """Which kind of place what is guarded was read from, and of which kind of variable below a module."""

    LOCAL = 0
    GLOBAL = 1
    LOCAL_SPECIALIZED_NN_MODULE = 2
    GLOBAL_SPECIALIZED_NN_MODULE = 3
    CONSTANT = 4
    RANDOM_VALUE = 5
    SHAPE_ENV = 6
    LOCAL_FSDP_MODULE = 7
    GLOBAL_FSDP_MODULE = 8
    BACKWARD_STATE = 9
    EPHEMERAL = 10
    SYNTHETIC_LOCAL = 11
    LOCAL_UNSPECIALIZED_NN_MODULE = 12
    GLOBAL_UNSPECIALIZED_NN_MODULE = 13
    LOCAL_UNSPECIALIZED_BUILTIN_NN_MODULE = 14
    GLOBAL_UNSPECIALIZED_BUILTIN_NN_MODULE = 15

    def is_fsdp_module(self):
        return self.name.endswith("_FSDP_MODULE")

    def is_specialized_nn_module(self):
        return "_SPECIALIZED_" in self.name

    def is_unspecialized_nn_module(self):
        return "_UNSPECIALIZED_" in self.name

    def is_unspecialized_builtin_nn_module(self):
        return "_BUILTIN_" in self.name

    def is_local(self):
        return self.name.startswith("LOCAL")


class TracingContext:
    """What a trace knows of the world around it; the current one is that of tracing()."""

    _current = None

    def __init__(self, fake_mode):
        self.fake_mode = fake_mode
        self.module_context, self.global_context, self.params_flat, self.fw_metadata = None, None, None, None

    @staticmethod
    def try_get():
        return TracingContext._current

    @staticmethod
    def get():
        if TracingContext._current is None:
            raise RuntimeError("TracingContext.get() must be called within an ongoing trace.")
        return TracingContext._current


@contextlib.contextmanager
def tracing(context):
    """Makes it the current one inside."""
    before, TracingContext._current = TracingContext._current, context
    try:
        yield context
    finally:
        TracingContext._current = before
