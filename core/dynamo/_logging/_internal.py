"""TORCH_LOGS, set_logs() and the form of what they show. Behaviour: torch/_logging/_internal.py."""
import functools
import importlib
import logging
import os
import re
from dataclasses import dataclass, field

log = logging.getLogger(__name__)

LOG_ENV_VAR = "TORCH_LOGS"
LOG_OUT_ENV_VAR = "TORCH_LOGS_OUT"
LOG_FORMAT_ENV_VAR = "TORCH_LOGS_FORMAT"
DEFAULT_LOG_LEVEL = logging.WARNING
# Groups of settings under one name.
LOG_GROUPS = {"default": {"graph_breaks": True, "recompiles": True, "dynamic": logging.DEBUG, "guards": True,
                          "trace_source": True}}
DEFAULT_LOGGING = LOG_GROUPS["default"]


@dataclass
class LogRegistry:
    """What names there are: of loggers, and of artifacts, each of which may come from several loggers."""
    log_alias_to_log_qnames: dict = field(default_factory=dict)
    # "torch._dynamo.guards.__guards": loggers of artifacts, as they are asked for.
    artifact_log_qnames: set = field(default_factory=set)
    # Loggers below a registered one that were named by themselves.
    child_log_qnames: set = field(default_factory=set)
    artifact_names: set = field(default_factory=set)
    # Shown only where they are named, whatever the level of the loggers around them.
    off_by_default_artifact_names: set = field(default_factory=set)
    artifact_log_formatters: dict = field(default_factory=dict)

    def is_artifact(self, name):
        return name in self.artifact_names

    def is_log(self, alias):
        return alias in self.log_alias_to_log_qnames

    def register_log(self, alias, log_qnames):
        self.log_alias_to_log_qnames[alias] = [log_qnames] if isinstance(log_qnames, str) else log_qnames

    def register_artifact_name(self, name, off_by_default, log_format):
        self.artifact_names.add(name)
        if off_by_default:
            self.off_by_default_artifact_names.add(name)
        if log_format is not None:
            self.artifact_log_formatters[name] = logging.Formatter(log_format)

    def register_artifact_log(self, artifact_log_qname):
        self.artifact_log_qnames.add(artifact_log_qname)

    def register_child_log(self, log_qname):
        self.child_log_qnames.add(log_qname)

    def get_log_qnames(self):
        return list(dict.fromkeys(name for names in self.log_alias_to_log_qnames.values() for name in names))

    def is_off_by_default(self, artifact_name):
        return artifact_name in self.off_by_default_artifact_names


@dataclass
class LogState:
    """What is switched on: levels by logger, artifacts by name."""
    log_qname_to_level: dict = field(default_factory=dict)
    artifact_names: set = field(default_factory=set)

    def enable_artifact(self, artifact_name):
        self.artifact_names.add(artifact_name)

    def is_artifact_enabled(self, name):
        return name in self.artifact_names

    def enable_log(self, log_qnames, log_level):
        for name in [log_qnames] if isinstance(log_qnames, str) else log_qnames:
            self.log_qname_to_level[name] = log_level

    def get_log_level_pairs(self):
        return self.log_qname_to_level.items()

    def clear(self):
        self.log_qname_to_level.clear()
        self.artifact_names.clear()


log_registry = LogRegistry()
log_state = LogState()


def set_logs(
        *, all=None, dynamo=None, aot=None, autograd=None, dynamic=None, inductor=None, distributed=None, c10d=None, ddp=None,
        fsdp=None, dtensor=None, onnx=None, bytecode=False, aot_graphs=False, aot_joint_graph=False, ddp_graphs=False,
        graph=False, graph_code=False, graph_code_verbose=False, graph_breaks=False, side_effects=False, graph_sizes=False,
        guards=False, recompiles=False, recompiles_verbose=False, trace_source=False, trace_call=False, trace_bytecode=False,
        output_code=False, kernel_code=False, schedule=False, perf_hints=False, pre_grad_graphs=False, post_grad_graphs=False,
        ir_pre_fusion=False, ir_post_fusion=False, onnx_diagnostics=False, fusion=False, overlap=False, export=None,
        modules=None, cudagraphs=False, sym_node=False, compiled_autograd=False, compiled_autograd_verbose=False,
        cudagraph_static_inputs=False, benchmarking=False, autotuning=False, graph_region_expansion=False,
        inductor_metrics=False, hierarchical_compile=False, compute_dependencies=False, caching=False, cutlass=None,
        node_runtime_estimation=False, loop_ordering=False, default=False):
    """Sets the levels of loggers (`dynamo=logging.DEBUG`) and which artifacts are shown (`graph_breaks=True`); what is not named
    goes back to how it was. Does nothing where TORCH_LOGS is set.

    modules: the same for names that are no parameters, {name: level or bool}.
    Errors: ValueError  an unknown name, or a level that `logging` has not.
    """
    settings = dict(locals())
    if LOG_ENV_VAR in os.environ:
        log.warning("Using TORCH_LOGS environment variable for log settings, ignoring call to set_logs")
        return
    modules = settings.pop("modules") or {}
    log_state.clear()
    # As a keyword each group is False or True; a group stands for all of its settings.
    for group, config in LOG_GROUPS.items():
        if settings.pop(group, False):
            settings.update(config)
    default_level = settings.pop("all")
    if default_level:
        if default_level not in logging._levelToName:
            raise ValueError(f"Unrecognized log level for kwarg all: {default_level}, valid level values "
                             f"are: {','.join([str(k) for k in logging._levelToName.keys()])}")
        for alias in log_registry.log_alias_to_log_qnames:
            if settings.get(alias) is None:
                settings[alias] = default_level
    else:
        default_level = DEFAULT_LOG_LEVEL
    # Some names share loggers: what was given is what counts.
    given = [*settings.items(), *modules.items()]
    for alias, value in sorted(given, key=lambda one: one[1] is not None):
        _set_one(alias, default_level if value is None else value)
    _init_logs()


