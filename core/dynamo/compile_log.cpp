// What is told while frames are compiled, and the tree of guards as text.
#include "core/dynamo/compile_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/object/operations.h"

namespace nns::dynamo {

namespace {

constexpr std::string_view kNames[] = {
#define NNS_TOLD(id, name) name,
#include "core/dynamo/told.def"
#undef NNS_TOLD
};

// "outer.<locals>.inner" as the tracer writes it: "outer.inner".
std::string without_scopes(std::string name) {
  constexpr std::string_view kScope = "<locals>.";
  for (std::size_t at = 0; (at = name.find(kScope, at)) != std::string::npos;) name.erase(at, kScope.size());
  return name;
}

Value number(std::size_t value) { return Value(static_cast<std::int64_t>(value)); }

// How a step of the way is taken. Behaviour: torch/csrc/dynamo/guards.cpp, the classes of GuardAccessor.
std::string accessor_text(Interpreter& in, const Source& source, const Value& base) {
  switch (source.kind) {
    case SourceKind::Local:
      return fmt::format("FrameLocalsGuardAccessor(key='{}')", source.text.view());
    case SourceKind::Global:
      return fmt::format("DictGetItemGuardAccessor('{}')", source.text.view());
    case SourceKind::Attr:
    case SourceKind::GenericAttr:
      return source.is_in_dict
                 ? fmt::format("GetGenericDictGuardAccessor, DictGetItemGuardAccessor('{}')", source.text.view())
                 : fmt::format("GetAttrGuardAccessor({})", source.text.view());
    case SourceKind::GetItem:
    case SourceKind::DictGetItem: {
      const std::string_view of = base.as<object::List>() != nullptr    ? "List"
                                  : base.as<object::Tuple>() != nullptr ? "Tuple"
                                  : base.as<Dict>() != nullptr          ? "Dict"
                                                                        : "";
      return fmt::format("{}GetItemGuardAccessor({})", of, repr_of(in, source.key));
    }
    case SourceKind::DictKey:
    case SourceKind::DictValueAt:
      return fmt::format("{}Manager(index={})", source.kind == SourceKind::DictKey ? "Key" : "Value", source.index);
    case SourceKind::Default:
      return fmt::format("FuncDefaultsGuardAccessor({})", source.index);
    case SourceKind::KeywordDefault:
      return fmt::format("FuncKwDefaultsGuardAccessor('{}')", source.text.view());
    case SourceKind::Cell:
      return fmt::format("ClosureGuardAccessor({})", source.index);
    case SourceKind::Type:
      return "TypeGuardAccessor";
    case SourceKind::ClassAttr:
      return fmt::format("TypeMROGuardAccessor({}), DictGetItemGuardAccessor('{}')", source.index, source.text.view());
    case SourceKind::TensorSize:
    case SourceKind::TensorStride:
      return fmt::format("TensorPropertyGuardAccessor<{}>({})",
                         source.kind == SourceKind::TensorSize ? "size" : "stride", source.index);
    case SourceKind::ParamBuffer:
      return fmt::format("GetGenericDictGuardAccessor, DictGetItemGuardAccessor('{}')", source.text.view());
    default:
      return "LambdaGuardAccessor";
  }
}

struct TreeNode {
  std::string head;
  std::vector<const Guard*> guards;
  std::vector<std::size_t> inside;
};

}  // namespace

PyResult<void> CompileLog::listen(Value listener, const Value& kinds) {
  NNS_TRY_ASSIGN(const std::vector<Value> names, object::to_vector(machine_.interpreter(), kinds));
  wanted_ = 0;
  for (const Value& name : names) {
    const auto* text = name.as<object::Str>();
    for (std::size_t i = 0; text != nullptr && i < std::size(kNames); ++i) {
      if (kNames[i] == text->view()) wanted_ |= 1U << i;
    }
  }
  listener_ = std::move(listener);
  if (listener_.is_none()) wanted_ = 0;
  return {};
}

void CompileLog::begin(std::string_view compile_id, int attempt, const python::Code& code) {
  if (wanted_ == 0) return;
  code_ = &code;
  trace_id_ = attempt == 0 ? std::string(compile_id) : fmt::format("{}_{}", compile_id, attempt);
}

Value CompileLog::text(std::string_view text) const { return machine_.interpreter().text(text); }

void CompileLog::tell(Told kind, std::vector<Value> what) {
  what.insert(what.begin(), {text(kNames[static_cast<std::size_t>(kind)]), text(trace_id_)});
  static_cast<void>(machine_.interpreter().call(listener_, what));
}

void CompileLog::tell_start(const std::string& function, std::string_view file, std::uint32_t line) {
  if (wants(Told::Start)) tell(Told::Start, {text(function), text(file), number(line)});
}

void CompileLog::tell_done(const std::string& function, std::string_view how) {
  if (wants(Told::Done)) tell(Told::Done, {text(function), text(how)});
}

void CompileLog::tell_line(const python::Code& code, std::uint32_t line, std::size_t depth) {
  if (!wants(Told::Line)) return;
  tell(Told::Line, {text(code.tree->source().name()), number(line), text(code.name),
                    text(without_scopes(code.qualified_name)), number(depth), text(code.tree->source().line(line))});
}

void CompileLog::tell_call(const std::string& node, const python::Code& code, std::uint32_t instruction,
                           std::size_t depth) {
  if (!wants(Told::Call)) return;
  const python::Source& source = code.tree->source();
  const std::uint32_t line = code.line_of(instruction);
  const std::string_view whole = source.line(line);
  // What goes on in further lines is marked to the end of the first.
  const auto line_begin = static_cast<std::size_t>(whole.data() - source.text().data());
  const std::size_t begin = code.spans[instruction].begin - line_begin;
  const std::size_t end = std::min<std::size_t>(code.spans[instruction].end - line_begin, whole.size());
  tell(Told::Call, {text(node), text(source.name()), number(line), text(code.name),
                    text(without_scopes(code.qualified_name)), number(depth), text(whole), number(begin), number(end)});
}

Value CompileLog::frames_above() const {
  std::vector<Value> rows;
  Interpreter& in = machine_.interpreter();
  for (const python::Frame* frame = machine_.frame(); frame != nullptr; frame = frame->back) {
    const python::Source& source = frame->code->tree->source();
    // What of torch is Python stands between torch.compile's wrapper and the program.
    if (std::string_view(source.name()).starts_with("<torch.")) continue;
    if (frame == machine_.frame() && frame->code == code_) continue;
    const std::uint32_t line = frame->code->line_of(frame->instruction());
    rows.insert(rows.begin(), Value(in.tuple({text(source.name()), number(line), text(frame->code->name),
                                              text(line_text(*frame->code, line))})));
  }
  return Value(in.list(std::move(rows)));
}

void CompileLog::tell_break(BreakAction action, const BreakReason& reason, const std::vector<BreakReason>& then) {
  if (!wants(Told::Break)) return;
  Interpreter& in = machine_.interpreter();
  std::vector<Value> texts{text(break_text(reason))};
  for (const BreakReason& one : then) texts.push_back(text(break_text(one)));
  std::vector<Value> frames;
  for (std::size_t i = 0; i < reason.stack.size(); ++i) {
    const auto& [function, line] = reason.stack[i];
    frames.emplace_back(in.tuple({text(i < reason.files.size() ? reason.files[i] : std::string()), number(line),
                                  text(function), text(i < reason.lines.size() ? reason.lines[i] : std::string())}));
  }
  tell(Told::Break, {text(during_text(action, reason)), Value(in.list(std::move(texts))), frames_above(),
                     Value(in.list(std::move(frames)))});
}

void CompileLog::tell_graph(const Value& graph_module) {
  if (wants(Told::Graph)) tell(Told::Graph, {graph_module});
}

void CompileLog::tell_backend(const Value& backend, bool is_done) {
  if (wants(Told::Backend)) tell(Told::Backend, {backend, Value(is_done)});
}

void CompileLog::tell_guards(const GuardSet& guards, Scope scope, std::size_t source_count) {
  if (!wants(Told::Guards)) return;
  Interpreter& in = machine_.interpreter();
  SourceReader reader(in, scope, source_count);
  std::map<std::string, std::size_t, std::less<>> known;
  std::vector<TreeNode> nodes(1);
  const auto add = [&](const std::string& name, std::size_t above, std::string head) {
    const auto [found, is_new] = known.emplace(name, nodes.size());
    if (is_new) {
      nodes[above].inside.push_back(nodes.size());
      nodes.push_back({std::move(head), {}, {}});
    }
    return found->second;
  };
  const auto type_text = [&](const Value& value) {
    return value.is_absent() ? std::string("?") : object::class_repr(in.type_of(value));
  };
  for (const Guard& guard : guards.all()) {
    if (guard.is_silent) continue;
    if (guard.source == nullptr || guard.kind == GuardKind::ShapeEnv) {
      nodes[0].guards.push_back(&guard);
      continue;
    }
    std::vector<const Source*> way;
    for (const Source* step = &guard.source->bare(); step != nullptr;
         step = step->base == nullptr ? nullptr : &step->base->bare())
      way.insert(way.begin(), step);
    std::size_t at = 0;
    Value base = Value::absent();
    for (const Source* step : way) {
      if (step->base == nullptr && step->kind == SourceKind::Global)
        at = add("G", 0, "GuardManager: source=G, accessed_by=GlobalsGuardAccessor, type=<class 'dict'>");
      const Value value = reader.read(*step);
      at = add(step->name(), at,
               fmt::format("GuardManager: source={}, accessed_by={}, type={}", step->name(),
                           accessor_text(in, *step, base), type_text(value)));
      base = value;
    }
    nodes[at].guards.push_back(&guard);
  }
  std::vector<Value> rows;
  const auto row = [&](std::size_t depth, const std::string& shown, const Guard* guard) {
    const python::Code* code = guard == nullptr ? nullptr : guard->asked_by.get();
    rows.emplace_back(in.tuple({number(depth), text(shown), text(code == nullptr ? "" : code->tree->source().name()),
                                number(guard == nullptr ? 0 : guard->line), text(code == nullptr ? "" : code->name),
                                text(code == nullptr ? std::string() : line_text(*code, guard->line))}));
  };
  const auto show = [&](const auto& self, std::size_t at, std::size_t depth) -> void {
    for (const Guard* guard : nodes[at].guards) {
      const Value value = guard->source == nullptr ? Value::absent() : reader.read(*guard->source);
      row(depth, fmt::format("{}: {}", guard->kind_text(in), condition_text(in, *guard, value)), guard);
    }
    for (const std::size_t one : nodes[at].inside) {
      row(depth, nodes[one].head, nullptr);
      self(self, one, depth + 1);
    }
  };
  row(1, "GLOBAL_STATE: ___check_global_state()", nullptr);
  show(show, 0, 1);
  tell(Told::Guards, {Value(in.list(std::move(rows)))});
}

void CompileLog::tell_recompile(std::string_view compile_id, const std::string& function, std::string_view file,
                                std::uint32_t line, const std::vector<RecompileRecord::Reason>& reasons) {
  if (!wants(Told::Recompile)) return;
  trace_id_ = compile_id;
  Interpreter& in = machine_.interpreter();
  std::vector<Value> rows;
  for (const auto& reason : reasons) rows.emplace_back(in.tuple({text(reason.of), text(reason.guard)}));
  tell(Told::Recompile, {text(function), text(file), number(line), Value(in.list(std::move(rows)))});
}

void CompileLog::tell_limit(std::string_view compile_id, const std::string& function, std::string_view file,
                            std::uint32_t line, std::int64_t limit, const RecompileRecord::Reason& last) {
  // With the module its listener comes.
  if (listener_.is_none() && !machine_.import_module("torch._logging", 0, nullptr).ok()) return;
  if (!wants(Told::Limit)) return;
  trace_id_ = compile_id;
  tell(Told::Limit, {text(function), text(file), number(line), Value(limit), text(last.of), text(last.guard)});
}

}  // namespace nns::dynamo
