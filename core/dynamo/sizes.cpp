// Sizes of tensors that are no constants: symbols for arguments whose sizes change, and what programs ask of them.
// Behaviour: torch/_dynamo/variables/builder.py, wrap_to_fake_tensor_and_record; torch/_dynamo/pgo.py;
// torch/fx/experimental/symbolic_shapes.py, ShapeEnv.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/dynamo/engine.h"
#include "core/object/operations.h"
#include "core/tensor/dtype_abbreviation.h"

namespace nns::dynamo {

using tensor::Dims;
using tensor::Tensor;

namespace {

/// The dimensions, the densest first.
std::vector<std::size_t> by_stride(const Tensor& tensor) {
  std::vector<std::size_t> order(tensor.ndim());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(tensor.strides()[a], b) < std::pair(tensor.strides()[b], a);
  });
  return order;
}

/// A stride is that of a denser dimension times its size where such a one is, else a number of its own.
std::vector<StrideRule> stride_rules(const Tensor& tensor) {
  std::vector<StrideRule> rules(tensor.ndim());
  const std::vector<std::size_t> order = by_stride(tensor);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t stride = tensor.strides()[order[i]];
    StrideRule& rule = rules[order[i]];
    for (std::size_t k = 0; stride > 1 && k < i && !rule.inner; ++k) {
      if (tensor.strides()[order[k]] * tensor.shape()[order[k]] == stride) rule.inner = order[k];
    }
    if (!rule.inner) rule.number = stride;
  }
  return rules;
}

/// What torch._dynamo.mark_dynamic and its siblings wrote down on a tensor.
bool is_marked(Interpreter& in, Tensor& tensor, std::string_view attribute, std::size_t dimension) {
  Dict* const own = tensor.instance_dict(false);
  const Value* const marks = own == nullptr ? nullptr : own->find(in.intern(attribute));
  if (marks == nullptr) return false;
  const PyResult<bool> holds = object::contains(in, *marks, Value(static_cast<std::int64_t>(dimension)));
  return holds.ok() && holds.value();
}

}  // namespace

// The range that mark_dynamic() was given for a size.
void Translator::limit_marked(Symbol& symbol, Tensor& tensor, std::size_t dimension) {
  Dict* const own = tensor.instance_dict(false);
  const Value* const ranges = own == nullptr ? nullptr : own->find(in_.intern("_dynamo_dynamic_range"));
  auto* const dict = ranges == nullptr ? nullptr : ranges->as<Dict>();
  const Value* const found = dict == nullptr ? nullptr : dict->find(Value(static_cast<std::int64_t>(dimension)));
  const auto* const pair = found == nullptr ? nullptr : found->as<object::Tuple>();
  if (pair == nullptr || pair->size() != 2) return;
  const std::int64_t hint = symbol.hint.as_int();
  if ((*pair)[0].is_int() && (*pair)[0].as_int() <= hint) symbol.lower = std::max(symbol.lower, (*pair)[0].as_int());
  if ((*pair)[1].is_int() && (*pair)[1].as_int() >= hint) symbol.upper = std::min(symbol.upper, (*pair)[1].as_int());
}

std::string Translator::symbol_name(const Source& source) {
  const auto digest = [&]() -> PyResult<std::string> {
    NNS_TRY_ASSIGN(const Value module, machine_.import_module("hashlib", 0, nullptr));
    NNS_TRY_ASSIGN(const Value bytes, in_.call_method(in_.text(source.name()), in_.intern("encode")));
    NNS_TRY_ASSIGN(const Value hash, in_.call_method(module, in_.intern("sha256"), {bytes}));
    NNS_TRY_ASSIGN(const Value text, in_.call_method(hash, in_.intern("hexdigest")));
    return std::string(text.as<object::Str>()->view());
  }();
  int number = 0;
  for (const char c : digest.ok() ? digest.value() : std::string())
    number = (number * 16 + (c <= '9' ? c - '0' : c - 'a' + 10)) % 100;
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(symbols_.all().begin(), symbols_.all().end(),
                       [&](const Symbol& one) { return one.name == name; });
  };
  while (is_taken(fmt::format("s{}", number))) ++number;
  return fmt::format("s{}", number);
}

