// What runs plainly: the instruction of a break, whole calls; and the text of a break.
#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/dynamo/rebuild.h"
#include "core/nn/module.h"
#include "core/object/operations.h"
#include "core/ops/op.h"

namespace nns::dynamo {

using tensor::Tensor;

// One instruction on real values, as the machine runs it; what it needs is on the stack.
PyResult<void> Engine::run_instruction(const Instruction& instruction, const Code& code, FrameStart& state) {
  std::vector<Value>& stack = state.stack;
  const auto pop = [&] {
    Value top = std::move(stack.back());
    stack.pop_back();
    return top;
  };
  switch (instruction.op) {
    case Opcode::Call:
    case Opcode::CallKeywords: {
      std::vector<Value> args(stack.end() - static_cast<std::ptrdiff_t>(instruction.arg), stack.end());
      stack.resize(stack.size() - instruction.arg);
      std::vector<object::Keyword> keywords;
      if (instruction.op == Opcode::CallKeywords) {
        const auto& names = *code.constants[instruction.extra].as<object::Tuple>();
        const std::size_t positional = args.size() - names.size();
        for (std::size_t i = 0; i < names.size(); ++i)
          keywords.push_back({in_.intern(*names[i].as<object::Str>()), args[positional + i]});
        args.resize(positional);
      }
      const Value self = pop();
      if (!self.is_absent()) args.insert(args.begin(), self);
      const Value callee = pop();
      // super() finds its class and instance in the frame.
      const bool is_super = args.empty() && keywords.empty() && callee.object() == machine_.classes.super;
      NNS_TRY_ASSIGN(Value result, is_super ? machine_.current_super() : in_.call(callee, args, keywords));
      stack.push_back(std::move(result));
      return {};
    }
    case Opcode::CallUnpacked: {
      std::vector<object::Keyword> keywords;
      if (instruction.arg == 1) {
        const Value named = pop();
        auto* dict = named.as<Dict>();
        for (const Value& key : dict->keys())
          keywords.push_back({in_.intern(*key.as<object::Str>()), *dict->find(key)});
      }
      const Value args = pop();
      pop();
      const Value callee = pop();
      NNS_TRY_ASSIGN(Value result, in_.call(callee, args.as<object::Tuple>()->items(), keywords));
      stack.push_back(std::move(result));
      return {};
    }
    case Opcode::StoreAttr: {
      const Value object = pop();
      const Value value = pop();
      return object::setattr(in_, object, code.names[instruction.arg], value);
    }
    case Opcode::LoadSubscript: {
      const Value key = pop();
      const Value container = pop();
      NNS_TRY_ASSIGN(Value item, object::getitem(in_, container, key));
      stack.push_back(std::move(item));
      return {};
    }
    case Opcode::Binary:
    case Opcode::InPlace: {
      const Value b = pop();
      const Value a = pop();
      const auto op = static_cast<object::BinaryOperator>(instruction.arg);
      NNS_TRY_ASSIGN(Value result, instruction.op == Opcode::Binary ? object::binary(in_, op, a, b)
                                                                    : object::in_place(in_, op, a, b));
      stack.push_back(std::move(result));
      return {};
    }
    case Opcode::Compare: {
      const Value b = pop();
      const Value a = pop();
      const auto op = static_cast<python::CompareOp>(instruction.arg);
      if (op == python::CompareOp::Is || op == python::CompareOp::IsNot) {
        stack.emplace_back(a.is(b) == (op == python::CompareOp::Is));
        return {};
      }
      if (op == python::CompareOp::In || op == python::CompareOp::NotIn) {
        NNS_TRY_ASSIGN(const bool has, object::contains(in_, b, a));
        stack.emplace_back(has == (op == python::CompareOp::In));
        return {};
      }
      const auto binary_op =
          static_cast<object::BinaryOperator>(static_cast<std::uint32_t>(object::BinaryOperator::Eq) + instruction.arg);
      NNS_TRY_ASSIGN(Value result, object::binary(in_, binary_op, a, b));
      stack.push_back(std::move(result));
      return {};
    }
    case Opcode::DeleteAttr:
      return object::delattr(in_, pop(), code.names[instruction.arg]);
    case Opcode::StoreSubscript: {
      const Value key = pop();
      const Value container = pop();
      return object::setitem(in_, container, key, pop());
    }
    case Opcode::DeleteSubscript: {
      const Value key = pop();
      return object::delitem(in_, pop(), key);
    }
    default:
      return object::runtime_error(in_, "an instruction that is never broken at");
  }
}

PyResult<Value> Engine::run_fake_to(std::span<const Value> args, std::span<const object::Keyword> keywords) const {
  const auto is_device = [&](const Value& value) {
    return value.as<object::Str>() != nullptr || &in_.type_of(value) == tensor::TensorLibrary::of(in_).device;
  };
  std::vector<Value> positional;
  for (const Value& arg : args.subspan(1)) {
    if (!is_device(arg)) positional.push_back(arg);
  }
  std::vector<object::Keyword> named;
  for (const object::Keyword& one : keywords) {
    if (one.name.view() != "device" && one.name.view() != "non_blocking") named.push_back(one);
  }
  if (positional.empty() && named.empty()) return args[0];
  return in_.call_method(args[0], in_.intern("to"), positional, named);
}

PyResult<Value> Engine::run_on_zeros(const Value& function, std::span<const Value> args,
                                     std::span<const object::Keyword> keywords) const {
  const std::function<Value(const Value&)> filled = [&](const Value& value) -> Value {
    // Only tensors of one item are taken for numbers.
    if (const auto* fake = value.as<Tensor>())
      return fake->numel() == 1 ? Value(tensor::zeros(in_, fake->shape(), fake->dtype())) : value;
    std::vector<Value> items;
    if (const auto* tuple = value.as<object::Tuple>()) {
      for (const Value& item : tuple->items()) items.push_back(filled(item));
      return in_.tuple(std::move(items));
    }
    if (const auto* list = value.as<object::List>()) {
      for (const Value& item : list->items()) items.push_back(filled(item));
      return in_.list(std::move(items));
    }
    return value;
  };
  std::vector<Value> whole;
  for (const Value& arg : args) whole.push_back(filled(arg));
  NNS_TRY_ASSIGN(const Value made, in_.call(function, whole, keywords));
  auto* tensor = made.as<Tensor>();
  return tensor == nullptr ? made : Value(fake_of(*tensor, tensor->shape(), tensor->strides()));
}

PyResult<Value> Engine::run_compiled(const Value& callable, const object::Arguments& arguments,
                                     CompileSettings settings) {
  const auto* bound = callable.as<object::BoundMethod>();
  if (python::Function* asked = python::as_function(bound != nullptr ? bound->function() : callable); asked != nullptr)
    asked_for_.try_emplace(&asked->code(), asked->code_reference());
  settings_.push_back(std::move(settings));
  python::FrameCompiler* const before = std::exchange(machine_.frame_compiler, this);
  PyResult<Value> result = in_.call(callable, arguments.positional, arguments.keywords);
  machine_.frame_compiler = before;
  settings_.pop_back();
  return result;
}

PyResult<Value> Engine::run_plain(const Value& callable, const object::Arguments& arguments) {
  python::FrameCompiler* const before = std::exchange(machine_.frame_compiler, nullptr);
  PyResult<Value> result = in_.call(callable, arguments.positional, arguments.keywords);
  machine_.frame_compiler = before;
  return result;
}

void Engine::reset() {
  caches_.clear();
  dynamic_classes_.clear();
  tagged_.clear();
  asked_for_.clear();
}

}  // namespace nns::dynamo
