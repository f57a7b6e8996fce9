"""torch._logging: which of the tracer's messages are shown. Behaviour: torch/_logging/__init__.py."""
from torch._logging import _registrations
from torch._logging._internal import (
    DEFAULT_LOGGING, LOG_ENV_VAR, _init_logs, get_loggers, getArtifactLogger, register_artifact, register_log, set_logs,
    warning_once,
)

_init_logs()
