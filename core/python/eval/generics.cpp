// What type parameters are when a program runs: the module typing makes them.
#include "core/object/operations.h"
#include "core/python/eval/machine.h"

namespace nns::python {
namespace {

Value module_of(Machine& machine, Frame& frame) {
  const Value* name = frame.globals->find(machine.interpreter().names().dunder_name);
  return name == nullptr ? Value() : *name;
}

}  // namespace

PyResult<Value> Machine::type_parameter(Name name, std::uint32_t stars, const Value& bound) {
  NNS_TRY_ASSIGN(const Value forms, import_module("_typing_forms", 0, nullptr));
  return interpreter_.call_method(forms, interpreter_.intern("make_parameter"), {name.value(), Value(stars), bound});
}

PyResult<Value> Machine::type_alias(Frame& frame, Name name, const Value& evaluate, const Value& parameters) {
  NNS_TRY_ASSIGN(const Value typing, import_module("typing", 0, nullptr));
  return interpreter_.call_method(typing, interpreter_.intern("_make_alias"),
                                  {name.value(), evaluate, parameters, module_of(*this, frame)});
}

// The class has Generic[T] behind the bases that it names.
Value Machine::generic_class_builder(const Value& parameters) {
  return Value(interpreter_.function(
      "__build_class__(func, name, /, *bases, **kwds)",
      [parameters](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
        Machine& machine = Machine::of(in);
        NNS_TRY_ASSIGN(const Value module, machine.import_module("_typing_classes", 0, nullptr));
        NNS_TRY_ASSIGN(const Value base, in.call_method(module, in.intern("generic_base"), {parameters}));
        std::vector<Value> positional{a[0], a[1]};
        const auto bases = a[2].as<object::Tuple>()->items();
        positional.insert(positional.end(), bases.begin(), bases.end());
        positional.push_back(base);
        return machine.build_class(positional, object::keywords_of(in, *a[3].as<Dict>()));
      }));
}

}  // namespace nns::python
