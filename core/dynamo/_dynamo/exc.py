"""The exceptions of torch._dynamo. Behaviour: torch/_dynamo/exc.py."""


class TorchDynamoException(RuntimeError):
    pass


class InternalTorchDynamoError(TorchDynamoException):
    pass


class Unsupported(TorchDynamoException):
    def __init__(self, msg, *args, **kwargs):
        super().__init__(msg)
        self.msg = msg


class UserError(Unsupported):
    pass


class TorchRuntimeError(TorchDynamoException):
    pass


class UncapturedHigherOrderOpError(TorchDynamoException):
    """A break in what a higher-order operator has to have as one graph."""


class IncorrectUsage(Exception):
    pass


class RestartAnalysis(TorchDynamoException):
    pass


class SkipFrame(TorchDynamoException):
    pass


class ResetRequired(TorchDynamoException):
    def __init__(self):
        super().__init__("Must call `torch._dynamo.reset()` before changing backends.  Detected two calls to\n"
                         "`torch.compile()` with a different backend compiler arguments.")


class RecompileError(TorchDynamoException):
    pass


class RecompileLimitExceeded(Unsupported):
    pass


class FailOnRecompileLimitHit(TorchDynamoException):
    pass


class ConstraintViolationError(RuntimeError):
    """Of torch.fx.experimental.symbolic_shapes: a size that mark_dynamic() named has to be a constant."""


class InvalidBackend(TorchDynamoException):
    def __init__(self, name):
        super().__init__(f"Invalid backend: {name!r}. See `torch._dynamo.list_backends()` for available backends.")


class BackendCompilerFailed(TorchDynamoException):
    def __init__(self, backend, inner_exception):
        name = getattr(backend, "__name__", "?")
        self.backend_name = name
        self.inner_exception = inner_exception
        super().__init__(f"backend={name!r} raised:\n{type(inner_exception).__name__}: {inner_exception}")
