// What each kind of record of a log of TORCH_TRACE says.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/capture/graph_code.h"
#include "core/capture/json.h"
#include "core/capture/texts.h"
#include "core/capture/trace_log.h"

namespace nns::capture {

using simdjson::dom::element;
using simdjson::dom::object;

namespace {

constexpr std::size_t kMostNames = 1'000'000;

std::uint32_t line_number(std::int64_t number) {
  return number > 0 && number < UINT32_MAX ? static_cast<std::uint32_t>(number) : 0;
}

// The first source in a condition: "L['x'].weight".
std::string source_in(std::string_view code) {
  std::size_t at = std::min(code.find("L["), code.find("G["));
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at;
  int depth = 0;
  for (; at < code.size(); ++at) {
    const char c = code[at];
    const bool is_name = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (depth < 0 || (depth == 0 && c != ']' && c != '.' && !is_name)) break;
  }
  return std::string(code.substr(begin, at - begin));
}

// Logs of before 2024 tell conditions without their kinds.
std::string kind_of(std::string_view code) {
  struct Row {
    std::string_view mark, kind;
  };
  constexpr std::array<Row, 13> kRows = {{{"check_tensor(", "TENSOR_MATCH"},
                                          {"___check_type_id(", "TYPE_MATCH"},
                                          {"___check_obj_id(", "ID_MATCH"},
                                          {"hasattr(", "HASATTR"},
                                          {"CURRENT_DEVICE", "DEFAULT_DEVICE"},
                                          {"___check_global_state(", "GLOBAL_STATE"},
                                          {"check_no_aliasing(", "NO_TENSOR_ALIASING"},
                                          {"___check_torch_function_mode_stack(", "TORCH_FUNCTION_STATE"},
                                          {"___tuple_iterator_len(", "TUPLE_ITERATOR_LEN"},
                                          {"___dict_contains(", "DICT_CONTAINS"},
                                          {"___key_to_id(", "DICT_KEYS"},
                                          {"len(", "SEQUENCE_LENGTH"},
                                          {" == ", "EQUALS_MATCH"}}};
  for (const Row& row : kRows) {
    if (code.find(row.mark) != std::string_view::npos) return std::string(row.kind);
  }
  return {};
}

bool is_graph_kind(std::string_view kind) {
  return kind.ends_with("_graph") || kind == "exported_program" || kind == "graph_dump";
}

}  // namespace

std::uint32_t LogRecords::file_of(const Json& line, const char* key) {
  element found;
  std::int64_t number = 0;
  std::string_view name;
  if (line.value[key].get(number) == simdjson::SUCCESS) {
    const auto known = names_.find(number);
    return known == names_.end() ? kNone : files_.number(known->second);
  }
  return line.value[key].get(name) == simdjson::SUCCESS ? files_.number(name) : kNone;
}

StackLine LogRecords::stack_line(const Json& line) {
  const Place place{file_of(line, "filename"), line_number(line.number("line"))};
  if (const std::string_view code = line.text("loc"); !code.empty()) files_.add_line(place, cut(code));
  return {place, cut(line.text("name"))};
}

Frame* LogRecords::frame_of(const std::string& id) {
  const auto known = frames_.find(id);
  if (known != frames_.end()) return &capture_.frames[known->second];
  if (capture_.frames.size() >= limits_.frames) {
    if (!std::exchange(is_full_, true)) {
      capture_.notes.push_back(fmt::format("only the first {} compilations are shown", limits_.frames));
    }
    return nullptr;
  }
  frames_.emplace(id, capture_.frames.size());
  Frame& frame = capture_.frames.emplace_back();
  frame.compile_id = id;
  return &frame;
}

void LogRecords::add_guard(Frame& frame, Guard guard) const {
  if (frame.guards.size() >= limits_.guards) {
    ++frame.guards_left_out;
  } else {
    frame.guards.push_back(std::move(guard));
  }
}

base::Result<void> LogRecords::add(std::string_view json, std::string_view payload, std::uint64_t offset) {
  simdjson::dom::parser parser;
  element whole;
  object fields;
  auto parsed = parser.parse(json.data(), json.size(), true).get(whole);
  if (parsed == simdjson::SUCCESS) parsed = whole.get(fields);
  if (parsed != simdjson::SUCCESS || fields.size() == 0) {
    return base::Error{.found = fmt::format("a record that is no JSON object: {}", simdjson::error_message(parsed)),
                       .expected = {},
                       .where = {},
                       .offset = offset};
  }
  const Json record{whole};
  const simdjson::dom::key_value_pair first = *fields.begin();
  const std::string_view kind = first.key;
  if (const auto counted = counts_.find(kind); counted != counts_.end()) {
    ++counted->second;
  } else if (counts_.size() < limits_.kinds) {
    counts_.emplace(kind, 1);
    kinds_.emplace_back(kind);
  }
  const Json body{first.value};
  if (kind == "str") {
    simdjson::dom::array pair;
    std::string_view name;
    std::int64_t number = 0;
    if (first.value.get(pair) == simdjson::SUCCESS && pair.at(0).get(name) == simdjson::SUCCESS &&
        pair.at(1).get(number) == simdjson::SUCCESS && names_.size() < kMostNames) {
      names_.insert_or_assign(number, std::string(name));
    }
    return {};
  }
  // "[0/1]", of compiled autograd "[!2/0/1]"; records that belong to no frame stand together.
  std::string id;
  if (record.at("frame_id")) id = fmt::format("{}/{}", record.number("frame_id"), record.number("frame_compile_id"));
  if (record.at("compiled_autograd_id")) id = fmt::format("!{}/{}", record.number("compiled_autograd_id"), id);
  const bool is_artifact = kind == "artifact";
  const std::string_view artifact = is_artifact ? body.text("name") : kind;
  const bool tells = is_graph_kind(kind) || kind == "dynamo_start" || kind == "compilation_metrics" ||
                     artifact == "dynamo_guards" || artifact == "dynamo_cpp_guards_str" || kind == "guard_added" ||
                     artifact == "dynamo_graph_break_reason" || artifact == "recompile_reasons";
  if (id.empty() && !tells) return {};
  Frame* const frame = frame_of(id);
  if (frame == nullptr) return {};
  if (kind == "dynamo_start") {
    simdjson::dom::array stack;
    if (body.value["stack"].get(stack) != simdjson::SUCCESS) return {};
    for (const element line : stack) {
      const StackLine told = stack_line(Json{line});
      frame->name = told.function;
      frame->place = told.place;
    }
  } else if (is_graph_kind(kind)) {
    const std::string_view name = kind == "graph_dump" ? body.text("name") : std::string_view();
    add_graph(*frame, name.empty() ? kind : name, payload);
  } else if (kind == "compilation_metrics") {
    add_metrics(*frame, body);
  } else if (artifact == "dynamo_guards") {
    add_guards(*frame, payload);
  } else if (artifact == "dynamo_cpp_guards_str") {
    add_guard_tree(*frame, payload);
  } else if (artifact == "dynamo_graph_break_reason") {
    add_break(*frame, payload);
  } else if (artifact == "recompile_reasons") {
    add_reasons(*frame, payload);
  } else if (kind == "guard_added") {
    Guard guard;
    guard.kind = "SHAPE_ENV";
    guard.text = cut(body.text("expr"));
    simdjson::dom::array stack;
    for (const char* key : {"stack", "user_stack"}) {
      if (body.value[key].get(stack) != simdjson::SUCCESS) continue;
      for (const element line : stack) guard.place = stack_line(Json{line}).place;
    }
    add_guard(*frame, std::move(guard));
  }
  return {};
}

void LogRecords::add_graph(Frame& frame, std::string_view stage, std::string_view code) {
  for (Graph& graph : read_graph_code(code, stage, files_)) {
    if (nodes_ + graph.nodes.size() > limits_.nodes) {
      graph.left_out += static_cast<std::uint32_t>(graph.nodes.size());
      graph.nodes.clear();
    }
    nodes_ += graph.nodes.size();
    frame.graphs.push_back(std::move(graph));
  }
}

void LogRecords::add_metrics(Frame& frame, const Json& metrics) {
  object fields;
  if (metrics.value.get(fields) != simdjson::SUCCESS) return;
  if (const std::string_view name = metrics.text("co_name"); !name.empty()) frame.name = cut(name);
  if (metrics.at("co_filename")) {
    frame.place = {file_of(metrics, "co_filename"), line_number(metrics.number("co_firstlineno"))};
  }
  bool has_code = true;
  if (metrics.value["has_guarded_code"].get(has_code) != simdjson::SUCCESS) has_code = true;
  frame.outcome = has_code ? "compiled" : "skipped";
  if (const std::string_view type = metrics.text("fail_type"); !type.empty()) {
    frame.outcome = "failed";
    Break made;
    made.action = BreakAction::SkipFrame;
    made.type = cut(type);
    made.explanation = cut(metrics.text("fail_reason"));
    const Place place{file_of(metrics, "fail_user_frame_filename"),
                      line_number(metrics.number("fail_user_frame_lineno"))};
    if (place.line > 0) made.stack.push_back({place, frame.name});
    frame.why = made.type;
    frame.breaks.push_back(std::move(made));
  }
  simdjson::dom::array reasons;
  if (metrics.value["restart_reasons"].get(reasons) == simdjson::SUCCESS) {
    for (const element one : reasons) {
      std::string_view reason;
      if (one.get(reason) != simdjson::SUCCESS) continue;
      // The log's own record of the break says more.
      if (!frame.breaks.empty()) continue;
      Break& made = frame.breaks.emplace_back();
      made.type = "traced again";
      made.explanation = cut(reason);
    }
  }
  for (const simdjson::dom::key_value_pair field : fields) {
    double number = 0;
    const bool is_number = field.value.is_number() && field.value.get(number) == simdjson::SUCCESS;
    if (field.key == "start_time" || field.key == "start_time_us" || field.key == "end_time_us") continue;
    const bool in_us = field.key.ends_with("_us");
    if (is_number && (in_us || field.key.ends_with("_s"))) {
      if (number <= 0 || !std::isfinite(number)) continue;
      frame.timings.push_back(
          {cut(field.key.substr(0, field.key.size() - (in_us ? 3 : 2))), in_us ? number / 1e6 : number});
    } else if (is_number || field.value.is_bool()) {
      frame.facts.emplace_back(cut(field.key), simdjson::minify(field.value));
    }
  }
  std::stable_sort(frame.timings.begin(), frame.timings.end(),
                   [](const Timing& a, const Timing& b) { return a.seconds > b.seconds; });
}

void LogRecords::add_guards(Frame& frame, std::string_view payload) {
  simdjson::dom::parser parser;
  simdjson::dom::array guards;
  if (parser.parse(payload.data(), payload.size(), true).get(guards) != simdjson::SUCCESS) return;
  frame.guards.clear();
  for (const element one : guards) {
    const Json told{one};
    Guard guard;
    guard.text = cut(told.text("code"));
    guard.kind = kind_of(guard.text);
    guard.of = source_in(guard.text);
    simdjson::dom::array stack;
    if (one["user_stack"].get(stack) == simdjson::SUCCESS) {
      for (const element line : stack) guard.place = stack_line(Json{line}).place;
    }
    add_guard(frame, std::move(guard));
  }
}

// "| | +- TENSOR_MATCH: check_tensor(…)  # model.py:12 in forward", below "+- GuardManager: source=L['x'], …".
void LogRecords::add_guard_tree(Frame& frame, std::string_view payload) {
  std::vector<Guard> before = std::move(frame.guards);
  frame.guards.clear();
  std::vector<std::pair<std::size_t, std::string>> managers;
  while (!payload.empty()) {
    const std::string_view line = next_line(payload);
    const std::size_t at = line.find("+- ");
    if (at == std::string_view::npos) continue;
    std::string_view rest = line.substr(at + 3);
    const std::size_t colon = rest.find(": ");
    const std::string_view kind = rest.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 2);
    while (!managers.empty() && managers.back().first >= at) managers.pop_back();
    if (kind.ends_with("Manager")) {
      constexpr std::string_view kSource = "source=";
      const std::size_t source = rest.find(kSource);
      std::string name;
      if (source != std::string_view::npos) {
        name = rest.substr(source + kSource.size());
        name = name.substr(0, name.find(", accessed_by="));
        name = name.substr(0, name.find(", type="));
      }
      managers.emplace_back(at, cut(name));
      continue;
    }
    Guard guard;
    guard.kind = cut(kind);
    if (!managers.empty()) guard.of = managers.back().second;
    const std::size_t remark = rest.rfind("  # ");
    guard.text = cut(without_spaces(rest.substr(0, remark)));
    if (remark != std::string_view::npos) {
      std::string_view where = without_spaces(rest.substr(remark + 4));
      // The program's line stands last: "… # _dynamo/guards.py:1 in f" of PyTorch, "# model.py:12 in forward" of it.
      const std::size_t in = where.rfind(" in ");
      const std::string_view file = where.substr(0, in);
      const std::size_t end = file.rfind(':');
      std::uint32_t number = 0;
      if (end != std::string_view::npos) {
        std::from_chars(file.data() + end + 1, file.data() + file.size(), number);
        const std::size_t blank = file.rfind(' ', end);
        const std::string_view name = file.substr(blank == std::string_view::npos ? 0 : blank + 1,
                                                  end - (blank == std::string_view::npos ? 0 : blank + 1));
        if (number > 0) guard.place = {files_.number(name), number};
        if (const std::string_view code =
                blank == std::string_view::npos ? std::string_view() : without_spaces(file.substr(0, blank));
            number > 0 && !code.empty()) {
          files_.add_line(guard.place, cut(code));
        }
      }
    }
    add_guard(frame, std::move(guard));
  }
  if (frame.guards.empty()) frame.guards = std::move(before);
}

