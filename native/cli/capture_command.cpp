#include "native/cli/capture_command.h"
#include "core/session/exported_programs.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>

#include "core/dynamo/engine.h"
#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/python/eval/run.h"
#include "native/cli/capture_file.h"
#include "native/cli/exit_status.h"
#include "native/cli/json_writer.h"
#include "native/cli/program_world.h"
#include "native/cli/recorded_text.h"
#include "native/cli/terminal.h"

namespace nns::cli {
namespace {

using dynamo::Node;

// Keys that are ids of modules become m0, m1, ... in the order in which they are seen.
class ModuleNumbers {
 public:
  std::string key(const dynamo::StackEntry& entry) {
    if (entry.module_id == 0) return entry.key;
    const auto [found, is_new] = numbers_.try_emplace(entry.module_id, numbers_.size());
    return fmt::format("m{}{}", found->second, entry.key);
  }

 private:
  std::map<std::uint64_t, std::size_t> numbers_;
};

void texts(JsonWriter& out, const std::vector<std::string>& lines) {
  out.begin_list();
  for (const std::string& line : lines) out.text(line);
  out.end_list();
}

void write_node(JsonWriter& out, object::Interpreter& in, const Node& node, ModuleNumbers& numbers) {
  out.begin_object();
  out.key("op");
  out.text(node.op_name());
  out.key("name");
  out.text(node.name);
  out.key("target");
  out.text(node.target);
  out.key("args");
  out.begin_list();
  for (const dynamo::Argument& argument : node.args) out.text(dynamo::argument_text(in, argument));
  out.end_list();
  if (!node.kwargs.empty()) {
    out.key("kwargs");
    out.begin_object();
    for (const auto& [name, argument] : node.kwargs) {
      out.key(name);
      out.text(dynamo::argument_text(in, argument));
    }
    out.end_object();
  }
  out.key("users");
  out.number(static_cast<std::uint64_t>(node.users));
  out.key("nn_module_stack");
  out.begin_list();
  for (const dynamo::StackEntry& entry : node.stack()) {
    out.begin_list();
    out.text(numbers.key(entry));
    out.text(entry.name);
    out.text(entry.class_name);
    out.end_list();
  }
  out.end_list();
  if (node.source != nullptr) {
    out.key("source");
    out.text(node.source->name());
  }
  // The graph that an operator runs is told where the graph around names it.
  if (node.body != nullptr) {
    out.key("attr");
    out.text("GraphModule");
    out.key("body");
    out.begin_list();
    for (const Node* const inner : node.body->ordered()) write_node(out, in, *inner, numbers);
    out.end_list();
  }
  out.end_object();
}

// What every record begins with: where it was made.
void begin_record(JsonWriter& out, const std::string& frame, const std::string& compile_id) {
  out.begin_object();
  out.key("frame");
  out.text(frame);
  out.key("compile_id");
  out.text(compile_id);
}

void write_reason(JsonWriter& out, const dynamo::BreakReason& reason) {
  out.key("gb_type");
  out.text(reason.type);
  out.key("explanation");
  out.text(reason.explanation);
  out.key("hints");
  texts(out, reason.hints);
  out.key("context");
  out.text(reason.context);
}

void write_breaks(JsonWriter& out, const dynamo::Report& report) {
  out.key("breaks");
  out.begin_list(true);
  for (const dynamo::BreakRecord& record : report.breaks) {
    constexpr std::string_view kActions[] = {"split", "stop", "skip frame"};
    begin_record(out, record.frame, record.compile_id);
    out.key("action");
    out.text(kActions[static_cast<std::size_t>(record.action)]);
    out.key("during");
    out.text(dynamo::during_text(record.action, record.reason));
    write_reason(out, record.reason);
    out.key("line");
    out.number(static_cast<std::uint64_t>(record.reason.line()));
    out.key("code");
    out.text(record.reason.code);
    out.key("stack");
    out.begin_list();
    for (const auto& [name, line] : record.reason.stack) {
      out.begin_list();
      out.text(name);
      out.number(static_cast<std::uint64_t>(line));
      out.end_list();
    }
    out.end_list();
    if (!record.then.empty()) {
      out.key("then");
      out.begin_list();
      for (const dynamo::BreakReason& reason : record.then) {
        out.begin_object();
        write_reason(out, reason);
        out.end_object();
      }
      out.end_list();
    }
    out.end_object();
  }
  out.end_list();
}

using State = dynamo::PlanRecord::State;
constexpr std::string_view kPlanStates[] = {"never run", "run too seldom", "used", "slower", "nothing to fuse"};

bool is_measured(const dynamo::PlanRecord& plan) { return plan.state == State::Used || plan.state == State::Slower; }

// What backend="nnscope" made of each graph. Units: bytes, seconds.
void write_plans(JsonWriter& out, const dynamo::Report& report) {
  out.key("plans");
  out.begin_list(true);
  for (const auto& plan : report.plans) {
    begin_record(out, plan->frame, plan->compile_id);
    out.key("state");
    out.text(kPlanStates[static_cast<std::size_t>(plan->state)]);
    const auto count = [&](std::string_view key, std::uint64_t number) {
      out.key(key);
      out.number(number);
    };
    count("ops", plan->ops);
    count("chains", plan->chains);
    count("fused_ops", plan->fused_ops);
    count("eager_bytes", plan->eager_bytes);
    count("planned_bytes", plan->planned_bytes);
    const auto seconds = [&](std::string_view key, double number) {
      out.key(key);
      out.number(number);
    };
    seconds("making_seconds", plan->making);
    if (is_measured(*plan)) {
      seconds("eager_seconds", plan->eager);
      seconds("planned_seconds", plan->planned);
      seconds("speed_up", plan->eager / plan->planned);
    }
    out.end_object();
  }
  out.end_list();
}

void write_report(JsonWriter& out, object::Interpreter& in, const dynamo::Report& report) {
  ModuleNumbers numbers;
  out.key("graphs");
  out.begin_list(true);
  for (const dynamo::GraphRecord& record : report.graphs) {
    begin_record(out, record.frame, record.compile_id);
    out.key("graph_break");
    out.boolean(record.is_broken);
    if (record.resumes_line > 0) {
      out.key("resumes_line");
      out.number(static_cast<std::uint64_t>(record.resumes_line));
    }
    out.key("nodes");
    out.begin_list();
    for (const Node* node : record.graph->ordered()) write_node(out, in, *node, numbers);
    out.end_list();
    out.end_object();
  }
  out.end_list();
  write_breaks(out, report);
  out.key("guards");
  out.begin_list(true);
  for (const dynamo::GuardRecord& record : report.guards) {
    begin_record(out, record.frame, record.compile_id);
    out.key("installed");
    out.begin_list();
    for (const auto& row : record.installed) {
      out.begin_list();
      for (const std::string& part : row) out.text(part);
      out.end_list();
    }
    out.end_list();
    out.end_object();
  }
  out.end_list();
  out.key("recompiles");
  out.begin_list(true);
  for (const dynamo::RecompileRecord& record : report.recompiles) {
    begin_record(out, record.frame, record.compile_id);
    out.key("reasons");
    out.begin_list();
    for (const auto& reason : record.reasons) {
      out.begin_object();
      out.key("of");
      out.text(reason.of);
      out.key("guard");
      out.text(reason.guard);
      out.end_object();
    }
    out.end_list();
    out.end_object();
  }
  out.end_list();
  out.key("frames");
  out.begin_list(true);
  for (const dynamo::FrameRecord& record : report.frames) {
    begin_record(out, record.frame, record.compile_id);
    out.key("outcome");
    out.text(record.outcome);
    if (!record.why.empty()) {
      out.key("why");
      out.text(record.why);
    }
    out.end_object();
  }
  out.end_list();
  out.key("modules");
  out.begin_list(true);
  for (const auto& row : report.modules) {
    out.begin_list();
    for (const std::string& part : row) {
      if (part.empty()) {
        out.null();
      } else {
        out.text(part);
      }
    }
    out.end_list();
  }
  out.end_list();
  out.key("restarts");
  out.begin_list();
  for (const auto& row : report.restarts) texts(out, {row[0], row[1]});
  out.end_list();
  if (!report.plans.empty()) write_plans(out, report);
}

void print_plans(const dynamo::Report& report) {
  for (const auto& plan : report.plans) {
    fmt::print("plan of {} [{}]: {} of {} ops in {} chains, made in {:.3f} ms\n", plan->frame, plan->compile_id,
               plan->fused_ops, plan->ops, plan->chains, plan->making * 1e3);
    fmt::print("  values: {} bytes at once instead of {}\n", plan->planned_bytes, plan->eager_bytes);
    if (is_measured(*plan)) {
      fmt::print("  {:.3f} ms instead of {:.3f} ms: {:.2f} times as fast{}\n", plan->planned * 1e3, plan->eager * 1e3,
                 plan->eager / plan->planned, plan->state == State::Used ? "" : ", so it is not used");
    } else {
      fmt::print("  not measured: {}\n", kPlanStates[static_cast<std::size_t>(plan->state)]);
    }
  }
}

void print_report(object::Interpreter& in, const dynamo::Report& report) {
  for (const dynamo::GraphRecord& record : report.graphs) {
    fmt::print("graph of {} [{}]{}\n", record.frame, record.compile_id, record.is_broken ? ", ends at a break" : "");
    for (const Node* node : record.graph->ordered()) {
      std::string args;
      for (const dynamo::Argument& argument : node->args)
        args += (args.empty() ? "" : ", ") + dynamo::argument_text(in, argument);
      for (const auto& [name, argument] : node->kwargs)
        args += fmt::format(", {}={}", name, dynamo::argument_text(in, argument));
      fmt::print("  {:<13} {:<24} {}({})\n", node->op_name(), node->name, node->target, args);
    }
  }
  for (const dynamo::BreakRecord& record : report.breaks) {
    constexpr std::string_view kActions[] = {"the frame is split", "the rest runs plainly", "the frame runs plainly"};
    fmt::print("break in {} [{}], line {}: {} ({})\n", record.frame, record.compile_id, record.reason.line(),
               record.reason.type, kActions[static_cast<std::size_t>(record.action)]);
    fmt::print("  {}\n", record.reason.code);
  }
  for (const dynamo::GuardRecord& record : report.guards) {
    fmt::print("guards of {} [{}]\n", record.frame, record.compile_id);
    for (const auto& row : record.installed) fmt::print("  {:<28} {}\n", row[0], row[1]);
  }
  for (const dynamo::RecompileRecord& record : report.recompiles) {
    fmt::print("recompiled {} [{}]\n", record.frame, record.compile_id);
    for (const auto& reason : record.reasons) fmt::print("  not [{}]: {}\n", reason.of, reason.guard);
  }
  print_plans(report);
}

bool set_option(dynamo::Config& config, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return false;
  const std::string_view whole = text;
  return dynamo::set_flag_as_text(config, whole.substr(0, equals), whole.substr(equals + 1));
}

}  // namespace

int run_capture(const CaptureOptions& options) {
  if (is_capture_file(options.run.file)) return print_capture_file(options.run.file, options.json);
  std::optional<std::string> text = read_program(options.run.file);
  if (!text) return kBadInput;
  object::Interpreter interpreter;
  python::Machine& machine = python::Machine::of(interpreter);
  open_world(machine, options.run);
  const std::optional<python::ProgramOptions> asked = program_options(options.run, *text);
  if (!asked) return kBadInput;
  give_options(machine, *asked);
  dynamo::Engine& engine = dynamo::Engine::of(machine);
  engine.record_all();
  for (const std::string& one : options.config) {
    if (!set_option(engine.config(), one)) {
      print_error(
          fmt::format("--config={}: not name=true or name=false of a setting that decides how frames are traced", one));
      return kBadInput;
    }
  }
  std::string printed;
  if (options.json) machine.streams.out = [&printed](std::string_view part) { printed += part; };
  const object::PyResult<object::Value> done =
      python::run_program(machine, options.run.file, *std::move(text),
                          std::filesystem::absolute(options.run.file).lexically_normal().string());
  python::end_program(machine);
  const bool has_failed = !done.ok() && !done.error().is(object::ErrorKind::SystemExit);
  if (!options.json) {
    std::fflush(stdout);
    print_report(interpreter, engine.report());
    print_frames(session::exported_programs(engine));
    if (has_failed) fmt::print(stderr, "{}", python::traceback_text(machine, done.error()));
    return has_failed ? kFound : kFine;
  }
  JsonWriter out(stdout, RecordedText(options.run.file));
  out.begin_object();
  write_report(out, interpreter, engine.report());
  out.key("exported_programs");
  write_frames(out, session::exported_programs(engine));
  out.key("stdout");
  out.text(printed);
  out.key("error");
  if (has_failed) {
    const object::Class& cls = done.error().exception().type();
    out.begin_object();
    out.key("type");
    out.text(cls.module() == "builtins" || cls.module() == "__main__" ? std::string(cls.name()) : cls.full_name());
    out.key("message");
    out.text(done.error().message());
    out.end_object();
  } else {
    out.null();
  }
  out.end_object();
  out.newline();
  return has_failed ? kFound : kFine;
}

}  // namespace nns::cli