std::size_t Translator::add_symbol(Symbol symbol) {
  if (symbol.source != nullptr && symbol.expression == nullptr) {
    auto expression = std::make_shared<Expression>();
    expression->source = symbol.source;
    expression->text = without_locals(symbol.source->name());
    expression->symbols = symbol.name;
    symbol.expression = std::move(expression);
  }
  Node& node = *symbol.node;
  const std::size_t index = symbols_.add(std::move(symbol));
  node.hint = symbols_.all()[index].hint;
  node.variants.resize(symbols_.world_count() - 1, Value::absent());
  for (std::size_t world = 1; world < symbols_.world_count(); ++world) {
    const bool differs = world <= Symbols::kJoint || Symbols::owner(world) == index;
    if (!differs) continue;
    node.variants[world - 1] = symbols_.is_possible(index, world) ? symbols_.value(index, world) : Value();
  }
  return index;
}

Variable* Translator::number_of_symbol(std::size_t index) {
  const auto [found, is_new] = symbol_numbers_.try_emplace(index, nullptr);
  if (is_new) {
    const Symbol& symbol = symbols_.all()[index];
    found->second = number_of(*symbol.node, symbol.hint, symbol.expression);
    found->second->source = symbol.source;
  }
  return found->second;
}

// Which sizes and strides of an argument are no constants.
FreeDimensions Translator::free_dimensions(Tensor& tensor, const Source* source) {
  FreeDimensions free;
  const bool may_be = source != nullptr && start_.seen != nullptr && !source->is_from_module() &&
                      !tensor.is_parameter() && !engine_.is_export() && engine_.dynamic() != std::optional(false) &&
                      !start_.seen->are_sizes_constant;
  if (!may_be) return free;
  for (std::vector<bool>* flags : {&free.sizes, &free.strides, &free.is_demanded, &free.is_duck})
    flags->assign(tensor.ndim(), false);
  SeenTensor& seen = start_.seen->tensors[source->name()];
  const std::vector<StrideRule> rules = stride_rules(tensor);
  if (seen.is_first) {
    seen = {.shape = tensor.shape(), .strides = rules, .is_first = false};
    seen.size_varies.assign(tensor.ndim(), false);
    seen.stride_varies.assign(tensor.ndim(), false);
  } else if (seen.shape.size() != tensor.ndim()) {
    // Of tensors with other numbers of dimensions nothing is known to stay.
    seen.shape = tensor.shape();
    seen.strides = rules;
    seen.size_varies.assign(tensor.ndim(), true);
    seen.stride_varies.assign(tensor.ndim(), false);
  }
  for (std::size_t dim = 0; dim < tensor.ndim(); ++dim) {
    if (seen.shape[dim] != tensor.shape()[dim]) seen.size_varies[dim] = true;
    if (seen.strides[dim] != rules[dim]) seen.stride_varies[dim] = true;
    const bool all_vary = engine_.dynamic() == std::optional(true) || !config_.assume_static_by_default;
    const bool varies = seen.size_varies[dim] && config_.automatic_dynamic_shapes;
    const bool is_marked_dynamic = is_marked(in_, tensor, "_dynamo_dynamic_indices", dim);
    bool is_free =
        all_vary || varies || is_marked_dynamic || is_marked(in_, tensor, "_dynamo_weak_dynamic_indices", dim);
    is_free = is_free && !is_marked(in_, tensor, "_dynamo_static_indices", dim) && tensor.shape()[dim] > 1;
    free.sizes[dim] = is_free && !speculation_.held.contains(sources_->tensor_size(source, dim)->name());
    free.was_free = free.was_free || is_free;
    free.is_demanded[dim] = is_marked_dynamic && is_free;
    free.is_duck[dim] = is_free && !varies && !is_marked_dynamic;
    free.strides[dim] = seen.stride_varies[dim] && config_.automatic_dynamic_shapes && tensor.strides()[dim] > 1 &&
                        !speculation_.held.contains(sources_->tensor_stride(source, dim)->name());
  }
  free.rules = rules;
  return free;
}

std::size_t Translator::dimension_symbol(Symbol::Kind kind, const Source* source, std::int64_t hint, bool is_demanded,
                                         bool is_duck) {
  // Sizes that are equal are one symbol from the beginning, or once an op asks for it. Behaviour: ShapeEnv, duck_shape.
  const auto leader = speculation_.same.find(source->name());
  for (std::size_t i = 0; i < symbols_.all().size(); ++i) {
    const Symbol& known = symbols_.all()[i];
    if (known.kind != Symbol::Kind::Size || kind != Symbol::Kind::Size || known.hint.as_int() != hint) continue;
    const bool is_same = leader != speculation_.same.end() && leader->second == known.source->name();
    if (!is_same && (!is_duck || !known.is_duck)) continue;
    auto same = std::make_shared<Expression>();
    auto read = std::make_shared<Expression>();
    read->source = source;
    read->text = without_locals(source->name());
    same->function = engine_.operator_function("eq");
    same->operands = {read, known.expression};
    same->text = fmt::format("{} == {}", read->text, known.expression->text);
    guard_expression(same, Value(true));
    return i;
  }
  Symbol symbol{.kind = kind, .name = symbol_name(*source), .source = source, .hint = Value(hint)};
  symbol.is_demanded = is_demanded;
  symbol.is_duck = is_duck;
  symbol.node = &compiled_->graph->add_placeholder(symbol.name);
  symbol.node->source = source;
  symbol.node->callee = Value(hint);
  symbol.node->module_stack = stack_now();
  symbol.node->type_text = fmt::format("SymInt({})", symbol.name);
  locate(*symbol.node);
  return add_symbol(std::move(symbol));
}