def _set_one(alias, value):
    if log_registry.is_artifact(alias):
        if not isinstance(value, bool):
            raise ValueError(f"Expected bool to enable artifact {alias}, received {value}")
        if value:
            log_state.enable_artifact(alias)
    elif log_registry.is_log(alias) or alias in log_registry.child_log_qnames:
        if value not in logging._levelToName:
            raise ValueError(f"Unrecognized log level for log {alias}: {value}, valid level values "
                             f"are: {','.join([str(k) for k in logging._levelToName.keys()])}")
        log_state.enable_log(log_registry.log_alias_to_log_qnames.get(alias, alias), value)
    elif _is_valid_module(alias):
        _enable_module(log_state, alias, value)
    else:
        raise ValueError(f"Unrecognized log or artifact name passed to set_logs: {alias}")


def _enable_module(state, name, level):
    """A module's logger, which nobody registered before."""
    if _has_registered_parent(name):
        log_registry.register_child_log(name)
    else:
        log_registry.register_log(name, name)
    state.enable_log(name, level)


def get_loggers():
    """All loggers that have a name here."""
    return [logging.getLogger(name) for name in log_registry.get_log_qnames()]


def register_log(setting_name, log_name):
    """Lets `setting_name` in TORCH_LOGS stand for a logger, or a list of loggers."""
    log_registry.register_log(setting_name, log_name)


def register_artifact(setting_name, description="", visible=False, off_by_default=False, log_format=None):
    """Lets `setting_name` in TORCH_LOGS switch a kind of message on.

    off_by_default: not shown with the loggers around it, however low their level.
    log_format: of `logging.Formatter`, in place of the usual form.
    """
    log_registry.register_artifact_name(setting_name, off_by_default, log_format)


def getArtifactLogger(module_qname, artifact_name):
    """The logger by which a module tells of one kind of message.

    Errors: ValueError  no such artifact is registered.
    """
    if artifact_name not in log_registry.artifact_names:
        raise ValueError(f"Artifact name: {repr(artifact_name)} not registered,"
                         f"please call register_artifact({repr(artifact_name)}) in torch._logging.registrations.")
    qname = f"{module_qname}.__{artifact_name}"
    logger = logging.getLogger(qname)
    logger.artifact_name = artifact_name
    log_registry.register_artifact_log(qname)
    configure_artifact_log(logger)
    return logger


def configure_artifact_log(logger):
    if log_registry.is_off_by_default(logger.artifact_name):
        logger.propagate = False
    if log_state.is_artifact_enabled(logger.artifact_name):
        logger.setLevel(logging.DEBUG)
        logger.propagate = True


def _invalid_settings_err_msg(settings):
    names = ["all", *log_registry.log_alias_to_log_qnames, *sorted(log_registry.artifact_names), *LOG_GROUPS]
    return (f"Invalid log settings: {settings}, must be a comma separated list of fully qualified module names, "
            f"registered log names or registered artifact names.\nCurrently registered names: \n  " + "\n  ".join(names))


@functools.lru_cache
def _parse_log_settings(settings):
    """The state that TORCH_LOGS asks for: names after commas, '+' before one for all of it, '-' for errors only.

    Errors: ValueError  not of that form, or an unknown name.
    """
    if settings == "":
        return LogState()
    if re.fullmatch(r"((\+|-)?[\w\.]+,\s*)*(\+|-)?[\w\.]+?", settings) is None:
        raise ValueError(_invalid_settings_err_msg(settings))
    levels = {"+": logging.DEBUG, "-": logging.ERROR}
    pairs = [(name.replace("+", "").replace("-", ""), levels.get(name[0], logging.INFO))
             for name in re.sub(r"\s+", "", settings).split(",")]
    state = LogState()
    # What stands for many comes first, so that a name beside it decides.
    for name, level in pairs:
        if name == "all":
            state.enable_log(log_registry.get_log_qnames(), level)
        elif name in LOG_GROUPS:
            for key, value in LOG_GROUPS[name].items():
                if log_registry.is_log(key):
                    state.enable_log(log_registry.log_alias_to_log_qnames[key], value)
                else:
                    state.enable_artifact(key)
    for name, level in pairs:
        if name == "all" or name in LOG_GROUPS:
            continue
        if log_registry.is_log(name):
            state.enable_log(log_registry.log_alias_to_log_qnames[name], level)
        elif log_registry.is_artifact(name):
            state.enable_artifact(name)
        elif _is_valid_module(name):
            _enable_module(state, name, level)
        else:
            raise ValueError(_invalid_settings_err_msg(settings))
    return state


