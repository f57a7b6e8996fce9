#include "core/session/capture_messages.h"

#include <algorithm>
#include <map>
#include <vector>

namespace nns::session {

namespace {

namespace wire = live::wire;
using Builder = flatbuffers::FlatBufferBuilder;
using Text = flatbuffers::Offset<flatbuffers::String>;

auto shared_texts(Builder& builder, const std::vector<std::string>& texts) {
  std::vector<Text> told;
  for (const std::string& text : texts) told.push_back(builder.CreateSharedString(text));
  return builder.CreateVector(told);
}

auto entries(Builder& builder, const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<flatbuffers::Offset<wire::MetadataEntry>> told;
  for (const auto& [key, value] : pairs) {
    const auto key_text = builder.CreateSharedString(key);
    told.push_back(wire::CreateMetadataEntry(builder, key_text, builder.CreateSharedString(value)));
  }
  return builder.CreateVector(told);
}

// The graphs of a frame by their stages, in order.
using StageNumbers = std::multimap<std::string, std::uint32_t, std::less<>>;

// The graph that a node of graph number `outer` stands for: the first of that name behind it.
std::uint32_t body_of(const capture::Graph& graph, std::uint32_t outer, const capture::Node& node,
                      const StageNumbers& numbers) {
  if (node.op != capture::Op::GetAttr || numbers.size() < 2) return capture::kNone;
  const auto [begin, end] = numbers.equal_range(capture::inner_stage(graph.stage, node.target));
  const auto found = std::find_if(begin, end, [&](const auto& one) { return one.second > outer; });
  return found == end ? capture::kNone : found->second;
}

flatbuffers::Offset<wire::CaptureGraph> graph_of(Builder& builder, const capture::Frame& frame, std::uint32_t number,
                                                 const StageNumbers& numbers) {
  const capture::Graph& graph = frame.graphs[number];
  const std::size_t count = graph.nodes.size();
  std::vector<std::uint8_t> op(count);
  std::vector<Text> name(count), target(count), arguments(count), example(count), code(count);
  std::vector<std::uint32_t> file(count), line(count), stack(count), begin, inputs, body;
  for (std::size_t i = 0; i < count; ++i) {
    const capture::Node& node = graph.nodes[i];
    op[i] = static_cast<std::uint8_t>(node.op);
    name[i] = builder.CreateString(node.name);
    target[i] = builder.CreateSharedString(node.target);
    arguments[i] = builder.CreateString(node.arguments);
    example[i] = builder.CreateSharedString(node.example);
    code[i] = builder.CreateSharedString(node.code);
    file[i] = node.place.file;
    line[i] = node.place.line;
    stack[i] = node.stack;
    begin.push_back(static_cast<std::uint32_t>(inputs.size()));
    inputs.insert(inputs.end(), node.inputs.begin(), node.inputs.end());
    const std::uint32_t inner = body_of(graph, number, node, numbers);
    if (inner == capture::kNone) continue;
    body.resize(count, capture::kNone);
    body[i] = inner;
  }
  begin.push_back(static_cast<std::uint32_t>(inputs.size()));
  std::vector<flatbuffers::Offset<wire::CaptureStack>> stacks;
  for (const capture::StackEntry& entry : graph.stacks) {
    const auto entry_name = builder.CreateSharedString(entry.name);
    const auto class_name = builder.CreateSharedString(entry.class_name);
    stacks.push_back(wire::CreateCaptureStack(builder, entry.parent, entry_name, class_name));
  }
  const auto stage = builder.CreateSharedString(graph.stage);
  const auto ops = builder.CreateVector(op);
  const auto names = builder.CreateVector(name);
  const auto targets = builder.CreateVector(target);
  const auto all_arguments = builder.CreateVector(arguments);
  const auto examples = builder.CreateVector(example);
  const auto files = builder.CreateVector(file);
  const auto lines = builder.CreateVector(line);
  const auto codes = builder.CreateVector(code);
  const auto node_stacks = builder.CreateVector(stack);
  const auto begins = builder.CreateVector(begin);
  const auto all_inputs = builder.CreateVector(inputs);
  const auto all_stacks = builder.CreateVector(stacks);
  const auto bodies = builder.CreateVector(body);
  return wire::CreateCaptureGraph(builder, stage, ops, names, targets, all_arguments, examples, files, lines, codes,
                                  node_stacks, begins, all_inputs, all_stacks, graph.left_out, bodies);
}

flatbuffers::Offset<wire::CaptureBreak> break_of(Builder& builder, const capture::Break& cut) {
  std::vector<flatbuffers::Offset<wire::CaptureLine>> stack;
  for (const capture::StackLine& line : cut.stack) {
    const auto function = builder.CreateSharedString(line.function);
    stack.push_back(wire::CreateCaptureLine(builder, line.place.file, line.place.line, function));
  }
  const auto type = builder.CreateSharedString(cut.type);
  const auto context = builder.CreateSharedString(cut.context);
  const auto explanation = builder.CreateSharedString(cut.explanation);
  const auto hints = shared_texts(builder, cut.hints);
  const auto code = builder.CreateSharedString(cut.code);
  const auto lines = builder.CreateVector(stack);
  const auto then = shared_texts(builder, cut.then);
  return wire::CreateCaptureBreak(builder, static_cast<wire::BreakAction>(cut.action), type, context, explanation,
                                  hints, code, lines, then);
}

flatbuffers::Offset<wire::CaptureFrame> frame_of(Builder& builder, const capture::Frame& frame) {
  std::vector<flatbuffers::Offset<wire::CaptureGraph>> graphs;
  StageNumbers numbers;
  const auto count = static_cast<std::uint32_t>(frame.graphs.size());
  for (std::uint32_t number = 0; number < count; ++number) numbers.emplace(frame.graphs[number].stage, number);
  for (std::uint32_t number = 0; number < count; ++number) graphs.push_back(graph_of(builder, frame, number, numbers));
  std::vector<flatbuffers::Offset<wire::CaptureBreak>> breaks;
  for (const capture::Break& cut : frame.breaks) breaks.push_back(break_of(builder, cut));
  std::vector<flatbuffers::Offset<wire::CaptureGuard>> guards;
  for (const capture::Guard& guard : frame.guards) {
    const auto kind = builder.CreateSharedString(guard.kind);
    const auto of = builder.CreateSharedString(guard.of);
    const auto origin = builder.CreateSharedString(guard.origin);
    const auto text = builder.CreateSharedString(guard.text);
    guards.push_back(wire::CreateCaptureGuard(builder, kind, of, origin, text, guard.place.file, guard.place.line));
  }
  std::vector<flatbuffers::Offset<wire::CaptureReason>> reasons;
  for (const capture::Reason& reason : frame.reasons) {
    const auto of = builder.CreateSharedString(reason.of);
    reasons.push_back(wire::CreateCaptureReason(builder, of, builder.CreateSharedString(reason.guard)));
  }
  std::vector<flatbuffers::Offset<wire::CaptureModule>> modules;
  for (const capture::Module& module : frame.modules) {
    const auto variable = builder.CreateSharedString(module.variable);
    const auto of = builder.CreateSharedString(module.of);
    const auto source = builder.CreateSharedString(module.source);
    const auto class_name = builder.CreateSharedString(module.class_name);
    modules.push_back(wire::CreateCaptureModule(builder, variable, of, source, class_name));
  }
  std::vector<flatbuffers::Offset<wire::CaptureTiming>> timings;
  for (const capture::Timing& timing : frame.timings) {
    timings.push_back(wire::CreateCaptureTiming(builder, builder.CreateSharedString(timing.name), timing.seconds));
  }
  const auto id = builder.CreateSharedString(frame.compile_id);
  const auto name = builder.CreateSharedString(frame.name);
  const auto outcome = builder.CreateSharedString(frame.outcome);
  const auto why = builder.CreateSharedString(frame.why);
  const auto told_graphs = builder.CreateVector(graphs);
  const auto told_breaks = builder.CreateVector(breaks);
  const auto told_guards = builder.CreateVector(guards);
  const auto told_reasons = builder.CreateVector(reasons);
  const auto told_modules = builder.CreateVector(modules);
  const auto told_timings = builder.CreateVector(timings);
  const auto facts = entries(builder, frame.facts);
  return wire::CreateCaptureFrame(builder, id, name, frame.place.file, frame.place.line, outcome, why,
                                  frame.resumes_line, told_graphs, told_breaks, told_guards, told_reasons, told_modules,
                                  told_timings, facts, frame.guards_left_out);
}

}  // namespace

live::Bytes capture_message(std::uint64_t request, std::uint32_t document, const capture::Capture& capture) {
  Builder builder(4096);
  std::vector<flatbuffers::Offset<wire::CaptureFrame>> frames;
  for (const capture::Frame& frame : capture.frames) frames.push_back(frame_of(builder, frame));
  std::vector<flatbuffers::Offset<wire::CaptureFile>> files;
  for (const capture::File& file : capture.files) {
    const auto name = builder.CreateString(file.name);
    const auto text = builder.CreateString(file.text);
    files.push_back(wire::CreateCaptureFile(builder, name, text, builder.CreateVector(file.numbers)));
  }
  const auto call = builder.CreateString(capture.call);
  const auto inputs = builder.CreateString(capture.inputs);
  const auto told_frames = builder.CreateVector(frames);
  const auto told_files = builder.CreateVector(files);
  const auto records = entries(builder, capture.records);
  const auto notes = shared_texts(builder, capture.notes);
  const auto error = builder.CreateString(capture.error);
  return live::finish_message(
      builder, wire::CreateCapture(builder, request, document, capture.is_log, call, inputs, capture.first_new,
                                   told_frames, told_files, records, notes, error));
}

}  // namespace nns::session