void LogRecords::add_break(Frame& frame, std::string_view payload) {
  // What metrics or a restart said before is told here in full.
  std::erase_if(frame.breaks, [](const Break& one) { return one.type == "traced again"; });
  Break made;
  made.action = BreakAction::Split;
  std::string_view left = payload;
  while (!left.empty()) {
    const std::string_view line = without_spaces(next_line(left));
    const auto behind = [&](std::string_view mark, std::string& to) {
      const std::size_t at = line.find(mark);
      if (at == std::string_view::npos) return false;
      to = cut(without_spaces(line.substr(at + mark.size())));
      return true;
    };
    std::string hint;
    if (made.type.empty() && (behind("Graph Break Reason:", made.type) || behind("Reason:", made.type) ||
                              behind("Unsupported:", made.type))) {
      continue;
    }
    if (made.explanation.empty() && behind("Explanation:", made.explanation)) continue;
    if (behind("Hint:", hint)) {
      made.hints.push_back(std::move(hint));
      continue;
    }
    if (made.context.empty()) behind("Developer debug context:", made.context);
  }
  for (const TracebackLine& line : read_traceback(payload)) {
    const Place place{files_.number(line.file), line.line};
    made.stack.push_back({place, cut(line.function)});
    if (line.code.empty()) continue;
    made.code = cut(line.code);
    files_.add_line(place, made.code);
  }
  if (made.type.empty()) {
    std::string_view all = payload;
    made.type = cut(without_spaces(next_line(all)));
  }
  frame.breaks.push_back(std::move(made));
}