def _is_valid_module(qname):
    try:
        importlib.import_module(qname)
        return True
    except ImportError:
        return False


def _has_registered_parent(log_qname):
    known = log_registry.get_log_qnames()
    logger = logging.getLogger(log_qname)
    while logger.parent:
        if logger.name in known:
            return True
        logger = logger.parent
    return False


class TorchLogsFormatter(logging.Formatter):
    """"V1129 08:19:05.000123 4711 torch/_logging/_relay.py:12] [0/1] [__graph_breaks] ..." before each line of a message."""

    _LEVELS = {"DEBUG": "V", "INFO": "I", "WARNING": "W", "ERROR": "E", "CRITICAL": "C"}

    def format(self, record):
        artifact = getattr(logging.getLogger(record.name), "artifact_name", None)
        own = log_registry.artifact_log_formatters.get(artifact)
        if own is not None:
            return own.format(record)
        record.message = record.getMessage()
        record.asctime = self.formatTime(record, "%m%d %H:%M:%S")
        text = record.message
        if record.exc_info:
            text += "\n" + self.formatException(record.exc_info)
        if record.stack_info:
            text += "\n" + self.formatStack(record.stack_info)
        record.rankprefix = _rank_prefix()
        trace_id = getattr(record, "trace_id", None)
        record.traceid = f" [{trace_id}]" if trace_id else ""
        record.artifactprefix = f" [__{artifact}]" if artifact is not None else ""
        given = os.environ.get(LOG_FORMAT_ENV_VAR)
        if given is not None:
            record.shortlevel = self._LEVELS.get(record.levelname, record.levelname)
            prefix = given % record.__dict__
        else:
            path = record.pathname
            if path.startswith("<") and path.endswith(">"):
                path = path[1:-1].replace(".", "/") + ".py"
            prefix = (f"{record.rankprefix}{self._LEVELS.get(record.levelname, record.levelname)}{record.asctime}."
                      f"{int(record.msecs * 1000):06d} {record.process} {path}:{record.lineno}]{record.traceid}"
                      f"{record.artifactprefix}")
        return "\n".join(f"{prefix} {line}" for line in text.split("\n"))


def _rank_prefix():
    import torch.distributed as dist
    return f"[rank{dist.get_rank()}]:" if dist.is_available() and dist.is_initialized() else ""


_handlers = []


def _is_torch_handler(handler):
    return any(handler is one for one in _handlers)


def _reset_logs():
    for name in log_registry.get_log_qnames():
        logger = logging.getLogger(name)
        logger.setLevel(logging.WARNING)
        logger.propagate = False
        for handler in [one for one in logger.handlers if _is_torch_handler(one)]:
            logger.removeHandler(handler)
    _handlers.clear()
    for name in [*log_registry.artifact_log_qnames, *log_registry.child_log_qnames]:
        logger = logging.getLogger(name)
        logger.setLevel(logging.NOTSET)
        logger.propagate = True


def _get_log_state():
    return log_state


def _set_log_state(state):
    global log_state
    log_state = state


def _init_logs(log_file_name=None):
    """Puts levels and handlers on the loggers, as TORCH_LOGS or what was set says."""
    _reset_logs()
    if os.environ.get(LOG_ENV_VAR) is not None:
        _set_log_state(_parse_log_settings(os.environ[LOG_ENV_VAR]))
    file = os.environ.get(LOG_OUT_ENV_VAR) or log_file_name
    formatter = TorchLogsFormatter()
    for name, level in log_state.get_log_level_pairs():
        logging.getLogger(name).setLevel(level)
    for name in log_registry.get_log_qnames():
        logger = logging.getLogger(name)
        # A logger inside of another one of these is heard by that.
        made = [logging.StreamHandler()]
        if file is not None:
            made.append(logging.FileHandler(file))
        for handler in made:
            _handlers.append(handler)
            handler.setFormatter(formatter)
            handler.setLevel(logging.DEBUG)
            logger.addHandler(handler)
    for name in log_registry.artifact_log_qnames:
        configure_artifact_log(logging.getLogger(name))
    from torch._logging import _relay
    _relay.listen()


@functools.cache
def warning_once(logger_obj, *args, **kwargs):
    """logger.warning(), once for each message."""
    logger_obj.warning(*args, **kwargs)
