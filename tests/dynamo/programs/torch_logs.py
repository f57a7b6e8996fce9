"""What torch._logging shows while functions are compiled."""
import logging
import os
import re

import torch
import torch._logging


class Shown(logging.Handler):
    def emit(self, record):
        text = record.getMessage().replace(os.path.dirname(os.path.abspath(__file__)) + "/", "").replace(__file__, "torch_logs.py")
        print(f"[{record.trace_id}] {record.name.removeprefix('torch._dynamo.')} {record.levelname}: {text}".rstrip())


shown = Shown()
logging.getLogger("torch._dynamo").addHandler(shown)


def section(name):
    torch._dynamo.reset()
    print(f"== {name}")


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


def helper(x, n):
    return x[n] * (x + n)


@torch.compile(backend="eager")
def broken(x, n):
    y = helper(x, n)
    print("between")
    if y.sum() > 0:
        y = y - 1
    return y


@torch.compile(backend="eager")
def skipped(x):
    with Quiet():
        print("inside")
        return x + 1


@torch.compile(backend="eager")
def in_loop(x):
    for _ in range(2):
        print("loop")
    return x + 1


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(3, 2)
        self.scales = {"a": 2.0}

    def forward(self, x):
        return self.lin(x) * self.scales["a"]


x = torch.ones(3)
section("graph_breaks")
torch._logging.set_logs(graph_breaks=True)
broken(x, 0)
skipped(x)
in_loop(x)
section("the same again: only the first time the frames are shown")
broken(x, 0)
torch._dynamo.reset_code_caches()
broken(x, 0)

section("recompiles")
torch._logging.set_logs(recompiles=True)
f = torch.compile(helper, backend="eager", dynamic=False)
f(x, 0)
f(x, 1)
f(torch.ones(4), 1)

section("recompiles_verbose")
torch._logging.set_logs(recompiles_verbose=True)
f = torch.compile(helper, backend="eager", dynamic=False)
f(x, 0)
f(x, 1)
f(torch.ones(4), 1)

section("the limit is told of always")
torch._logging.set_logs()
with torch._dynamo.config.patch(recompile_limit=2):
    for n in range(4):
        f(x, n - 1)

section("trace_source, trace_call")
torch._logging.set_logs(trace_source=True, trace_call=True)
torch.compile(helper, backend="eager")(x, 0)
torch.compile(Net(), backend="eager")(x)

section("graph, graph_sizes, graph_code")
torch._logging.set_logs(graph=True, graph_sizes=True)
torch.compile(helper, backend="eager")(x, 0)
torch._dynamo.reset()
torch._logging.set_logs(graph_code=True)
torch.compile(helper, backend="eager")(x, 0)

section("guards")
torch._logging.set_logs(guards=True)
torch.compile(Net(), backend="eager")(x)
torch.compile(helper, backend="eager")(x, 0)

section("dynamo at INFO")
torch._logging.set_logs(dynamo=logging.INFO)
torch.compile(helper, backend="eager")(x, 0)

section("nothing")
torch._logging.set_logs()
broken(x, 0)

section("names that there are not, and levels")
for settings in ({"modules": {"no_such": True}}, {"graph_breaks": 3}, {"dynamo": 7}, {"all": 7}):
    try:
        torch._logging.set_logs(**settings)
    except ValueError as error:
        print(str(error).split(", valid")[0])
try:
    torch._logging.getArtifactLogger("a", "nothing")
except ValueError as error:
    print(error)

section("the form of a line")
formatter = torch._logging._internal.TorchLogsFormatter()
record = logging.LogRecord("torch._dynamo.guards.__guards", logging.DEBUG, "<torch._logging._relay>", 12, "a\nb", (), None)
record.trace_id = "0/1"
print(re.sub(r"\d\d\d\d \d\d:\d\d:\d\d\.\d{6} \d+", "TIME PROCESS", formatter.format(record)))
print(sorted(torch._logging._internal._parse_log_settings("+dynamo, recompiles,-inductor").artifact_names))
print(torch._logging._internal._parse_log_settings("default").log_qname_to_level)
print(len(torch._logging.get_loggers()) > 5)
