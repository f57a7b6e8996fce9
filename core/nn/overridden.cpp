#include "core/nn/overridden.h"

#include <unordered_set>
#include <utility>

#include "core/nn/library.h"
#include "core/nn/traversal.h"
#include "core/object/iterator.h"
#include "core/object/operations.h"

namespace nns::nn {

namespace {

bool is_replaced(Module& self, std::string_view method) {
  return !NnLibrary::of(self.interpreter()).is_modules_own(self.type(), self.interpreter().intern(method));
}

template <class Wanted>
PyResult<std::vector<Ref<Wanted>>> collected(Module& self, std::string_view method) {
  Interpreter& in = self.interpreter();
  NNS_TRY_ASSIGN(const Value given, in.call_method(Value(&self), in.intern(method)));
  NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(in, given));
  std::vector<Ref<Wanted>> found;
  for (const Value& item : items) {
    auto* const one = item.as<Wanted>();
    if (one == nullptr) {
      return object::type_error(in, "{}() of {} gave an object of type {}", method, self.type().name(),
                                in.type_of(item).name());
    }
    found.emplace_back(one);
  }
  return found;
}

}  // namespace

PyResult<std::vector<Ref<Module>>> children_by_class(Module& self) {
  if (is_replaced(self, "children") || is_replaced(self, "named_children")) return collected<Module>(self, "children");
  NNS_TRY_ASSIGN(std::vector<NamedModule> named, self.named_children());
  std::vector<Ref<Module>> found;
  found.reserve(named.size());
  for (NamedModule& one : named) found.push_back(std::move(one.module));
  return found;
}

PyResult<std::vector<Ref<Tensor>>> parameters_by_class(Module& self) {
  for (const std::string_view method : {"parameters", "named_parameters", "named_modules"}) {
    if (is_replaced(self, method)) return collected<Tensor>(self, "parameters");
  }
  return self.parameters();
}

PyResult<void> apply_by_class(Module& self, const Module::Conversion& fn, std::optional<bool> recurse) {
  Interpreter& in = self.interpreter();
  const NnLibrary& library = NnLibrary::of(in);
  if (library.leaves_to_module(self.type(), NnLibrary::Way::Apply)) return self.convert(fn, recurse.value_or(true));
  std::vector<object::Keyword> keywords;
  if (recurse) keywords.push_back({in.intern("recurse"), Value(bool{*recurse})});
  const Value given = as_function(in, fn);
  NNS_TRY(in.call_method(Value(&self), library.names.apply_internal, {&given, 1}, keywords));
  return {};
}

PyResult<Value> seconds_of_own(Module& self, std::string_view method, std::span<const object::Keyword> keywords) {
  if (!is_replaced(self, method)) return Value::absent();
  Interpreter& in = self.interpreter();
  NNS_TRY_ASSIGN(const Value pairs, in.call_method(Value(&self), in.intern(method), {}, keywords));
  return seconds_of(in, pairs);
}

PyResult<Value> seconds_of(Interpreter& interpreter, const Value& pairs) {
  NNS_TRY_ASSIGN(const Value walk, object::iter(interpreter, pairs));
  return object::make_iterator(
      interpreter, {walk}, [&in = interpreter](std::span<const Value> kept) -> PyResult<Value> {
        NNS_TRY_ASSIGN(const Value item, object::next(in, kept[0]));
        if (item.is_absent()) return item;
        NNS_TRY_ASSIGN(const std::vector<Value> pair, object::to_vector(in, item));
        if (pair.size() == 2) return pair[1];
        return object::value_error(in, "not enough values to unpack (expected 2, got {})", pair.size());
      });
}

PyResult<Value> members_of_own_modules(Module& self, Registry registry, std::string_view prefix,
                                       bool remove_duplicate) {
  if (!is_replaced(self, "named_modules")) return Value::absent();
  Interpreter& in = self.interpreter();
  const object::Keyword keywords[] = {{in.intern("prefix"), in.text(prefix)},
                                      {in.intern("remove_duplicate"), Value(bool{remove_duplicate})}};
  NNS_TRY_ASSIGN(const Value given, in.call_method(Value(&self), in.intern("named_modules"), {}, keywords));
  NNS_TRY_ASSIGN(const std::vector<Value> rows, object::to_vector(in, given));
  std::vector<Value> found;
  std::unordered_set<const object::Object*> seen;
  for (const Value& row : rows) {
    NNS_TRY_ASSIGN(const std::vector<Value> pair, object::to_vector(in, row));
    Module* const module = pair.size() == 2 ? pair[1].as<Module>() : nullptr;
    if (module == nullptr) return object::type_error(in, "named_modules() of {} gave no module", self.type().name());
    NNS_TRY_ASSIGN(const std::string path, object::str(in, pair[0]));
    MemberWalk walk(*module, registry, path, false, remove_duplicate);
    while (true) {
      NNS_TRY_ASSIGN(const Value member, walk.next());
      if (member.is_absent()) break;
      if (remove_duplicate && !seen.insert(member.object()).second) continue;
      found.emplace_back(in.tuple({in.text(walk.name()), member}));
    }
  }
  return object::iter(in, in.list(std::move(found)));
}

Value as_function(Interpreter& interpreter, const Module::Conversion& fn) {
  return interpreter.function("convert(t)", [fn](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    Tensor* given = a[0].as<Tensor>();
    if (given == nullptr) return object::type_error(in, "convert() expected a Tensor, got {}", in.type_of(a[0]).name());
    NNS_TRY_ASSIGN(Ref<Tensor> made, fn(*given));
    return Value(made);
  });
}

}  // namespace nns::nn
