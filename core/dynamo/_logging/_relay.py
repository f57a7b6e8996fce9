"""The messages of the tracer, as they are shown by TORCH_LOGS and set_logs().

Behaviour: the loggers of torch/_dynamo/symbolic_convert.py, output_graph.py, guards.py and convert_frame.py.
"""
import logging
from textwrap import indent

from torch._C import _dynamo as _native
from torch._logging._internal import getArtifactLogger

_convert = logging.getLogger("torch._dynamo.symbolic_convert")
_output = logging.getLogger("torch._dynamo.output_graph")
_frames = logging.getLogger("torch._dynamo.convert_frame")
_graph_breaks = getArtifactLogger("torch._dynamo.symbolic_convert", "graph_breaks")
_trace_source = getArtifactLogger("torch._dynamo.symbolic_convert", "trace_source")
_trace_call = getArtifactLogger("torch._dynamo.output_graph", "trace_call")
_graph = getArtifactLogger("torch._dynamo.output_graph", "graph")
_graph_code = getArtifactLogger("torch._dynamo.output_graph", "graph_code")
_graph_sizes = getArtifactLogger("torch._dynamo.output_graph", "graph_sizes")
_guards = getArtifactLogger("torch._dynamo.guards", "guards")
_recompiles = getArtifactLogger("torch._dynamo.guards", "recompiles")
_recompiles_verbose = getArtifactLogger("torch._dynamo.guards", "recompiles_verbose")

_DOCS = ("https://docs.pytorch.org/docs/main/user_guide/torch_compiler/compile/programming_model.recompilation.html")
# Graphs that were told of, and the places of breaks whose frames were shown.
_counts = {"graph": 0}
_shown_places = set()


def listen():
    """Asks the tracer for what some logger shows now."""
    kinds = {
        "start": _convert.isEnabledFor(logging.INFO),
        "done": _convert.isEnabledFor(logging.INFO),
        "backend": _output.isEnabledFor(logging.INFO),
        "line": _trace_source.isEnabledFor(logging.DEBUG),
        "call": _trace_call.isEnabledFor(logging.DEBUG),
        "break": _graph_breaks.isEnabledFor(logging.DEBUG),
        "graph": any(one.isEnabledFor(logging.DEBUG) for one in (_graph, _graph_code, _graph_sizes)),
        "guards": _guards.isEnabledFor(logging.DEBUG),
        "recompile": _recompiles.isEnabledFor(logging.DEBUG) or _recompiles_verbose.isEnabledFor(logging.DEBUG),
        "limit": True,
    }
    _native.set_trace_listener(_tell, [kind for kind, is_wanted in kinds.items() if is_wanted])


def forget():
    """As torch._dynamo.reset(): places of breaks are shown anew."""
    _shown_places.clear()


def _tell(kind, trace_id, *what):
    _TELLERS[kind](trace_id, *what)


def _log(logger, level, trace_id, message):
    logger.log(level, "%s", message, extra={"trace_id": trace_id}, stacklevel=2)


def _place(file, line, function, qualified, depth):
    inside = f" (inline depth: {depth})" if depth > 0 else ""
    return f"{file}:{line} in {function} ({qualified}){inside}"


def _start(trace_id, function, file, line):
    _log(_convert, logging.INFO, trace_id, f"Step 1: torchdynamo start tracing {function} {file}:{line}")


def _done(trace_id, function, how):
    _log(_convert, logging.INFO, trace_id, f"Step 1: torchdynamo done tracing {function} ({how})")


def _backend(trace_id, backend, is_done):
    name = backend if isinstance(backend, str) else getattr(backend, "__name__", str(backend))
    _log(_output, logging.INFO, trace_id, f"Step 2: {'done' if is_done else 'calling'} compiler function {name}")


def _line(trace_id, file, line, function, qualified, depth, text):
    _log(_trace_source, logging.DEBUG, trace_id,
         f"TRACE starts_line {_place(file, line, function, qualified, depth)}\n    {text}")


def _call(trace_id, node, file, line, function, qualified, depth, text, begin, end):
    marks = _marks(text, begin, end)
    _log(_trace_call, logging.DEBUG, trace_id,
         f"TRACE FX call {node} from {_place(file, line, function, qualified, depth)}\n{text}\n{marks}")


_OPERATORS = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "//", "%", "@"), ("**",))


def _marks(text, begin, end):
    """The line of ~ and ^ below an expression of a line: ^ is the operator, or what is called or taken with."""
    expression = text[begin:end]
    first, last = 0, len(expression)
    if (found := _operator(expression)) is not None:
        first, last = found
    elif expression.endswith((")", "]")):
        first = _opening(expression)
    return " " * begin + "~" * first + "^" * (last - first) + "~" * (len(expression) - last)


