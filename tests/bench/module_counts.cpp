// One operation of the module machinery, N times: what a counter of instructions (valgrind --tool=callgrind) counts for
// two N tells what it costs, whatever else the machine does meanwhile.
//   module_counts call|hooks|setattr|getattr|state|load|named|params|copy|repr|build N
// From `state` on it is about a Sequential of 1,000 layers with a weight and a bias each.
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "core/nn/layers.h"
#include "core/nn/module.h"
#include "core/object/copy.h"

namespace nns::nn {
namespace {

Ref<Module> linear(Interpreter& in, int from, int to) { return make_layer(in, "Linear", {from, to}).value(); }

void repeat(int count, const std::function<bool()>& operation) {
  for (int i = 0; i < count; ++i) {
    if (!operation()) std::abort();
  }
}

bool run(const std::string& what, int count) {
  Interpreter in;
  if (what == "call" || what == "hooks") {
    const Ref<Module> net = make_layer(in, "Identity").value();
    const auto hook = in.function("hook(m, a, o)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
    for (int i = 0; what == "hooks" && i < 4; ++i) static_cast<void>(net->register_forward_hook(Value(hook)).ok());
    const Value argument(1);
    for (int i = 0; i < count; ++i) {
      if (!net->call({{&argument, 1}, {}}).ok()) return false;
    }
    return true;
  }
  const Ref<Module> layer = linear(in, 8, 8);
  const Name name = in.intern("weight");
  const Value weight = layer->getattr(name).value();
  std::vector<Value> layers;
  for (int i = 0; i < 1'000; ++i) layers.emplace_back(linear(in, 1, 1));
  const Ref<Module> net = make_layer(in, "Sequential", std::move(layers)).value();
  const Value saved = net->state_dict().value();
  const std::map<std::string, std::function<bool()>> operations = {
      {"setattr", [&] { return layer->setattr(name, weight).ok(); }},
      {"getattr", [&] { return layer->getattr(name).ok(); }},
      {"state", [&] { return net->state_dict().ok(); }},
      {"load", [&] { return net->load_state_dict(saved).ok(); }},
      {"named", [&] { return net->named_parameters().ok(); }},
      {"params", [&] { return net->parameters().ok(); }},
      {"copy", [&] { return object::deep_copy(in, Value(net)).ok(); }},
      {"repr", [&] { return net->text().ok(); }},
      {"build",
       [&] {
         repeat(1'000, [&] { return make_layer(in, "Linear", {8, 8}).ok(); });
         return true;
       }},
  };
  const auto found = operations.find(what);
  if (found == operations.end()) return false;
  repeat(count, found->second);
  return true;
}

}  // namespace
}  // namespace nns::nn

int main(int count, char** words) {
  if (count == 3 && nns::nn::run(words[1], std::atoi(words[2]))) return 0;
  std::cerr << "module_counts call|hooks|setattr|getattr|state|load|named|params|copy|repr|build N\n";
  return 2;
}