void LogRecords::add_reasons(Frame& frame, std::string_view payload) {
  simdjson::dom::parser parser;
  simdjson::dom::array reasons;
  if (parser.parse(payload.data(), payload.size(), true).get(reasons) != simdjson::SUCCESS) return;
  for (const element one : reasons) {
    std::string_view text;
    if (one.get(text) != simdjson::SUCCESS) continue;
    // "0/0: tensor 'L['x']' size mismatch at index 0".
    const std::size_t colon = text.find(": ");
    const bool has_id = colon != std::string_view::npos && text.find('/') < colon && colon < 16;
    frame.reasons.push_back(
        {has_id ? std::string(text.substr(0, colon)) : std::string(), cut(has_id ? text.substr(colon + 2) : text)});
  }
}

Capture LogRecords::take() {
  for (Frame& frame : capture_.frames) {
    if (!frame.name.empty()) continue;
    const bool is_export = !frame.graphs.empty() && frame.graphs[0].stage == "exported_program";
    frame.name = !frame.compile_id.empty() ? "?" : is_export ? "exported program" : "outside of any frame";
  }
  for (const std::string& kind : kinds_) {
    capture_.records.emplace_back(cut(kind), std::to_string(counts_.find(kind)->second));
  }
  capture_.files = files_.take();
  return std::move(capture_);
}

}  // namespace nns::capture