// Makes symbols for the sizes of an argument that are no constants, before its own placeholder. The facts that its
// guard holds to leave them out.
std::vector<std::optional<std::size_t>> Translator::name_sizes(Tensor& tensor, const Source* source, TensorFacts& facts,
                                                               FreeDimensions& free) {
  const auto none = [](const std::vector<bool>& all) { return std::find(all.begin(), all.end(), true) == all.end(); };
  if (none(free.sizes) && none(free.strides)) return {};
  const std::size_t count = tensor.ndim();
  std::vector<std::optional<std::size_t>> symbols(2 * count);
  for (std::size_t dim = 0; dim < count; ++dim) {
    if (!free.sizes[dim]) continue;
    symbols[dim] = dimension_symbol(Symbol::Kind::Size, sources_->tensor_size(source, dim), tensor.shape()[dim],
                                    free.is_demanded[dim], free.is_duck[dim]);
    if (free.is_demanded[dim]) limit_marked(symbols_.all()[*symbols[dim]], tensor, dim);
  }
  facts.is_free_size = free.sizes;
  facts.is_free_stride.assign(count, false);
  free.stride_from.assign(count, std::nullopt);
  for (const std::size_t dim : by_stride(tensor)) {
    if (free.strides[dim]) {
      symbols[count + dim] = dimension_symbol(Symbol::Kind::Stride, sources_->tensor_stride(source, dim),
                                              tensor.strides()[dim], false, false);
      facts.is_free_stride[dim] = true;
    } else if (const auto inner = free.rules[dim].inner;
               inner && (free.sizes[*inner] || facts.is_free_stride[*inner])) {
      free.stride_from[dim] = inner;
      facts.is_free_stride[dim] = true;
    }
  }
  return symbols;
}

// The example in each world, and the guards that hold strides to sizes.
void Translator::size_example(Node& node, Tensor& tensor, const Source* source, const FreeDimensions& free,
                              const std::vector<std::optional<std::size_t>>& symbols) {
  const std::size_t count = tensor.ndim();
  for (const auto& one : symbols) {
    if (one && symbols_.all()[*one].source->base == source) symbols_.all()[*one].node->size_of = &node;
  }
  node.variants.assign(symbols_.world_count() - 1, Value::absent());
  const auto of_symbol = [&](std::optional<std::size_t> symbol, std::int64_t hint, std::size_t world) {
    return symbol ? symbols_.value(*symbol, world).as_int() : hint;
  };
  for (std::size_t world = 1; world < symbols_.world_count(); ++world) {
    Dims shape = tensor.shape(), strides = tensor.strides();
    for (std::size_t dim = 0; dim < count; ++dim) {
      shape[dim] = of_symbol(symbols[dim], shape[dim], world);
      strides[dim] = of_symbol(symbols[count + dim], strides[dim], world);
    }
    // Those that follow from others, the denser ones first.
    for (std::size_t round = 0; round < count; ++round) {
      for (std::size_t dim = 0; dim < count; ++dim) {
        if (const auto inner = free.stride_from[dim]) strides[dim] = strides[*inner] * shape[*inner];
      }
    }
    if (shape == tensor.shape() && strides == tensor.strides()) continue;
    const bool is_possible = std::all_of(symbols.begin(), symbols.end(), [&](const auto& one) {
      const auto owner = Symbols::owner(world);
      return !one || (owner && *owner != *one) || symbols_.is_possible(*one, world);
    });
    node.variants[world - 1] = is_possible ? Value(engine_.fake_of(tensor, shape, strides)) : Value();
  }
  for (std::size_t dim = 0; dim < count; ++dim) {
    if (!free.stride_from[dim]) continue;
    const std::size_t inner = *free.stride_from[dim];
    const auto reading = [&](const Source* one) {
      auto made = std::make_shared<Expression>();
      made->source = one;
      made->text = without_locals(one->name());
      return made;
    };
    std::shared_ptr<Expression> product = reading(sources_->tensor_size(source, inner));
    if (tensor.strides()[inner] != 1) {
      auto whole = std::make_shared<Expression>();
      whole->function = engine_.operator_function("mul");
      whole->operands = {product, reading(sources_->tensor_stride(source, inner))};
      whole->text = fmt::format("{}*{}", whole->operands[0]->text, whole->operands[1]->text);
      product = std::move(whole);
    }
    auto same = std::make_shared<Expression>();
    same->function = engine_.operator_function("eq");
    same->operands = {reading(sources_->tensor_stride(source, dim)), product};
    same->text = fmt::format("{} == {}", same->operands[0]->text, product->text);
    guard_expression(same, Value(true));
  }
  node.type_text = type_text(node);
}

