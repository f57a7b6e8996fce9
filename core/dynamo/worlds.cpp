// What ops give on examples, in each world of Symbols, and which symbols must be constants for it.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"

namespace nns::dynamo {

using tensor::Tensor;

namespace {

const Value* variant(const Node& node, std::size_t world) {
  const bool is_there = world > 0 && world <= node.variants.size() && !node.variants[world - 1].is_absent();
  return is_there ? &node.variants[world - 1] : nullptr;
}

enum class Difference : std::uint8_t { Same, Other, Unknown };

Difference difference(const Argument& argument, std::size_t world) {
  Difference found = Difference::Same;
  if (argument.node != nullptr) {
    if (const Value* other = variant(*argument.node, world))
      found = other->is_none() ? Difference::Unknown : Difference::Other;
  }
  for (const Argument& item : argument.items) found = std::max(found, difference(item, world));
  return found;
}

/// Whether it is the same but for the sizes of tensors; `has_same_sizes`: even these.
bool is_alike(Interpreter& in, const Value& a, const Value& b, bool has_same_sizes) {
  const auto* x = a.as<Tensor>();
  const auto* y = b.as<Tensor>();
  if (x != nullptr || y != nullptr) {
    if (x == nullptr || y == nullptr || x->ndim() != y->ndim() || x->dtype() != y->dtype()) return false;
    return !has_same_sizes || x->shape() == y->shape();
  }
  const auto items_of = [](const Value& value) -> std::optional<std::span<const Value>> {
    if (const auto* tuple = value.as<object::Tuple>()) return tuple->items();
    if (const auto* list = value.as<object::List>()) return std::span<const Value>(list->items());
    return std::nullopt;
  };
  const auto some = items_of(a), others = items_of(b);
  if (!some || !others) {
    const PyResult<bool> same = object::equal(in, a, b);
    return some.has_value() == others.has_value() && same.ok() && same.value();
  }
  if (some->size() != others->size()) return false;
  for (std::size_t i = 0; i < some->size(); ++i) {
    if (!is_alike(in, (*some)[i], (*others)[i], has_same_sizes)) return false;
  }
  return true;
}

/// The tensors of a value, of its containers, too, in order.
void tensors_of(const Value& value, std::vector<const Tensor*>& found) {
  if (const auto* one = value.as<Tensor>()) found.push_back(one);
  if (const auto* tuple = value.as<object::Tuple>()) {
    for (const Value& item : tuple->items()) tensors_of(item, found);
  }
  if (const auto* list = value.as<object::List>()) {
    for (const Value& item : list->items()) tensors_of(item, found);
  }
}

}  // namespace

Value Translator::value_in(const Node& node, std::size_t world) {
  if (const Value* other = variant(node, world)) return *other;
  if (node.example) return Value(node.example);
  return node.hint.is_absent() ? node.callee : node.hint;
}

Value Translator::fake_value(const Argument& argument, std::size_t world) {
  const auto items = [&] {
    std::vector<Value> made;
    for (const Argument& item : argument.items) made.push_back(fake_value(item, world));
    return made;
  };
  switch (argument.kind) {
    case Argument::Kind::Node:
      return value_in(*argument.node, world);
    case Argument::Kind::Constant:
      return argument.constant;
    case Argument::Kind::Tuple:
      return in_.tuple(items());
    case Argument::Kind::List:
      return in_.list(items());
    case Argument::Kind::Dict: {
      const Ref<Dict> dict = in_.dict();
      for (std::size_t i = 0; i < argument.items.size(); ++i)
        dict->set(argument.keys[i], fake_value(argument.items[i], world));
      return dict;
    }
    case Argument::Kind::Slice:
      return object::make<object::Slice>(in_, fake_value(argument.items[0], world),
                                         fake_value(argument.items[1], world), fake_value(argument.items[2], world));
  }
  return {};
}

std::vector<std::optional<std::int64_t>> Translator::sizes_in_worlds(
    const std::function<std::optional<std::int64_t>(const Tensor&)>& read, const Node& node) {
  std::vector<std::optional<std::int64_t>> sizes;
  for (std::size_t world = 0; world < symbols_.world_count(); ++world) {
    const Value value = value_in(node, world);
    const auto* one = value.as<Tensor>();
    sizes.push_back(one == nullptr ? std::nullopt : read(*one));
  }
  return sizes;
}

// Makes constants of symbols: the frame is traced again, and they are none then.
void Translator::hold(const std::vector<std::size_t>& symbols) {
  if (has_failed()) return;
  for (const std::size_t index : symbols) {
    const Symbol& symbol = symbols_.all()[index];
    if (symbol.kind == Symbol::Kind::OfValues) {
      unsupported("Data-dependent number", "",
                  fmt::format("The value of `{}` is known only when the graph runs, but tracing on needs it now.",
                              symbol.node->name),
                  {hints::kFundamental});
      return;
    }
  }
  // Sizes that an op wants equal (those of a batch and of its labels) are tried as one symbol first.
  bool is_joined = false;
  for (std::size_t i = 1; i < symbols.size(); ++i) {
    const Symbol& symbol = symbols_.all()[symbols[i]];
    for (std::size_t k = 0; k < i && symbol.kind == Symbol::Kind::Size; ++k) {
      const Symbol& other = symbols_.all()[symbols[k]];
      if (other.kind != Symbol::Kind::Size || other.hint.as_int() != symbol.hint.as_int()) continue;
      speculation_.same[symbol.source->name()] = other.source->name();
      is_joined = true;
      break;
    }
  }
  if (is_joined) {
    failure_.kind = Failure::Kind::Restart;
    return;
  }
  for (const std::size_t index : symbols) {
    if (!symbols_.all()[index].is_demanded) continue;
    failure_.kind = Failure::Kind::Error;
    failure_.error = engine_.constraint_violation(symbols_.all()[index]);
    return;
  }
  for (const std::size_t index : symbols) speculation_.held.insert(symbols_.all()[index].source->name());
  failure_.kind = Failure::Kind::Restart;
}

std::vector<std::size_t> Translator::symbols_of(const Node& node) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < symbols_.all().size(); ++i) {
    for (std::size_t k = 0; k < Symbols::kOwn; ++k) {
      if (variant(node, Symbols::own_world(i) + k) == nullptr) continue;
      found.push_back(i);
      break;
    }
  }
  return found;
}

