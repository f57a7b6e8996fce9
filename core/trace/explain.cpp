#include "core/trace/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/events/event.h"
#include "core/trace/moment.h"

namespace nns::trace {

namespace {

using events::Place;

std::string class_of(const Trace& trace, ObjectId object) {
  return object == kNone ? std::string("the module") : fmt::format("`{}`", trace.text(trace.object(object).class_name));
}

std::string explain_set(const Trace& trace, const ObjectEvent& set) {
  const std::string_view name = trace.text(set.name);
  const std::string_view value = trace.text(set.value_class);
  switch (static_cast<Place>(set.number)) {
    case Place::Parameters:
      if (value == "NoneType") {
        return fmt::format(
            "`{}` was registered as a parameter before, and None keeps its place: it stays a key of "
            "`_parameters`, without a value.",
            name);
      }
      return fmt::format("`{}` is a Parameter, so `__setattr__` put it into `_parameters`; it is not in `__dict__`.",
                         name);
    case Place::Modules:
      if (value == "NoneType") {
        return fmt::format("`{}` was a child before, and None keeps its place: it stays a key of `_modules`.", name);
      }
      return fmt::format("`{}` is a Module, so `__setattr__` put it into `_modules`; it is not in `__dict__`.", name);
    case Place::Buffers:
      return fmt::format(
          "`{}` was registered as a buffer before, so `__setattr__` put the new value into `_buffers`; "
          "it is not in `__dict__`.",
          name);
    case Place::Attribute:
      break;
  }
  if (value == "Tensor") {
    return fmt::format(
        "`{}` is a plain Tensor: `__setattr__` put it into `__dict__` only. `parameters()`, "
        "`state_dict()` and `.to()` do not see it.",
        name);
  }
  return fmt::format(
      "`{}` is {} {}: neither a Parameter nor a Module, so `__setattr__` left it to "
      "`object.__setattr__`, which put it into `__dict__`.",
      name, value.find_first_of("aeiouAEIOU") == 0 ? "an" : "a", value);
}

struct TableText {
  std::string_view table;
  std::string_view when;
};

constexpr std::array kTables = {
    TableText{"_forward_pre_hooks", "before `forward`; what it returns replaces the arguments"},
    TableText{"_forward_hooks", "after `forward`; what it returns replaces the result"},
    TableText{"_backward_hooks", "when the gradients of the module's inputs are known"},
    TableText{"_backward_pre_hooks", "when the gradients of the module's outputs are known, before its own backward"},
    TableText{"_state_dict_hooks", "at the end of `state_dict()`"},
    TableText{"_state_dict_pre_hooks", "at the beginning of `state_dict()`"},
    TableText{"_load_state_dict_pre_hooks", "before the module takes its part of a state_dict"},
    TableText{"_load_state_dict_post_hooks", "after `load_state_dict()` has filled the module"},
    TableText{"_parameter_registration_hooks", "when a parameter is registered; what it returns is registered instead"},
    TableText{"_buffer_registration_hooks", "when a buffer is registered; what it returns is registered instead"},
    TableText{"_module_registration_hooks", "when a module is registered; what it returns is registered instead"},
    TableText{"_optimizer_pre_hooks", "before `step()` of any optimizer; what it returns replaces the arguments"},
    TableText{"_optimizer_post_hooks", "after `step()` of any optimizer"},
    TableText{"_optimizer_step_pre_hooks", "before `step()`; what it returns replaces the arguments"},
    TableText{"_optimizer_step_post_hooks", "after `step()`"},
    TableText{"_optimizer_state_dict_pre_hooks", "at the beginning of `state_dict()`"},
    TableText{"_optimizer_state_dict_post_hooks", "at the end of `state_dict()`; what it returns replaces the result"},
    TableText{"_optimizer_load_state_dict_pre_hooks", "before `load_state_dict()`; what it returns is loaded instead"},
    TableText{"_optimizer_load_state_dict_post_hooks", "after `load_state_dict()`"},
    TableText{"_post_accumulate_grad_hooks", "after the gradient was added to `.grad`"},
    TableText{"pre_hooks", "before the node computes; what it returns replaces the gradients that it gets"},
    TableText{"post_hooks", "after the node has computed; what it returns replaces the gradients that it gives"},
};

// `table`: its name; those of all modules or optimizers have "_global" in front.
std::string_view when_of(std::string_view table, bool is_of_module) {
  constexpr std::string_view kGlobal = "_global";
  if (table.starts_with(kGlobal)) table.remove_prefix(kGlobal.size());
  if (table == "_backward_hooks" && !is_of_module)
    return "when the tensor's gradient is known; what it returns replaces the gradient";
  const auto* const row =
      std::find_if(kTables.begin(), kTables.end(), [&](const TableText& one) { return one.table == table; });
  return row == kTables.end() ? std::string_view() : row->when;
}

std::string explain_hook(const Trace& trace, const ObjectEvent& hook, std::string_view what) {
  const std::string_view table = trace.text(hook.table);
  std::string text = fmt::format("Hook {} {} `{}`", hook.number, what, table);
  if (hook.object != kNone) text += fmt::format(" of {}", class_of(trace, hook.object));
  const bool is_of_module = hook.object == kNone || trace.object(hook.object).kind == ObjectKind::Module;
  const std::string_view when = when_of(table, is_of_module);
  if (!when.empty()) text += fmt::format(": it runs {}", when);
  return text + ".";
}

std::string explain_end(const Trace& trace, EventId id) {
  if (id == 0) return "The program has ended before a statement ran.";
  const Event& before = trace.event(id - 1);
  if (before.kind != EventKind::Raise) return "The program has ended.";
  const std::string_view said = trace.text(before.payload);
  if (said.starts_with("SystemExit")) return fmt::format("The program has ended: `{}`.", said);
  return fmt::format("The program has ended with an exception that nobody caught: `{}`.", said);
}

}  // namespace

std::string explain(const Trace& trace, EventId id) {
  const Event& event = trace.event(id);
  switch (event.kind) {
    case EventKind::AttributeSet:
      return explain_set(trace, trace.object_event(event.payload));
    case EventKind::AttributeDeleted: {
      const ObjectEvent& deleted = trace.object_event(event.payload);
      constexpr std::array<std::string_view, 4> kPlaces = {"__dict__", "_parameters", "_buffers", "_modules"};
      return fmt::format("`{}` was found in `{}`, so `__delattr__` took it from there.", trace.text(deleted.name),
                         kPlaces[static_cast<std::size_t>(deleted.number)]);
    }
    case EventKind::RegistryChanged: {
      const ObjectEvent& change = trace.object_event(event.payload);
      constexpr std::array<std::string_view, 3> kChanges = {"got", "has another", "lost"};
      return fmt::format("`{}` of {} {} `{}`.", trace.text(change.table), class_of(trace, change.object),
                         kChanges[static_cast<std::size_t>(change.number)], trace.text(change.name));
    }
    case EventKind::HookRegistered:
      return explain_hook(trace, trace.object_event(event.payload), "was added to");
    case EventKind::HookRemoved:
      return explain_hook(trace, trace.object_event(event.payload), "was removed from");
    case EventKind::HookFired:
      return explain_hook(trace, trace.object_event(event.payload), "is about to run, from");
    case EventKind::ModuleCall:
      return fmt::format("`__call__` of {} begins: pre-hooks, then `forward`, then hooks.",
                         class_of(trace, trace.object_event(event.payload).object));
    case EventKind::ModuleReturn: {
      const ObjectEvent& left = trace.object_event(event.payload);
      return fmt::format("`__call__` of {} {}.", class_of(trace, left.object),
                         left.number != 0 ? "ends with an exception" : "is done");
    }
    case EventKind::Raise:
      return fmt::format("{}", trace.text(event.payload));
    case EventKind::Call:
      return fmt::format("`{}` begins.", trace.code(trace.frame(event.frame).code).qualified_name);
    case EventKind::Return: {
      const Frame& frame = trace.frame(event.frame);
      const Code& code = trace.code(frame.code);
      if (!code.is_function) return fmt::format("`{}` is done.", code.qualified_name);
      return fmt::format("`{}` returns `{}`.", code.qualified_name, one_line(trace, frame.returned, id));
    }
    case EventKind::Yield:
      return fmt::format("`{}` yields.", trace.code(trace.frame(event.frame).code).qualified_name);
    case EventKind::Resume:
      return fmt::format("`{}` goes on.", trace.code(trace.frame(event.frame).code).qualified_name);
    case EventKind::Statement:
      return {};
    case EventKind::End:
      break;
  }
  if (!trace.is_full()) return explain_end(trace, id);
  return fmt::format("The recording is full; {} statements more ran.", trace.left_out());
}

}  // namespace nns::trace