std::shared_ptr<const Expression> Translator::expression_of(const Polynomial& polynomial) {
  const auto number = [](std::int64_t value) {
    auto made = std::make_shared<Expression>();
    made->constant = Value(value);
    made->text = made->symbols = std::to_string(value);
    return made;
  };
  const auto combined = [&](const char* name, std::string_view sign, const std::shared_ptr<const Expression>& a,
                            const std::shared_ptr<const Expression>& b, bool braces) {
    auto made = std::make_shared<Expression>();
    made->function = engine_.operator_function(name);
    made->operands = {a, b};
    made->text = braces ? fmt::format("({}){}{}", a->text, sign, b->text) : a->text + std::string(sign) + b->text;
    made->symbols =
        braces ? fmt::format("({}){}{}", a->symbols, sign, b->symbols) : a->symbols + std::string(sign) + b->symbols;
    return made;
  };
  std::shared_ptr<const Expression> sum;
  for (const Polynomial::Term& term : polynomial.terms) {
    std::vector<std::size_t> factors = term.symbols;
    std::sort(factors.begin(), factors.end(),
              [&](std::size_t a, std::size_t b) { return symbols_.all()[a].name < symbols_.all()[b].name; });
    std::shared_ptr<const Expression> product;
    const bool is_negative = term.factor < 0 && sum != nullptr;
    const std::int64_t factor = is_negative ? -term.factor : term.factor;
    if (factors.empty() || factor != 1) product = number(factor);
    for (const std::size_t one : factors) {
      const auto& symbol = symbols_.all()[one].expression;
      product = product == nullptr ? symbol : combined("mul", "*", product, symbol, false);
    }
    if (sum == nullptr)
      sum = product;
    else
      sum = is_negative ? combined("sub", " - ", sum, product, false) : combined("add", " + ", sum, product, false);
  }
  if (sum == nullptr) sum = number(0);
  if (polynomial.divisor == 1) return sum;
  return combined("floordiv", "//", sum, number(polynomial.divisor), true);
}

// "f32[s77, 3]".
std::string Translator::type_text(const Node& node) {
  std::vector<std::string> sizes;
  for (std::size_t dim = 0; dim < node.example->ndim(); ++dim) {
    const auto polynomial = symbols_.fit(sizes_in_worlds([&](const Tensor& one) { return one.shape()[dim]; }, node));
    sizes.push_back(polynomial ? expression_of(*polynomial)->symbols : "?");
  }
  return fmt::format("{}[{}]", tensor::dtype_abbreviation(node.example->dtype()), fmt::join(sizes, ", "));
}

Variable* Translator::size_of(Variable* self, std::size_t dimension) {
  return measure(
      self, "size", [&](const Tensor& one) { return one.shape()[dimension]; }, static_cast<std::int64_t>(dimension));
}

