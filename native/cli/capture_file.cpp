#include "native/cli/capture_file.h"

#include <fmt/format.h>

#include <cstdio>

#include "core/capture/reader.h"
#include "core/live/commands.h"
#include "native/cli/exit_status.h"
#include "native/cli/terminal.h"
#include "native/host/folder_files.h"

namespace nns::cli {
namespace {

using capture::Capture;
using capture::Frame;
using capture::Place;

std::string place_text(const Capture& capture, const Place& place) {
  if (place.file >= capture.files.size() || place.line == 0) return {};
  return fmt::format("{}:{}", capture.files[place.file].name, place.line);
}

std::string title(const Frame& frame) {
  return frame.compile_id.empty() ? frame.name : fmt::format("{} [{}]", frame.name, frame.compile_id);
}

void text_field(JsonWriter& out, const char* key, const std::string& text) {
  out.key(key);
  out.text(text);
}

void write_frame(JsonWriter& out, const Capture& capture, const Frame& frame) {
  out.begin_object();
  text_field(out, "frame", frame.name);
  text_field(out, "compile_id", frame.compile_id);
  text_field(out, "outcome", frame.outcome);
  text_field(out, "place", place_text(capture, frame.place));
  out.key("facts");
  out.begin_list();
  for (const auto& [name, text] : frame.facts) {
    out.begin_list();
    out.text(name);
    out.text(text);
    out.end_list();
  }
  out.end_list();
  out.key("graphs");
  out.begin_list();
  for (const capture::Graph& graph : frame.graphs) {
    out.begin_object();
    text_field(out, "stage", graph.stage);
    out.key("nodes");
    out.begin_list();
    for (const capture::Node& node : graph.nodes) {
      out.begin_object();
      text_field(out, "op", std::string(capture::op_name(node.op)));
      text_field(out, "name", node.name);
      text_field(out, "target", node.target);
      text_field(out, "args", node.arguments);
      text_field(out, "example", node.example);
      text_field(out, "place", place_text(capture, node.place));
      out.end_object();
    }
    out.end_list();
    out.end_object();
  }
  out.end_list();
  out.key("breaks");
  out.begin_list();
  for (const capture::Break& cut : frame.breaks) {
    out.begin_object();
    text_field(out, "gb_type", cut.type);
    text_field(out, "explanation", cut.explanation);
    out.key("hints");
    out.begin_list();
    for (const std::string& hint : cut.hints) out.text(hint);
    out.end_list();
    text_field(out, "place", cut.stack.empty() ? std::string() : place_text(capture, cut.stack.back().place));
    out.end_object();
  }
  out.end_list();
  out.key("guards");
  out.begin_list();
  for (const capture::Guard& guard : frame.guards) {
    out.begin_list();
    for (const std::string& part : {guard.kind, guard.of, guard.text, place_text(capture, guard.place)}) out.text(part);
    out.end_list();
  }
  out.end_list();
  out.key("reasons");
  out.begin_list();
  for (const capture::Reason& reason : frame.reasons) {
    out.begin_object();
    text_field(out, "of", reason.of);
    text_field(out, "guard", reason.guard);
    out.end_object();
  }
  out.end_list();
  out.key("seconds");
  out.begin_object();
  for (const capture::Timing& timing : frame.timings) {
    out.key(timing.name);
    out.number(timing.seconds);
  }
  out.end_object();
  out.end_object();
}

}  // namespace

void print_frames(const Capture& capture) {
  for (const Frame& frame : capture.frames) {
    fmt::print("{} {}{}{}\n", title(frame), frame.outcome, frame.place.line == 0 ? "" : ", ",
               place_text(capture, frame.place));
    if (!capture.is_log) {
      for (const auto& [name, text] : frame.facts) fmt::print("  {}: {}\n", name, text);
    }
    for (const capture::Timing& timing : frame.timings) fmt::print("  {:>10.6f} s  {}\n", timing.seconds, timing.name);
    for (const capture::Reason& reason : frame.reasons)
      fmt::print("  compiled again, not [{}]: {}\n", reason.of, reason.guard);
    for (const capture::Graph& graph : frame.graphs) {
      fmt::print("graph of {}, {}\n", title(frame), graph.stage);
      for (const capture::Node& node : graph.nodes) {
        fmt::print("  {:<13} {:<24} {}({})\n", capture::op_name(node.op), node.name, node.target, node.arguments);
      }
    }
    for (const capture::Break& cut : frame.breaks) {
      const std::string place = cut.stack.empty() ? std::string() : place_text(capture, cut.stack.back().place);
      fmt::print("break in {}{}{}: {} ({})\n", title(frame), place.empty() ? "" : ", ", place, cut.type,
                 capture::break_action_text(cut.action));
      if (!cut.explanation.empty()) fmt::print("  {}\n", cut.explanation);
      for (const std::string& hint : cut.hints) fmt::print("  Hint: {}\n", hint);
    }
    if (!frame.guards.empty()) fmt::print("guards of {}\n", title(frame));
    for (const capture::Guard& guard : frame.guards) {
      const std::string of = guard.of.empty() ? guard.text : guard.of;
      fmt::print("  {:<28} {}\n", guard.kind, capture.is_log || guard.of.empty() ? of : of + ": " + guard.text);
    }
  }
}

void write_frames(JsonWriter& out, const Capture& capture) {
  out.begin_list(true);
  for (const Frame& frame : capture.frames) write_frame(out, capture, frame);
  out.end_list();
}

bool is_capture_file(std::string_view file) {
  return live::is_trace_log(file, {}) || file.ends_with(".pt2") || file.ends_with(".zip");
}

int print_capture_file(const std::string& file, bool json) {
  auto opened = host::open_path(file);
  if (!opened.ok() || opened->source == nullptr) {
    print_error(opened.ok() ? fmt::format("{}: a folder", file) : opened.error().message());
    return kBadInput;
  }
  const auto reader = capture::reader_of(opened->source);
  const auto read = reader.ok() ? (*reader)->step(base::Budget::unlimited()) : base::Result<bool>(reader.error());
  if (!read.ok()) {
    print_error(read.error().message());
    return kBadInput;
  }
  const Capture capture = (*reader)->take();
  for (const std::string& note : capture.notes) print_error(fmt::format("{}: {}", file, note));
  if (!json) {
    print_frames(capture);
    return kFine;
  }
  JsonWriter out(stdout);
  out.begin_object();
  out.key("records");
  out.begin_object();
  for (const auto& [kind, count] : capture.records) text_field(out, kind.c_str(), count);
  out.end_object();
  out.key("frames");
  write_frames(out, capture);
  out.end_object();
  out.newline();
  return kFine;
}

}  // namespace nns::cli
