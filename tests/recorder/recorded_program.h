#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"
#include "core/python/stdlib/stdlib.h"
#include "core/recorder/recorder.h"
#include "core/tensor/tensor.h"
#include "core/trace/moment.h"

namespace nns::tests {

/// A program that ran, with the recording of it.
struct RecordedProgram {
  std::unique_ptr<object::Interpreter> interpreter = std::make_unique<object::Interpreter>();
  trace::Trace trace;
  std::string out;
  /// The exception that ended it, if one did.
  std::string error;

  explicit RecordedProgram(const std::string& source, trace::Limits limits = {}, int virtual_devices = 0)
      : trace(limits) {
    python::Machine& machine = python::Machine::of(*interpreter);
    python::add_python(machine);
    tensor::TensorLibrary::of(*interpreter).virtual_devices = virtual_devices;
    recorder::Recorder recorder(machine, trace);
    machine.streams.out = [&](std::string_view text) {
      out += text;
      recorder.on_output(text.size());
    };
    const auto result = python::run_program(machine, "program.py", source);
    if (!result.ok()) error = result.error().message();
    recorder.end();
    machine.streams = {};
  }

  /// The first statement that begins in that line, from `from` on; the test fails if there is none.
  trace::EventId at_line(std::uint32_t line, trace::EventId from = 0) const {
    for (trace::EventId at = from; at < trace.size(); ++at) {
      const trace::Event& event = trace.event(at);
      if (event.kind != trace::EventKind::Statement || trace.line_of(event) != line) continue;
      if (trace.files()[trace.file_of(event)].name == "program.py") return at;
    }
    ADD_FAILURE() << "no statement in line " << line;
    return 0;
  }

  /// The first event of that kind from `from` on.
  trace::EventId find(trace::EventKind kind, trace::EventId from = 0) const {
    for (trace::EventId at = from; at < trace.size(); ++at) {
      if (trace.event(at).kind == kind) return at;
    }
    ADD_FAILURE() << "no such event";
    return 0;
  }

  trace::EventId last() const { return trace.size() - 1; }

  /// What `name` is in the innermost frame at that moment, on one line; "" if it is not bound.
  std::string value(trace::EventId event, const std::string& name) const {
    const trace::Moment moment = trace::moment_at(trace, event);
    if (moment.frames.empty()) return {};
    for (const trace::NameView& one : moment.frames.front().names) {
      if (one.name == name) return trace::one_line(trace, one.value, event);
    }
    return {};
  }

  /// The object that `name` is bound to in the innermost frame.
  trace::ObjectView object(trace::EventId event, const std::string& name, trace::EventId since = trace::kNone) const {
    const trace::Moment moment = trace::moment_at(trace, event);
    for (const trace::NameView& one : moment.frames.front().names) {
      if (one.name == name && one.value.is_object()) {
        return trace::object_at(trace, one.value.index(), event, since);
      }
    }
    ADD_FAILURE() << name << " is no object";
    return {};
  }

  /// The entries of an object as "key: value", or only values, with ", " between.
  std::string entries(const trace::ObjectView& view, trace::EventId event) const {
    std::string text;
    for (const trace::FieldView& field : view.fields) {
      if (!text.empty()) text += ", ";
      if (!field.key.is_absent()) text += trace::one_line(trace, field.key, event) + ": ";
      text += trace::one_line(trace, field.value, event);
    }
    return text;
  }
};

}  // namespace nns::tests