def _opening(expression):
    depth = 0
    for at in range(len(expression) - 1, -1, -1):
        depth += (expression[at] in ")]}") - (expression[at] in "([{")
        if depth == 0:
            return at
    return 0


def _operator(expression):
    """Where the operator stands that is applied last."""
    places, depth, at = [], 0, 0
    while at < len(expression):
        one = expression[at]
        depth += (one in "([{") - (one in ")]}")
        two = expression[at:at + 2]
        width = 2 if two in ("**", "//", "<<", ">>") else 1
        before = expression[:at].rstrip()
        if depth == 0 and one in "|^&<>+-*/%@" and before and before[-1] not in "|^&<>+-*/%@(,[":
            places.append((expression[at:at + width], at, at + width))
        at += width
    for level in _OPERATORS:
        found = [place for place in places if place[0] in level]
        if found:
            return found[0 if level == ("**",) else -1][1:]
    return None


def _break(trace_id, during, texts, above, frames):
    reason = "" if during == "jump" else f"{during}:\n\n"
    reason += "\n\n*** While handling this graph break, another graph break occurred: ***\n\n".join(texts)
    stack = above + frames
    file, line = (stack[-1][0], stack[-1][1]) if stack else ("?", 0)
    if (file, line) in _shown_places:
        _log(_graph_breaks, logging.DEBUG, trace_id,
             f"Graph break (user stack suppressed due to duplicate graph break) in user code at {file}:{line}\n"
             f"Graph Break Reason: {reason}")
        return
    _shown_places.add((file, line))
    shown = "".join(f'  File "{file}", line {line}, in {name}\n    {text}\n' for file, line, name, text in stack)
    _log(_graph_breaks, logging.DEBUG, trace_id,
         f"Graph break in user code at {file}:{line}\nGraph Break Reason: {reason}\n\nUser code traceback:\n{shown}")


def _graph_made(trace_id, module):
    _counts["graph"] += 1
    name = f"__compiled_fn_{_counts['graph']}"
    file = module.forward.__code__.co_filename
    if _graph_code.isEnabledFor(logging.DEBUG):
        code = module.print_readable(print_output=False, include_stride=True, include_device=True)
        _log(_graph_code, logging.DEBUG, trace_id, f"TRACED GRAPH\n ===== {name} =====\n {file} {code}\n")
    if _graph.isEnabledFor(logging.DEBUG):
        _log(_graph, logging.DEBUG, trace_id, f"TRACED GRAPH\n {name} {file} {module.graph._table()}")
    if _graph_sizes.isEnabledFor(logging.DEBUG):
        text = f"TRACED GRAPH TENSOR SIZES\n===== {name} =====\n"
        for node in module.graph.nodes:
            example = node.meta.get("example_value")
            if hasattr(example, "size"):
                text += f"{node.name}: {tuple(example.size())}\n"
        _log(_graph_sizes, logging.DEBUG, trace_id, text)


def _guards_made(trace_id, rows):
    """rows: (depth, text, file, line, function, text of the line), as a tree, parents first."""
    lines = ["", "TREE_GUARD_MANAGER:", "+- RootGuardManager"]
    for depth, text, file, line, function, code in rows:
        origin = f"  # {code}  # {file}:{line} in {function}" if file else ""
        lines.append("| " * depth + "+- " + (f"{text:<84}{origin}" if origin else text))
    _log(_guards, logging.DEBUG, trace_id, "GUARDS:\n" + "\n".join(lines) + "\n")


def _recompile(trace_id, function, file, line, reasons):
    head = f"Recompiling function {function} in {file}:{line}\n"
    if _recompiles_verbose.isEnabledFor(logging.DEBUG):
        failures = "\n\n".join(f"guard {at} failures:\n" + indent(f"{of}: {guard}", "- ")
                               for at, (of, guard) in enumerate(reasons))
        logger = _recompiles_verbose
    else:
        failures = indent("\n".join(f"{of}: {guard}" for of, guard in reasons), "- ")
        logger = _recompiles
    _log(logger, logging.DEBUG, trace_id,
         head + indent(f"triggered by the following guard failure(s):\n{failures}", "    "))


def _limit(trace_id, function, file, line, limit, of, guard):
    _log(_frames, logging.WARNING, trace_id,
         f"torch._dynamo hit config.recompile_limit ({limit})\n"
         f"   function: '{function}' ({file}:{line})\n"
         f"   last reason: {of}: {guard}\n"
         f'To log all recompilation reasons, use TORCH_LOGS="recompiles".\n'
         f"To diagnose recompilation issues, see {_DOCS}")


_TELLERS = {"start": _start, "done": _done, "backend": _backend, "line": _line, "call": _call, "break": _break,
            "graph": _graph_made, "guards": _guards_made, "recompile": _recompile, "limit": _limit}
