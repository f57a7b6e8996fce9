# torch.profiler and torch.autograd.profiler: what ran, how often, in what; times are only checked to be sensible.
import json
import os

import torch
from torch import nn
from torch.profiler import ProfilerAction, ProfilerActivity, profile, record_function, schedule


def fails(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
    else:
        print("no error")


net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
x = torch.ones(3, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True, with_flops=True) as prof:
    with record_function("model_inference"):
        y = net(x)
    y.sum().backward()
    optimizer.step()

averages = {one.key: one for one in prof.key_averages()}
for name in ("aten::addmm", "aten::relu", "aten::t", "model_inference", "Optimizer.step#SGD.step"):
    one = averages[name]
    print(name, one.count, one.self_cpu_memory_usage, one.flops, one.input_shapes == "")
print(any(name.startswith("autograd::engine::evaluate_function: AddmmBackward0") for name in averages))
for one in prof.key_averages(group_by_input_shape=True):
    if one.key == "aten::addmm":
        print(one.key, one.count, one.input_shapes[:3], one.flops)
inside = [event for event in prof.events() if event.name == "model_inference"][0]
print([child.name for child in inside.cpu_children], inside.cpu_memory_usage, inside.self_cpu_memory_usage)
print(inside.cpu_parent, inside.cpu_children[0].cpu_parent is inside, inside.is_user_annotation)
print(inside.cpu_time_total >= sum(child.cpu_time_total for child in inside.cpu_children) >= 0)
print(all(event.time_range.start <= event.time_range.end for event in prof.events()))
print(abs(sum(event.self_cpu_time_total for event in prof.events()) - prof.key_averages().self_cpu_time_total) < 1e-6)

# The table: columns, rows, order.
lines = prof.key_averages().table(sort_by="cpu_time_total", row_limit=3).split("\n")
print(len(lines), lines[1].split("  ")[-2].strip(), lines[0] == lines[2] == lines[6], lines[7].startswith("Self CPU time total: "))
print([title.strip() for title in lines[1].split("  ") if title.strip()])
print(len({len(line) for line in lines[:7]}))
tables = [prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=-1), str(prof.key_averages(group_by_input_shape=True))]
print("Input Shapes" in tables[0], "Input Shapes" in tables[1], "[[8], [3, 4], [4, 8]" in tables[1])
print(prof.key_averages().table(header="A title", top_level_events_only=True, row_limit=0).split("\n")[1:4:2])
print(repr(prof.key_averages().total_average()).startswith("<FunctionEventAvg key=Total self_cpu_time="))

# Steps as a schedule says.
plan = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
print([plan(step).name for step in range(11)])
seen = []


def ready(prof):
    names = [event.name for event in prof.events() if event.name.startswith("ProfilerStep")]
    seen.append((prof.step_num, names, sum(event.name == "aten::mul" for event in prof.events())))


with profile(schedule=plan, on_trace_ready=ready) as prof:
    for step in range(11):
        torch.ones(2) * step
        prof.step()
print(seen)
print([(one.key, one.count) for one in prof.key_averages() if one.key.startswith("ProfilerStep")])

# Files.
with profile(with_stack=True, record_shapes=True) as prof:
    with record_function("outer"):
        net(x)
prof.add_metadata("who", "me")
prof.export_chrome_trace("trace.json")
trace = json.load(open("trace.json"))
print(trace["schemaVersion"], trace["traceName"], trace["who"], trace["traceEvents"][0]["name"], trace["traceEvents"][0]["cat"])
print(sorted(trace["traceEvents"][0]), {event["ph"] for event in trace["traceEvents"]})
print([event.name for event in prof.events() if event.name.startswith("nn.Module")])
print([event.stack[0].rsplit("/", 1)[-1].split("(")[0] for event in prof.events() if event.name == "aten::addmm"][:1])
prof.export_stacks("stacks.txt")
print(os.path.getsize("stacks.txt") > 0)
torch.profiler.tensorboard_trace_handler("logs", "worker")(prof)
print([name.split(".")[0] + "..." + name.split(".", 2)[-1] for name in os.listdir("logs")])

# The older one.
with torch.autograd.profiler.profile(record_shapes=True) as prof:
    x @ x.t()
print([event.name for event in prof.function_events], prof.key_averages()[0].count, str(prof).count("aten::"))
with torch.autograd.profiler.profile(enabled=False) as nothing:
    x + 1
print(nothing)


# A function with a name; an error inside; errors of use.
@record_function("named")
def named():
    return x.clone()


with profile() as prof:
    named()
    try:
        with record_function("broken"):
            x @ x
    except RuntimeError:
        pass
    x + 1
print([event.name for event in prof.events()], [event.cpu_parent and event.cpu_parent.name for event in prof.events()])
fails(profile().key_averages)
fails(schedule, wait=-1, warmup=1, active=1)
fails(prof.export_chrome_trace, "trace.json.gz")
with profile() as prof:
    fails(profile().start)
