#include "core/session/capture_report.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>
#include <utility>

#include "core/session/exported_programs.h"

namespace nns::session {

namespace {

using capture::FileTable;
using capture::Place;

Place place_of(FileTable& files, const std::string& file, std::uint32_t line) {
  return file.empty() || line == 0 ? Place{} : Place{files.number(file), line};
}

void add_inputs(const dynamo::Argument& argument, const std::unordered_map<const dynamo::Node*, std::uint32_t>& numbers,
                std::vector<std::uint32_t>& inputs) {
  if (argument.node != nullptr) {
    const auto found = numbers.find(argument.node);
    bool is_new = found != numbers.end();
    for (const std::uint32_t input : inputs) is_new = is_new && input != found->second;
    if (is_new) inputs.push_back(found->second);
  }
  for (const dynamo::Argument& item : argument.items) add_inputs(item, numbers, inputs);
}

// The sources of a graph's inputs, by their names: those of a graph inside of it are called the same.
using InputSources = std::map<std::string, std::string, std::less<>>;

capture::Graph graph_of(dynamo::Engine& engine, const dynamo::Graph& graph, std::string stage,
                        const InputSources& sources, FileTable& files) {
  object::Interpreter& in = engine.interpreter();
  capture::Graph made;
  made.stage = std::move(stage);
  std::unordered_map<const dynamo::Node*, std::uint32_t> numbers;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> stacks;
  for (const dynamo::Node* node : graph.ordered()) {
    capture::Node told;
    told.op = static_cast<capture::Op>(node->op);
    told.name = node->name;
    told.target = node->target;
    const auto add_argument = [&](const std::string& name, const dynamo::Argument& argument) {
      if (!told.arguments.empty()) told.arguments += ", ";
      if (!name.empty()) told.arguments += name + "=";
      told.arguments += dynamo::argument_text(in, argument);
      add_inputs(argument, numbers, told.inputs);
    };
    for (const dynamo::Argument& argument : node->args) add_argument({}, argument);
    for (const auto& [name, argument] : node->kwargs) add_argument(name, argument);
    if (node->source != nullptr) {
      told.arguments = node->source->name();
    } else if (const auto found = sources.find(node->name);
               node->op == dynamo::Node::Op::Placeholder && found != sources.end()) {
      told.arguments = found->second;
    }
    told.example = dynamo::value_text(*node);
    told.place = place_of(files, std::string(node->file()), node->program_line);
    told.code = node->code();
    for (const dynamo::StackEntry& entry : node->stack()) {
      // Another call of the same module has another key.
      const auto [found, is_new] =
          stacks.try_emplace({told.stack, entry.key.empty() ? fmt::format("{}", entry.module_id)
                                                            : fmt::format("{} {}", entry.module_id, entry.key)},
                             static_cast<std::uint32_t>(made.stacks.size()));
      if (is_new) made.stacks.push_back({told.stack, entry.name, entry.class_name});
      told.stack = found->second;
    }
    numbers.emplace(node, static_cast<std::uint32_t>(made.nodes.size()));
    made.nodes.push_back(std::move(told));
  }
  return made;
}

// A graph, and behind it those that its higher-order operators run.
void add_graphs(dynamo::Engine& engine, const dynamo::Graph& graph, const std::string& stage,
                const InputSources& sources, FileTable& files, std::vector<capture::Graph>& graphs) {
  InputSources inputs;
  for (const capture::Node& node : graphs.emplace_back(graph_of(engine, graph, stage, sources, files)).nodes) {
    if (node.op == capture::Op::Placeholder) inputs.emplace(node.name, node.arguments);
  }
  for (const dynamo::Node* node : graph.ordered()) {
    if (node->body) add_graphs(engine, *node->body, capture::inner_stage(stage, node->target), inputs, files, graphs);
  }
}

capture::Break break_of(const dynamo::BreakRecord& record, FileTable& files) {
  capture::Break made;
  made.action = static_cast<capture::BreakAction>(record.action);
  made.type = record.reason.type;
  made.context = record.reason.context;
  made.explanation = record.reason.explanation;
  made.hints = record.reason.hints;
  made.code = record.reason.code;
  for (std::size_t i = 0; i < record.reason.stack.size(); ++i) {
    const auto& [function, line] = record.reason.stack[i];
    const std::string file = i < record.reason.files.size() ? record.reason.files[i] : std::string();
    made.stack.push_back({place_of(files, file, line), function});
  }
  for (const dynamo::BreakReason& reason : record.then) made.then.push_back(reason.type);
  return made;
}

}  // namespace

capture::Capture capture_of(dynamo::Engine& engine) {
  const dynamo::Report& report = engine.report();
  capture::Capture made;
  FileTable files;
  std::map<std::string, std::size_t> numbers;
  for (const dynamo::CompilationRecord& record : report.compilations) {
    numbers.emplace(record.compile_id, made.frames.size());
    capture::Frame& frame = made.frames.emplace_back();
    frame.compile_id = record.compile_id;
    frame.name = record.frame;
    frame.resumes_line = record.resumes_line;
    frame.place = place_of(files, record.file, record.line);
    frame.timings.push_back({"trace", record.seconds});
  }
  const auto with = [&](const std::string& id, auto use) {
    if (const auto found = numbers.find(id); found != numbers.end()) use(made.frames[found->second]);
  };
  for (const dynamo::FrameRecord& record : report.frames) {
    with(record.compile_id, [&](capture::Frame& frame) {
      frame.outcome = record.outcome;
      frame.why = record.why;
    });
  }
  for (const dynamo::GraphRecord& record : report.graphs) {
    with(record.compile_id, [&](capture::Frame& frame) {
      add_graphs(engine, *record.graph, "dynamo_output_graph", {}, files, frame.graphs);
    });
  }
  for (const dynamo::BreakRecord& record : report.breaks) {
    with(record.compile_id, [&](capture::Frame& frame) { frame.breaks.push_back(break_of(record, files)); });
  }
  for (const dynamo::GuardRecord& record : report.guards) {
    with(record.compile_id, [&](capture::Frame& frame) {
      for (std::size_t i = 0; i < record.installed.size(); ++i) {
        const auto& [kind, of, source, origin] = record.installed[i];
        frame.guards.push_back(
            {kind, of, origin, source, place_of(files, record.asked_by[i].file, record.asked_by[i].line)});
      }
    });
  }
  for (const dynamo::RecompileRecord& record : report.recompiles) {
    with(record.compile_id, [&](capture::Frame& frame) {
      for (const auto& reason : record.reasons) frame.reasons.push_back({reason.of, reason.guard});
    });
  }
  // clang 14 lets no lambda take names of a structured binding.
  for (const auto& [variable, of, source, class_name, id] : report.modules) {
    const capture::Module row{variable, of, source, class_name};
    with(id, [&row](capture::Frame& frame) { frame.modules.push_back(row); });
  }
  for (const auto& restart : report.restarts) {
    with(std::get<1>(restart),
         [&restart](capture::Frame& frame) { frame.facts.emplace_back("traced again", std::get<0>(restart)); });
  }
  add_frames(exported_programs(engine), made, files);
  made.files = files.take();
  for (capture::File& file : made.files) {
    const auto known = engine.machine().sources.find(file.name);
    if (known == engine.machine().sources.end()) continue;
    file.text = known->second->source().text();
    file.numbers.clear();
  }
  return made;
}

}  // namespace nns::session
