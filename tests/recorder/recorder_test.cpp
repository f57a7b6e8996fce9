#include "core/recorder/recorder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/trace/explain.h"
#include "core/trace/module_tree.h"
#include "core/trace/search.h"
#include "tests/recorder/recorded_program.h"

namespace nns::tests {
namespace {

using trace::Direction;
using trace::EventId;
using trace::EventKind;
using trace::Step;

TEST(Recorder, KnowsNamesBeforeAndAfterEachStatement) {
  const RecordedProgram run("a = 1\na = a + 1\nb = 'text'\nc = [a, b]\n");
  EXPECT_EQ(run.value(run.at_line(1), "a"), "");
  EXPECT_EQ(run.value(run.at_line(2), "a"), "1");
  EXPECT_EQ(run.value(run.at_line(3), "a"), "2");
  EXPECT_EQ(run.value(run.at_line(4), "b"), "'text'");
  EXPECT_EQ(run.value(run.last(), "c"), "list of 2");
  EXPECT_EQ(run.entries(run.object(run.last(), "c"), run.last()), "2, 'text'");
}

TEST(Recorder, ShowsAListAsItWasAtEachMoment) {
  const RecordedProgram run("a = []\na.append(1)\na.append(2)\na[0] = 7\ndel a[1]\na += [5]\na[0:1] = [8, 9]\npass\n");
  const std::vector<std::pair<std::uint32_t, std::string>> expected = {
      {2, ""}, {3, "1"}, {4, "1, 2"}, {5, "7, 2"}, {6, "7"}, {7, "7, 5"}, {8, "8, 9, 5"}};
  for (const auto& [line, entries] : expected) {
    const EventId at = run.at_line(line);
    EXPECT_EQ(run.entries(run.object(at, "a"), at), entries) << "line " << line;
  }
}

// Changes of one object are kept as differences, and now and then it is kept whole.
TEST(Recorder, AnObjectThatIsWrittenOftenIsShownAsItWas) {
  const RecordedProgram run(
      "a = [0, 0]\nd = {'k': 0}\nfor i in range(300):\n    a[1] = i\n    d['k'] = i\n    pass\nb = 1\n");
  EventId at = 0;
  for (int i = 0; i < 300; ++i) {
    at = run.at_line(6, at + 1);
    EXPECT_EQ(run.entries(run.object(at, "a"), at), "0, " + std::to_string(i));
    const trace::ObjectView view = run.object(at, "d");
    ASSERT_EQ(view.fields.size(), 1U);
    EXPECT_EQ(trace::one_line(run.trace, view.fields[0].value, at), std::to_string(i));
  }
}

TEST(Recorder, AListLongerThanWhatIsKeptTellsItsLength) {
  const RecordedProgram run("a = []\nfor i in range(1000):\n    a.append(i)\nb = len(a)\n");
  const EventId at = run.at_line(4);
  const trace::ObjectView view = run.object(at, "a");
  EXPECT_EQ(view.total, 1000U);
  EXPECT_EQ(view.fields.size(), run.trace.limits().entries);
  EXPECT_EQ(run.value(at, "a"), "list of 1000");
}

TEST(Recorder, LocalsOfEachActivationAreItsOwn) {
  const RecordedProgram run(
      "def f(n):\n    if n == 0:\n        return 0\n    m = n * 10\n    return m + f(n - 1)\nf(2)\n");
  const EventId deepest = run.at_line(3);
  const trace::Moment moment = trace::moment_at(run.trace, deepest);
  ASSERT_EQ(moment.frames.size(), 4U);
  std::string stack;
  for (const trace::FrameView& frame : moment.frames) {
    stack += frame.name + "(";
    for (const trace::NameView& name : frame.names)
      stack += name.name + "=" + trace::one_line(run.trace, name.value, deepest) + " ";
    stack += ") ";
  }
  EXPECT_EQ(stack, "f(n=0 ) f(n=1 m=10 ) f(n=2 m=20 ) <module>(f=function f ) ");
}

TEST(Recorder, ClosuresAndNonlocalNamesAreSeenInTheirCells) {
  const RecordedProgram run(
      "def counter(start):\n    count = start\n    def step():\n        nonlocal count\n        count += 1\n"
      "        return count\n    return step\ns = counter(5)\ns()\ns()\nx = 1\n");
  const EventId first = run.at_line(6);
  EXPECT_EQ(run.value(first, "count"), "6");
  EXPECT_EQ(run.value(run.at_line(6, first + 1), "count"), "7");
}

TEST(Recorder, GeneratorsKeepTheirNamesWhileTheySleep) {
  const RecordedProgram run(
      "def g():\n    a = 1\n    yield a\n    b = 2\n    yield a + b\nt = 0\nfor x in g():\n    t += x\nend = t\n");
  const EventId second = run.at_line(5);
  EXPECT_EQ(run.value(second, "a"), "1");
  EXPECT_EQ(run.value(second, "b"), "2");
  EXPECT_EQ(trace::moment_at(run.trace, second).frames.size(), 2U);
  const EventId end = run.at_line(9);
  EXPECT_EQ(run.value(end, "t"), "4");
  EXPECT_EQ(trace::moment_at(run.trace, end).frames.size(), 1U);
}

TEST(Recorder, AnExceptionIsToldInEachFrameThatItPasses) {
  const RecordedProgram run(
      "def f():\n    raise ValueError('no')\ntry:\n    f()\nexcept ValueError as e:\n    caught = str(e)\n");
  const EventId raised = run.find(EventKind::Raise);
  EXPECT_EQ(trace::explain(run.trace, raised), "ValueError: no");
  EXPECT_EQ(trace::moment_at(run.trace, raised).frames.front().name, "f");
  const EventId passed = run.find(EventKind::Raise, raised + 1);
  EXPECT_EQ(trace::moment_at(run.trace, passed).frames.front().name, "<module>");
  EXPECT_EQ(run.value(run.last(), "caught"), "'no'");
}

constexpr const char* kModel = R"(import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 2
        self.conv1 = nn.Linear(3, 2)
        self.w = nn.Parameter(torch.ones(2))
        self.plain = torch.zeros(2)
    def forward(self, x):
        y = self.conv1(x)
        return y * self.w
def hook(module, args):
    seen = len(args)
net = Net()
handle = net.conv1.register_forward_pre_hook(hook)
out = net(torch.ones(1, 3))
out.sum().backward()
done = 1
)";

TEST(RecorderOfModules, TellsWhereEachAttributeWentAndWhy) {
  const RecordedProgram run(kModel);
  ASSERT_EQ(run.error, "");
  std::vector<std::string> told;
  for (EventId at = 0; at < run.trace.size(); ++at) {
    if (run.trace.event(at).kind != EventKind::AttributeSet) continue;
    const trace::ObjectEvent& event = run.trace.object_event(run.trace.event(at).payload);
    if (run.trace.text(run.trace.object(event.object).class_name) == "Net")
      told.push_back(trace::explain(run.trace, at));
  }
  const std::string text = [&] {
    std::string all;
    for (const std::string& one : told) all += one + "\n";
    return all;
  }();
  EXPECT_NE(text.find("`conv1` is a Module, so `__setattr__` put it into `_modules`; it is not in `__dict__`."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("`w` is a Parameter, so `__setattr__` put it into `_parameters`"), std::string::npos) << text;
  EXPECT_NE(text.find("`plain` is a plain Tensor"), std::string::npos) << text;
  EXPECT_NE(text.find("`scale` is an int: neither"), std::string::npos) << text;
}

TEST(RecorderOfModules, TheRegistryHoldsTheChildFromTheEventOfItsChangeOn) {
  const RecordedProgram run(kModel);
  EventId change = 0;
  while (true) {
    change = run.find(EventKind::RegistryChanged, change + 1);
    const trace::ObjectEvent& event = run.trace.object_event(run.trace.event(change).payload);
    if (run.trace.text(event.name) == "conv1") break;
  }
  const auto modules_at = [&](EventId at) {
    const trace::ObjectView self = run.object(at, "self");
    for (const trace::FieldView& field : self.fields) {
      if (trace::one_line(run.trace, field.key, at) == "'_modules'") {
        if (!field.value.is_object()) return trace::one_line(run.trace, field.value, at);
        return run.entries(trace::object_at(run.trace, field.value.index(), at), at);
      }
    }
    return std::string("no _modules");
  };
  EXPECT_EQ(modules_at(change - 1), "{}");
  EXPECT_EQ(modules_at(change), "'conv1': Linear");
}

TEST(RecorderOfModules, AHookThatRunsIsKnownAsRunning) {
  const RecordedProgram run(kModel);
  const EventId inside = run.at_line(14);
  const trace::Moment moment = trace::moment_at(run.trace, inside);
  ASSERT_EQ(moment.hooks.size(), 1U);
  EXPECT_EQ(run.trace.text(moment.hooks[0].table), "_forward_pre_hooks");
  std::string stack;
  for (const trace::FrameView& frame : moment.frames) stack += frame.name + " ";
  EXPECT_EQ(stack, "hook Linear.__call__ Net.forward Net.__call__ <module> ");
}

// All that fired, as sentences.
std::vector<std::string> fired_of(const RecordedProgram& run) {
  std::vector<std::string> told;
  for (EventId at = 0; at < run.trace.size(); ++at) {
    if (run.trace.event(at).kind != EventKind::HookFired) continue;
    std::string line = trace::explain(run.trace, at);
    told.push_back(line.substr(line.find(' ', 5) + 1));  // without the id
  }
  return told;
}

TEST(RecorderOfModules, HooksOfStateDictsAreToldWithTheirMoment) {
  const RecordedProgram run(R"(
from torch import nn
m = nn.Linear(2, 1)
m.register_state_dict_pre_hook(lambda *a: None)
m.register_state_dict_post_hook(lambda *a: None)
m.register_load_state_dict_pre_hook(lambda *a: None)
m.register_load_state_dict_post_hook(lambda *a: None)
m.load_state_dict(m.state_dict())
)");
  ASSERT_EQ(run.error, "");
  EXPECT_EQ(
      fired_of(run),
      (std::vector<std::string>{
          "is about to run, from `_state_dict_pre_hooks` of `Linear`: it runs at the beginning of `state_dict()`.",
          "is about to run, from `_state_dict_hooks` of `Linear`: it runs at the end of `state_dict()`.",
          "is about to run, from `_load_state_dict_pre_hooks` of `Linear`: it runs before the module takes its part "
          "of a state_dict.",
          "is about to run, from `_load_state_dict_post_hooks` of `Linear`: it runs after `load_state_dict()` has "
          "filled the module.",
      }));
}

TEST(RecorderOfModules, HooksOfTensorsNodesOptimizersAndRegistriesAreTold) {
  const RecordedProgram run(R"(
import torch
from torch import nn
from torch.nn.modules import module as all_modules
handle = all_modules.register_module_parameter_registration_hook(lambda m, name, p: None)
m = nn.Linear(2, 1, bias=False)
handle.remove()
m.weight.register_hook(lambda g: None)
m.weight.register_post_accumulate_grad_hook(lambda p: None)
opt = torch.optim.SGD(m.parameters(), lr=0.1)
opt.register_step_pre_hook(lambda *a: None)
opt.register_step_post_hook(lambda *a: None)
opt.register_state_dict_post_hook(lambda *a: None)
y = m(torch.ones(1, 2)).sum()
y.grad_fn.register_prehook(lambda g: None)
y.grad_fn.register_hook(lambda *g: None)
y.backward()
opt.step()
opt.state_dict()
shown = m.weight, opt
)");
  ASSERT_EQ(run.error, "");
  std::vector<std::string> tables;
  for (const std::string& line : fired_of(run)) {
    const std::size_t begin = line.find('`');
    const std::size_t end = line.find(':');
    tables.push_back(line.substr(begin, end - begin));
  }
  EXPECT_EQ(tables, (std::vector<std::string>{
                        "`_global_parameter_registration_hooks` of `Linear`",
                        "`pre_hooks` of `SumBackward0`",
                        "`post_hooks` of `SumBackward0`",
                        "`_backward_hooks` of `Parameter`",
                        "`_post_accumulate_grad_hooks` of `Parameter`",
                        "`_optimizer_step_pre_hooks` of `SGD`",
                        "`_optimizer_step_post_hooks` of `SGD`",
                        "`_optimizer_state_dict_post_hooks` of `SGD`",
                    }));
  // What an event named before anybody saw it is read as what it is.
  const EventId end = run.last();
  EXPECT_EQ(run.trace.object(run.object(end, "opt").id).kind, trace::ObjectKind::Instance);
}

TEST(Recorder, TextsAreShownAsPythonWritesThem) {
  const RecordedProgram run("text = \"it's\\nnew \\\\ line\"\nend = 1\n");
  ASSERT_EQ(run.error, "");
  const trace::Moment moment = trace::moment_at(run.trace, run.last());
  ASSERT_FALSE(moment.frames.empty());
  const auto& names = moment.frames[0].names;
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(trace::one_line(run.trace, names[0].value, run.last()), R"("it's\nnew \\ line")");
}

TEST(Recorder, AnExceptionThatEndedTheProgramIsNamedAtItsEnd) {
  const RecordedProgram run("def f():\n    raise ValueError('no')\nf()\n");
  EXPECT_EQ(trace::explain(run.trace, run.last()),
            "The program has ended with an exception that nobody caught: `ValueError: no`.");
  const RecordedProgram fine("a = 1\n");
  EXPECT_EQ(trace::explain(fine.trace, fine.last()), "The program has ended.");
  const RecordedProgram left("import sys\nsys.exit(3)\n");
  EXPECT_EQ(trace::explain(left.trace, left.last()), "The program has ended: `SystemExit: 3`.");
  const RecordedProgram wrong("a = = 1\n");
  EXPECT_EQ(trace::explain(wrong.trace, wrong.last()), "The program has ended before a statement ran.");
}

TEST(RecorderOfModules, GradientsAppearWhereBackwardMadeThem) {
  const RecordedProgram run(kModel);
  const auto grad_of_w = [&](EventId at) {
    trace::MomentOptions options;
    options.objects = 5000;
    const trace::Moment moment = trace::moment_at(run.trace, at, options);
    for (const trace::ObjectView& one : moment.objects) {
      if (one.class_name != "Net") continue;
      for (const trace::FieldView& field : one.fields) {
        if (trace::one_line(run.trace, field.key, at) != "'_parameters'") continue;
        const trace::ObjectView parameters = trace::object_at(run.trace, field.value.index(), at);
        const trace::ObjectView w = trace::object_at(run.trace, parameters.fields.at(0).value.index(), at);
        return trace::one_line(run.trace, w.fields.at(static_cast<std::size_t>(trace::TensorField::Grad)).value, at);
      }
    }
    return std::string("no Net");
  };
  EXPECT_EQ(grad_of_w(run.at_line(18)), "None");
  EXPECT_EQ(grad_of_w(run.at_line(19)), "Tensor float32 [2]");
}

TEST(RecorderOfModules, TheOrderOfLookupNamesWhereEachAttributeStands) {
  const RecordedProgram run(kModel);
  const EventId at = run.at_line(17);
  const std::vector<trace::LookupStep> order = trace::lookup_order(run.trace, run.object(at, "net").id, at);
  ASSERT_EQ(order.size(), 3U);
  EXPECT_EQ(order[0].class_name + " " + order[1].class_name + " " + order[2].class_name, "Net Module object");
  const auto has = [&](const trace::LookupStep& step, const std::string& name) {
    return std::any_of(step.attributes.begin(), step.attributes.end(), [&](const trace::FieldView& field) {
      return trace::one_line(run.trace, field.key, at) == "'" + name + "'";
    });
  };
  EXPECT_TRUE(has(order[0], "forward"));
  EXPECT_TRUE(has(order[1], "__setattr__"));
  EXPECT_FALSE(has(order[0], "__setattr__"));
}

constexpr std::string_view kTied = R"(import torch
from torch import nn
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(2, 2, bias=False)
        self.decoder = nn.Linear(2, 2, bias=False)
        self.decoder.weight = self.encoder.weight
        self.again = self.encoder
model = Tied()
same = model
print('tied')
)";

TEST(RecorderOfModules, AModuleThatOnlyEventsNamedIsLookedIntoWhenARegistryHoldsIt) {
  const RecordedProgram run{std::string(kTied)};
  const EventId at = run.at_line(11);
  trace::MomentOptions options;
  options.objects = 5000;
  const trace::Moment moment = trace::moment_at(run.trace, at, options);
  int layers = 0;
  for (const trace::ObjectView& one : moment.objects) {
    if (one.class_name != "Linear" || one.kind != trace::ObjectKind::Module) continue;
    ++layers;
    EXPECT_GT(one.fields.size(), 10U) << "its __dict__ is known";
  }
  EXPECT_EQ(layers, 2);
}

TEST(ModuleTree, HasEachModuleOnceAndItsOtherPlacesAsRepeated) {
  const RecordedProgram run{std::string(kTied)};
  const auto tree_at = [&](EventId at) {
    std::string text;
    for (const trace::ModulePlace& place :
         trace::module_tree(run.trace, trace::moment_at(run.trace, at), at > 0 ? at - 1 : 0).places) {
      text += fmt::format("{}{} {}{}\n", std::string(place.depth, ' '), place.name,
                          run.trace.text(run.trace.object(place.id).class_name), place.is_repeated ? " again" : "");
    }
    return text;
  };
  EXPECT_EQ(tree_at(run.at_line(11)), "model Tied\n encoder Linear\n decoder Linear\n again Linear again\n");
  EXPECT_EQ(tree_at(run.at_line(7)), "self Tied\n encoder Linear\n") << "as it was then";
  EXPECT_EQ(tree_at(run.at_line(3)), "");
}

TEST(TraceStep, OverStaysInItsFrameAndOutLeavesIt) {
  const RecordedProgram run("def f(x):\n    y = x\n    return y\na = f(1)\nb = f(2)\n");
  const EventId call = run.at_line(4);
  const EventId over = trace::step_from(run.trace, call, Step::Over, Direction::Forward);
  EXPECT_EQ(run.trace.line_of(run.trace.event(over)), 5U);
  EXPECT_EQ(trace::step_from(run.trace, over, Step::Over, Direction::Back), call);
  const EventId into = trace::step_from(run.trace, call, Step::Into, Direction::Forward);
  EXPECT_EQ(run.trace.line_of(run.trace.event(into)), 2U);
  const EventId out = trace::step_from(run.trace, into, Step::Out, Direction::Forward);
  EXPECT_EQ(run.trace.line_of(run.trace.event(out)), 5U);
  EXPECT_EQ(trace::step_from(run.trace, into, Step::Out, Direction::Back), call);
}

TEST(TraceFind, StopsAtLinesRegistriesAndHooksInBothDirections) {
  const RecordedProgram run(kModel);
  trace::Breakpoints breakpoints;
  breakpoints.hook_fires = true;
  const EventId fired = trace::find_stop(run.trace, 0, Direction::Forward, breakpoints);
  ASSERT_NE(fired, trace::kNone);
  EXPECT_EQ(run.trace.event(fired).kind, EventKind::HookFired);
  EXPECT_EQ(trace::find_stop(run.trace, fired, Direction::Forward, breakpoints), trace::kNone);
  EXPECT_EQ(trace::find_stop(run.trace, run.last(), Direction::Back, breakpoints), fired);
  breakpoints = {};
  breakpoints.registry_changes = true;
  const EventId changed = trace::find_stop(run.trace, 0, Direction::Forward, breakpoints);
  EXPECT_EQ(run.trace.event(changed).kind, EventKind::RegistryChanged);
  breakpoints = {};
  breakpoints.lines.push_back({run.trace.file_of(run.trace.event(run.at_line(11))), 11});
  EXPECT_EQ(trace::find_stop(run.trace, 0, Direction::Forward, breakpoints), run.at_line(11));
}

TEST(RecorderLimits, AFullRecordingSaysHowMuchItLeftOut) {
  trace::Limits limits;
  limits.events = 1000;
  const RecordedProgram run("t = 0\nfor i in range(100000):\n    t += i\nprint(t)\n", limits);
  EXPECT_TRUE(run.trace.is_full());
  EXPECT_EQ(run.out, "4999950000\n");
  EXPECT_LE(run.trace.size(), 1001U);
  EXPECT_GT(run.trace.left_out(), 150'000U);
  EXPECT_NE(trace::explain(run.trace, run.last()).find("statements more ran"), std::string::npos);
}

TEST(RecorderLimits, DoesNotKeepObjectsOfTheProgramAlive) {
  const RecordedProgram run(
      "import weakref\nclass A: pass\na = A()\na.x = [1]\nr = weakref.ref(a, lambda _: print('gone'))\n"
      "del a\nprint('after')\n");
  EXPECT_EQ(run.out, "gone\nafter\n");
}

TEST(Recorder, OutputIsKnownForEachMoment) {
  const RecordedProgram run("print('a')\nprint('bc')\nx = 1\n");
  EXPECT_EQ(trace::moment_at(run.trace, run.at_line(2)).output, 2U);
  EXPECT_EQ(trace::moment_at(run.trace, run.at_line(3)).output, 5U);
}

// The memory of a generator that was dropped asleep is that of the next one, of other code.
TEST(Recorder, AGeneratorThatIsDroppedAsleepIsNoneOfTheNext) {
  const RecordedProgram run(R"(
def long():
    a = 1
    b = [a]
    for i in range(3):
        yield a + len(b) + i

def short():
    yield 5

for i in range(100):
    first = long()
    next(first)
    next(first)
    del first
    second = short()
    next(second)
    del second
)");
  EXPECT_EQ(run.error, "");
  std::size_t calls = 0, resumed = 0;
  for (trace::EventId at = 0; at < run.trace.size(); ++at) {
    const trace::EventKind kind = run.trace.event(at).kind;
    calls += kind == trace::EventKind::Call;
    resumed += kind == trace::EventKind::Resume;
  }
  // The module, and each generator once.
  EXPECT_EQ(calls, 201U);
  EXPECT_EQ(resumed, 100U);
}

}  // namespace
}  // namespace nns::tests
