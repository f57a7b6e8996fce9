// How what the core warns of reaches the program's warnings.
#include <fmt/format.h>

#include "core/object/operations.h"
#include "core/python/eval/machine.h"

namespace nns::python {
namespace {

// Behaviour: CPython Python/_warnings.c, setup_context without a frame.
constexpr std::string_view kNowhere = "sys";

// Behaviour: CPython Python/_warnings.c, show_warning: what is written where module warnings cannot be had.
void write_plainly(Machine& machine, const object::List& warnings) {
  for (const Value& one : warnings.items()) {
    const object::Tuple& parts = *one.as<object::Tuple>();
    const auto text = [&](std::size_t i) { return parts[i].as<object::Str>()->view(); };
    machine.streams.error(
        fmt::format("{}:{}: {}: {}\n", text(2), parts[3].as_int(), parts[0].as<Class>()->name(), text(1)));
  }
}

}  // namespace

void Machine::note_place(Interpreter::Warning& warning) {
  look_at_ = 0;
  if (!interpreter_.has_warnings()) warned_at_ = frame_ == nullptr ? nullptr : frame_->next;
  if (frame_ == nullptr) return;
  const Code& code = *frame_->code;
  warning.file = code.tree->source().name();
  // A frame that is compiled instead stands before its first instruction.
  const bool has_begun = frame_->next != code.instructions.data();
  warning.line = has_begun ? code.line_of(frame_->instruction()) : code.first_line();
  const Value* const name = frame_->globals->find(interpreter_.names().dunder_name);
  const auto* const text = name == nullptr ? nullptr : name->as<object::Str>();
  warning.module = text == nullptr ? "<string>" : text->view();
}

Value Machine::take_warnings() {
  Interpreter& in = interpreter_;
  std::vector<Value> all;
  for (const Interpreter::Warning& warning : in.take_warnings()) {
    const bool has_place = !warning.file.empty();
    Class& category = in.builtins().exception(warning.category);
    all.emplace_back(
        in.tuple({Value(static_cast<object::Object*>(&category)), in.text(warning.text),
                  in.text(has_place ? std::string_view(warning.file) : kNowhere), Value(has_place ? warning.line : 1U),
                  in.text(has_place ? std::string_view(warning.module) : kNowhere)}));
  }
  return Value(in.list(std::move(all)));
}

PyResult<void> Machine::pass_on_waiting() {
  Interpreter& in = interpreter_;
  const Value waiting = take_warnings();
  look_at_statements();
  const Instruction* const at = std::exchange(warned_at_, nullptr);
  // How a warning is shown is nothing to compile.
  FrameCompiler* const compiling = std::exchange(frame_compiler, nullptr);
  const PyResult<Value> told = [&]() -> PyResult<Value> {
    const PyResult<Value> module = import_module("warnings", 0, nullptr);
    if (!module.ok() && !module.error().is(object::ErrorKind::ImportError)) return module.error();
    Value show = Value::absent();
    if (module.ok()) {
      NNS_TRY_ASSIGN(show, object::getattr_or_absent(in, *module, in.intern("_show_of_core")));
    }
    if (!show.is_absent()) return in.call(show, {waiting});
    write_plainly(*this, *waiting.as<object::List>());
    return Value();
  }();
  frame_compiler = compiling;
  if (told.ok()) return {};
  if (told.error().is(object::ErrorKind::Warning)) {
    // Its traceback begins where the program was, not in module warnings.
    told.error().exception().set_traceback(Value());
    if (frame_ != nullptr) {
      const std::vector<Instruction>& all = frame_->code->instructions;
      if (at > all.data() && at <= all.data() + all.size()) frame_->next = at;
    }
  }
  return told.error();
}

}  // namespace nns::python
