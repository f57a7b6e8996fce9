#include "core/ops/thread_functions.h"

#include <algorithm>

#include "core/base/parallel.h"

// Behaviour: torch/csrc/Module.cpp, THPModule_setNumThreads.
namespace nns::ops {

void add_thread_functions(Interpreter& interpreter) {
  object::Dict& torch = python_module(interpreter, "torch");
  const auto add = [&](std::string_view name, std::string_view signature, object::NativeBody body) {
    torch.set(interpreter.intern(name), Value(interpreter.function(signature, std::move(body))));
  };
  add("set_num_threads", "set_num_threads(int)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    if (!a[0].is_int()) {
      return object::runtime_error(in, "set_num_threads expects an int, but got {}", in.type_of(a[0]).name());
    }
    if (a[0].as_int() <= 0) return object::runtime_error(in, "set_num_threads expects a positive integer");
    base::set_thread_count(static_cast<int>(std::min<std::int64_t>(a[0].as_int(), base::kMostThreads)));
    return Value();
  });
  add("get_num_threads", "get_num_threads()", [](Interpreter&, std::span<const Value>) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(base::thread_count()));
  });
}

}  // namespace nns::ops