PyResult<Translator::Worlds> Translator::run_on_fakes(const std::vector<Argument>& positional,
                                                      const NamedArguments& named, const FakeRun& run) {
  const auto once = [&](std::size_t world) {
    std::vector<Value> fakes;
    fakes.reserve(positional.size());
    for (const Argument& argument : positional) fakes.push_back(fake_value(argument, world));
    std::vector<object::Keyword> keywords;
    for (const auto& [name, argument] : named) keywords.push_back({in_.intern(name), fake_value(argument, world)});
    return run(fakes, keywords);
  };
  NNS_TRY_ASSIGN(Value first, once(0));
  Worlds results = {first};
  if (symbols_.all().empty()) return results;
  const auto differs = [&](std::size_t world) {
    Difference found = Difference::Same;
    for (const Argument& argument : positional) found = std::max(found, difference(argument, world));
    for (const auto& [name, argument] : named) found = std::max(found, difference(argument, world));
    return found;
  };
  std::vector<std::size_t> depends;
  for (std::size_t i = 0; i < symbols_.all().size(); ++i) {
    bool is_moved = false;
    for (std::size_t k = 0; k < Symbols::kOwn; ++k)
      is_moved = is_moved || differs(Symbols::own_world(i) + k) != Difference::Same;
    if (is_moved) depends.push_back(i);
  }
  if (depends.empty()) return results;
  std::vector<std::size_t> failed;
  bool fails_elsewhere = false, fails_far = false;
  for (std::size_t world = 1; world < symbols_.world_count(); ++world) {
    results.push_back(Value::absent());
    const Difference how = differs(world);
    if (how == Difference::Same) continue;
    const std::optional<std::size_t> owner = Symbols::owner(world);
    const bool is_possible = std::all_of(depends.begin(), depends.end(), [&](std::size_t symbol) {
      return (owner && *owner != symbol) || symbols_.is_possible(symbol, world);
    });
    results.back() = Value();
    if (how == Difference::Unknown || !is_possible) continue;
    // How large a tensor is may follow from integers that are told, from nothing else.
    const bool has_same_sizes =
        owner && (symbols_.all()[*owner].kind == Symbol::Kind::OfValues || !symbols_.all()[*owner].hint.is_int());
    PyResult<Value> result = once(world);
    if (result.ok() && is_alike(in_, first, result.value(), has_same_sizes)) {
      results.back() = std::move(result).value();
      continue;
    }
    if (world == Symbols::kFar)
      fails_far = true;
    else if (owner)
      failed.push_back(*owner);
    else
      fails_elsewhere = true;
  }
  std::sort(failed.begin(), failed.end());
  failed.erase(std::unique(failed.begin(), failed.end()), failed.end());
  if (!failed.empty() || fails_elsewhere) {
    hold(failed.empty() ? depends : failed);
    return results;
  }
  if (fails_far || is_cut_far(results)) {
    results[Symbols::kFar] = Value();
    bound(depends);
  }
  return results;
}

// Whether a size follows from the symbols nearby, and is another one far away: it is the smaller of two.
bool Translator::is_cut_far(const Worlds& results) const {
  std::vector<std::vector<const Tensor*>> tensors(results.size());
  for (std::size_t world = 0; world < results.size(); ++world)
    tensors_of(results[world].is_absent() ? results[0] : results[world], tensors[world]);
  if (tensors[Symbols::kFar].empty()) return false;
  for (std::size_t i = 0; i < tensors[0].size(); ++i) {
    for (std::size_t dim = 0; dim < tensors[0][i]->ndim(); ++dim) {
      std::vector<std::optional<std::int64_t>> sizes;
      for (const auto& one : tensors)
        sizes.push_back(i < one.size() ? std::optional(one[i]->shape()[dim]) : std::nullopt);
      const bool is_same = std::all_of(sizes.begin(), sizes.end(), [&](const auto& one) { return one == sizes[0]; });
      if (is_same || symbols_.fit(sizes)) continue;
      sizes[Symbols::kFar] = std::nullopt;
      if (symbols_.fit(sizes)) return true;
    }
  }
  return false;
}

// What holds in the worlds nearby is not held to be true further away.
void Translator::bound(const std::vector<std::size_t>& symbols) {
  if (has_exact_bounds_) return;
  for (const std::size_t index : symbols) {
    Symbol& symbol = symbols_.all()[index];
    if (!symbol.hint.is_int() || symbol.kind == Symbol::Kind::OfValues) continue;
    const std::int64_t most = symbols_.value(index, Symbols::own_world(index) + 1).as_int();
    symbol.upper = std::min(symbol.upper, most);
  }
}

}  // namespace nns::dynamo
