// Whether what tracing took of shapes holds for sizes that a compiled frame has not run with before.
#include "core/dynamo/size_claims.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "core/dynamo/engine.h"
#include "core/object/operations.h"
#include "core/ops/op.h"

namespace nns::dynamo {

using tensor::Tensor;

namespace {

/// The nodes' values on tensors without contents. Absent: it is not known.
class FakeRun {
 public:
  FakeRun(Engine& engine, SourceReader& reader) : engine_(engine), in_(engine.interpreter()), reader_(reader) {}

  void run(Graph& graph) {
    for (const Node& node : graph.all()) values_[&node] = value_of(node);
  }
  Value operator[](const Node& node) const {
    const auto found = values_.find(&node);
    return found == values_.end() ? Value::absent() : found->second;
  }

 private:
  Value value_of(const Node& node) {
    if (node.op == Node::Op::Placeholder) return node.source == nullptr ? Value::absent() : of_input(node);
    if (node.op == Node::Op::GetAttr) return fake(node.callee);
    if (node.op == Node::Op::Output) return Value::absent();
    is_known_ = true;
    std::vector<Value> positional;
    for (const Argument& argument : node.args) positional.push_back(argument_of(argument));
    std::vector<object::Keyword> keywords;
    for (const auto& [name, argument] : node.kwargs) keywords.push_back({in_.intern(name), argument_of(argument)});
    if (!is_known_) return Value::absent();
    PyResult<Value> result = [&]() -> PyResult<Value> {
      if (node.op == Node::Op::CallModule) return engine_.run_fake_module(node.callee, positional, keywords);
      if (node.op == Node::Op::CallFunction) return engine_.run_fake(node.callee, positional, keywords);
      if (node.target == "to" || node.target == "cpu") return engine_.run_fake_to(positional, keywords);
      return engine_.run_fake_method(positional[0], in_.intern(node.target), std::span(positional).subspan(1),
                                     keywords);
    }();
    // What needs the values of tensors tells nothing of shapes.
    return result.ok() ? std::move(result).value() : Value::absent();
  }

  Value of_input(const Node& node) {
    const Value value = reader_.read(*node.source);
    if (!node.is_wrapped_number || !value.is_float()) return fake(value);
    const Ref<Tensor> wrapped = tensor::empty(in_, {}, tensor::DType::Float64);
    const double number = value.as_float();
    std::memcpy(wrapped->data(), &number, sizeof number);
    return Value(wrapped);
  }

  Value fake(const Value& value) const {
    auto* const real = value.is_absent() ? nullptr : value.as<Tensor>();
    return real == nullptr ? value : Value(engine_.fake_of(*real, real->shape(), real->strides()));
  }

  Value argument_of(const Argument& argument) {
    std::vector<Value> items;
    for (const Argument& item : argument.items) items.push_back(argument_of(item));
    switch (argument.kind) {
      case Argument::Kind::Node: {
        const Value value = (*this)[*argument.node];
        is_known_ = is_known_ && !value.is_absent();
        return value.is_absent() ? Value() : value;
      }
      case Argument::Kind::Constant:
        return fake(argument.constant);
      case Argument::Kind::Tuple:
        return in_.tuple(std::move(items));
      case Argument::Kind::List:
        return in_.list(std::move(items));
      case Argument::Kind::Dict: {
        const Ref<Dict> dict = in_.dict();
        for (std::size_t i = 0; i < items.size(); ++i) dict->set(argument.keys[i], items[i]);
        return dict;
      }
      case Argument::Kind::Slice:
        return object::make<object::Slice>(in_, items[0], items[1], items[2]);
    }
    return {};
  }

  Engine& engine_;
  Interpreter& in_;
  SourceReader& reader_;
  std::unordered_map<const Node*, Value> values_;
  bool is_known_ = true;
};

std::vector<std::int64_t> numbers_of(const SizeClaims& claims, SourceReader& reader) {
  std::vector<std::int64_t> numbers;
  for (const Source* source : claims.symbols) {
    const Value value = reader.read(*source);
    std::int64_t number = value.is_int() ? value.as_int() : 0;
    if (value.is_float()) {
      const double real = value.as_float();
      std::memcpy(&number, &real, sizeof number);
    }
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

bool Engine::claims_hold(CompiledFrame& compiled, Scope scope) {
  SizeClaims& claims = compiled.claims;
  if (!claims.needs_check()) return true;
  SourceReader reader(in_, scope, compiled.sources->size());
  std::vector<std::int64_t> numbers = numbers_of(claims, reader);
  if (claims.held.contains(numbers)) return true;
  if (claims.refuted.contains(numbers)) return false;
  python::FrameCompiler* const compiler = std::exchange(machine_.frame_compiler, nullptr);
  const tensor::Generator generator = tensor::TensorLibrary::of(in_).generator;
  const ops::GradModeGuard no_grad(in_, false);
  FakeRun values(*this, reader);
  values.run(*compiled.graph);
  const bool holds = std::all_of(claims.all.begin(), claims.all.end(), [&](const SizeClaim& claim) {
    const Value of = values[*claim.node];
    if (of.is_absent()) return true;
    PyResult<Value> found = in_.call_method(of, in_.intern(claim.method), claim.arguments, {});
    if (!found.ok()) return false;
    const Value expected =
        claim.expected.is_absent()
            ? number_now(in_, *claim.expression, [&](const Source& source) { return reader.read(source); })
            : claim.expected;
    if (expected.is_absent()) return true;
    const PyResult<bool> same = object::equal(in_, found.value(), expected);
    return same.ok() && same.value();
  });
  tensor::TensorLibrary::of(in_).generator = generator;
  machine_.frame_compiler = compiler;
  (holds ? claims.held : claims.refuted).insert(std::move(numbers));
  return holds;
}

void Engine::note_claims_of_now(CompiledFrame& compiled, Scope scope) {
  if (!compiled.claims.needs_check()) return;
  SourceReader reader(in_, scope, compiled.sources->size());
  compiled.claims.held.insert(numbers_of(compiled.claims, reader));
}

}  // namespace nns::dynamo
