#include "core/python/eval/machine.h"

#include <fmt/format.h>

#include <cstdio>

#include "core/object/instance.h"
#include "core/object/iterator.h"
#include "core/object/operations.h"
#include "core/python/eval/attributes.h"
#include "core/python/eval/coroutines.h"
#include "core/python/eval/exception_hooks.h"
#include "core/tensor/tensor.h"

namespace nns::python {

Machine& Machine::make(Interpreter& interpreter) {
  Machine& made = interpreter.extend(std::unique_ptr<Machine>(new Machine(interpreter)));
  made.make_classes();
  return made;
}

Machine::Machine(Interpreter& interpreter) : interpreter_(interpreter) {
#define NNS_NAME(id, text) names.id = interpreter.intern(text);
#include "core/python/eval/names.def"
#undef NNS_NAME
  builtins_ = interpreter.dict();
  modules_ = interpreter.dict();
  interpreter.finalizers().on_wait = [this] { look_at_ = 0; };
  interpreter.on_warning = [this](Interpreter::Warning& warning) { note_place(warning); };
  interpreter.finalizers().on_unraisable = [this](const PyError& error, std::string_view doing, const Value& subject) {
    tell_unraisable(*this, error, doing, subject);
  };
  streams.out = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (text.empty()) std::fflush(stdout);  // what flush() writes
  };
  streams.open_file = [](const std::string&) { return FileRefusal{2, "No such file or directory"}; };
  streams.create_file = [](const std::string&, WriteMode) {
    return FileRefusal{13, "this program may write no files"};
  };
  streams.error = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); };
}

void Machine::add_quick_call(const Value& function, QuickCall quick) {
  std::size_t at = quick_place(*function.object());
  while (quick_calls_[at].run != nullptr) at = (at + 1) % kQuickCalls;
  quick_calls_[at] = {function, quick};
}

void Machine::set_memory_limit(std::uint64_t bytes, std::function<std::uint64_t()> in_use) {
  limits.memory = bytes;
  memory_in_use = std::move(in_use);
  // Between two looks a program may take a few hundred things: that much it may have too many.
  constexpr std::uint64_t kBetweenLooks = 0xFF;
  look_around_ = kBetweenLooks;
  look_at_statements();
  tensor::TensorLibrary::of(interpreter_).has_room = [this](std::uint64_t more) {
    return more <= limits.memory && memory_in_use() <= limits.memory - more;
  };
}

PyResult<void> Machine::check_memory() {
  if (!memory_in_use || memory_in_use() <= limits.memory) return {};
  if (nested_runs_ <= 1) interpreter_.collector().collect();
  const std::uint64_t held = memory_in_use();
  if (held <= limits.memory) return {};
  return object::make_error(
      interpreter_, object::ErrorKind::MemoryError,
      fmt::format("the program was stopped: {} MB are held, and {} are allowed", held >> 20U, limits.memory >> 20U));
}

void Machine::make_classes() {
  Interpreter& in = interpreter_;
  plain_getattribute_ = in.builtins().object->lookup(in.names().dunder_getattribute)->object();
  plain_setattr_ = in.builtins().object->lookup(in.names().dunder_setattr)->object();
  plain_new_ = in.builtins().object->lookup(in.names().dunder_new)->object();
  range_iterator_ = &object::iterator_class(in, object::IteratorKind::Range);
  list_iterator_ = &object::iterator_class(in, object::IteratorKind::List);
  tuple_iterator_ = &object::iterator_class(in, object::IteratorKind::Tuple);
  const auto bare = [&in](std::string_view name) {
    Class& cls = in.define_class({.name = name, .module = "builtins"});
    return &cls;
  };
  classes.cell = bare("cell");
  classes.code = bare("code");
  classes.traceback = bare("traceback");
  classes.frame = bare("frame");
  classes.generator = bare("generator");
  classes.generator->finalizes_instances();
  classes.coroutine = bare("coroutine");
  classes.coroutine_body = bare("coroutine_wrapper");
  classes.coroutine_body->finalizes_instances();
  classes.async_generator = bare("async_generator");
  classes.async_generator->finalizes_instances();
  classes.async_step = bare("async_generator_asend");
  classes.yielded_value = bare("async_generator_wrapped_value");
  classes.super = bare("super");
  classes.unraisable = &in.define_class({.name = "UnraisableHookArgs", .module = "sys"});
  classes.module =
      &in.define_class({.name = "module", .module = "builtins", .make_instance = [](Class& cls) -> Ref<object::Object> {
                          return object::make<ModuleObject>(cls);
                        }});
  add_function_attributes(*this);
  add_generator_methods(*this);
  add_coroutine_methods(*this);
  add_module_attributes(*this);
  add_super_methods(*this);
  add_exception_attributes(*this);
}

}  // namespace nns::python
