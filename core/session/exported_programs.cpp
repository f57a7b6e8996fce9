#include "core/session/exported_programs.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/capture/exported_program.h"
#include "core/capture/texts.h"
#include "core/object/operations.h"

namespace nns::session {
namespace {

using object::PyResult;
using object::Value;

PyResult<std::string> text_of(python::Machine& machine, const Value& program) {
  object::Interpreter& in = machine.interpreter();
  NNS_TRY_ASSIGN(const Value module, machine.import_module("torch.export._save", 0, nullptr));
  NNS_TRY_ASSIGN(const Value write, object::getattr(in, module, in.intern("model_text")));
  NNS_TRY_ASSIGN(const Value text, in.call(write, {program}));
  return object::str(in, text);
}

base::Result<capture::Capture> read(std::string json, const std::string& name) {
  capture::ExportedProgramReader reader(std::move(json), {}, name);
  NNS_TRY(reader.step(base::Budget::unlimited()));
  return reader.take();
}

}  // namespace

void add_frames(capture::Capture from, capture::Capture& to, capture::FileTable& files) {
  std::vector<std::uint32_t> numbers;
  for (const capture::File& file : from.files) {
    const std::uint32_t number = files.number(file.name);
    numbers.push_back(number);
    std::string_view rest = file.text;
    for (const std::uint32_t line : file.numbers) files.add_line({number, line}, capture::next_line(rest));
  }
  const auto move_place = [&](capture::Place& place) {
    if (place.file < numbers.size()) place.file = numbers[place.file];
  };
  for (capture::Frame& frame : from.frames) {
    move_place(frame.place);
    for (capture::Guard& guard : frame.guards) move_place(guard.place);
    for (capture::Break& cut : frame.breaks) {
      for (capture::StackLine& line : cut.stack) move_place(line.place);
    }
    for (capture::Graph& graph : frame.graphs) {
      for (capture::Node& node : graph.nodes) move_place(node.place);
    }
    to.frames.push_back(std::move(frame));
  }
  for (std::string& note : from.notes) to.notes.push_back(std::move(note));
}

capture::Capture exported_programs(dynamo::Engine& engine) {
  capture::Capture made;
  capture::FileTable files;
  // Writing one runs Python, which may export.
  const std::vector<Value> programs = engine.report().exported;
  for (std::size_t at = 0; at < programs.size(); ++at) {
    const std::string name = programs.size() == 1 ? "exported program" : fmt::format("exported program {}", at + 1);
    const PyResult<std::string> text = text_of(engine.machine(), programs[at]);
    base::Result<capture::Capture> program =
        text.ok() ? read(text.value(), name)
                  : base::Error{fmt::format("{}: {}", text.error().type(), text.error().message()), {}, {}, {}};
    if (program.ok()) {
      program->frames.front().name = name;
      add_frames(std::move(program).value(), made, files);
    } else {
      capture::Frame& frame = made.frames.emplace_back();
      frame.name = name;
      frame.outcome = "exported, but cannot be told";
      frame.why = program.error().found;
    }
  }
  made.files = files.take();
  return made;
}

}  // namespace nns::session