// A number that follows from the sizes of a tensor; `argument`: what the method of that name is called with.
Variable* Translator::measure(Variable* self, const char* method,
                              const std::function<std::optional<std::int64_t>(const Tensor&)>& read,
                              std::optional<std::int64_t> argument) {
  const Node& node = *self->node;
  const std::optional<std::int64_t> now = read(*node.example);
  const auto sizes = sizes_in_worlds(read, node);
  note_size_read(self);
  const auto differs = [&](const auto& one) { return one && one != now; };
  const auto claim = [&](Value expected, std::shared_ptr<const Expression> expression) {
    std::vector<Value> arguments;
    if (argument) arguments.emplace_back(*argument);
    compiled_->claims.add({&node, method, std::move(arguments), std::move(expected), std::move(expression)});
  };
  if (std::none_of(sizes.begin(), sizes.end(), differs)) {
    claim(Value(*now), nullptr);
    return constant(Value(*now));
  }
  const auto key = std::make_tuple(&node, std::string_view(method), argument.value_or(-1));
  if (const auto known = measured_.find(key); known != measured_.end()) return known->second;
  const std::optional<Polynomial> polynomial = symbols_.fit(sizes);
  if (!polynomial) {
    hold(symbols_.dependencies(sizes));
    return nullptr;
  }
  const auto& terms = polynomial->terms;
  const bool is_symbol =
      polynomial->divisor == 1 && terms.size() == 1 && terms[0].factor == 1 && terms[0].symbols.size() == 1;
  if (is_symbol) {
    claim(Value::absent(), symbols_.all()[terms[0].symbols[0]].expression);
    return measured_[key] = number_of_symbol(terms[0].symbols[0]);
  }
  Argument tensor_argument;
  if (!as_argument(self, tensor_argument)) return nullptr;
  std::shared_ptr<const Expression> expression = expression_of(*polynomial);
  claim(Value::absent(), expression);
  Node& made = add_node(Node::Op::CallMethod, method, method);
  made.args.push_back(std::move(tensor_argument));
  if (argument) made.args.push_back(constant_argument(Value(*argument)));
  for (std::size_t world = 1; world < sizes.size(); ++world)
    made.variants.push_back(sizes[world] ? Value(*sizes[world]) : Value());
  return measured_[key] = number_of(made, Value(*now), std::move(expression));
}

// A program looked at sizes that change.
void Translator::note_size_read(Variable* self) {
  if (self->source != nullptr && self->has_free_sizes) guard_type(self->source, self->value);
}

Variable* Translator::shape_of(Variable* self) {
  const auto& fake = self->node->example;
  if (self->node->variants.empty()) {
    note_size_read(self);
    compiled_->claims.add({self->node, "size", {}, tensor::size_value(in_, fake->shape())});
    return constant(tensor::size_value(in_, fake->shape()));
  }
  std::vector<Variable*> sizes;
  for (std::size_t dim = 0; dim < fake->ndim(); ++dim) {
    NNS_VARIABLE(one, size_of(self, dim));
    sizes.push_back(one);
  }
  const bool is_constant = std::all_of(sizes.begin(), sizes.end(), [](Variable* one) { return one->is_constant(); });
  if (is_constant) return constant(tensor::size_value(in_, fake->shape()));
  Variable* made = tuple(std::move(sizes));
  made->cls = &in_.type_of(tensor::size_value(in_, fake->shape()));
  return made;
}

Variable* Translator::size_query(Variable* self, std::string_view name, Arguments args, Keywords keywords) {
  const auto& fake = self->node->example;
  if (name == "size" && args.empty() && keywords.empty()) return shape_of(self);
  std::vector<Value> positional;
  std::vector<object::Keyword> named;
  if (!constant_arguments(args, keywords, positional, named))
    return has_failed() ? nullptr : unsupported_builtin(name, args, !keywords.empty());
  if (name == "size" && named.size() == 1) {
    positional.push_back(named[0].value);
    named.clear();
  }
  const auto ask = [&](const Value& one) { return in_.call_method(one, in_.intern(name), positional, named); };
  const PyResult<Value> now = ask(Value(fake));
  if (!now.ok()) return raise(now.error());
  note_size_read(self);
  if (self->node->variants.empty()) {
    if (named.empty()) compiled_->claims.add({self->node, std::string(name), positional, now.value()});
    return constant(now.value());
  }
  if (name == "size" && positional.size() == 1 && positional[0].is_int()) {
    const std::int64_t at = positional[0].as_int();
    return size_of(self, static_cast<std::size_t>(at < 0 ? at + static_cast<std::int64_t>(fake->ndim()) : at));
  }
  if (name == "__len__") return size_of(self, 0);
  if (name == "numel" || name == "nelement")
    return measure(
        self, "numel", [](const Tensor& one) { return one.numel(); }, std::nullopt);
  // Of what else follows from sizes no formula is kept.
  for (std::size_t world = 1; world < symbols_.world_count(); ++world) {
    const Value other = value_in(*self->node, world);
    if (other.as<Tensor>() == nullptr) continue;
    const PyResult<Value> there = ask(other);
    const PyResult<bool> same = there.ok() ? object::equal(in_, now.value(), there.value()) : PyResult<bool>(false);
    if (same.ok() && same.value()) continue;
    hold(symbols_of(*self->node));
    return nullptr;
  }
  if (named.empty()) compiled_->claims.add({self->node, std::string(name), positional, now.value()});
  return constant(now.value());
}

}  // namespace nns::dynamo
