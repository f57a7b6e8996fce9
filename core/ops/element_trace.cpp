#include "core/ops/element_trace.h"

namespace nns::ops {

ElementTrace::ElementTrace() { current_ = this; }
ElementTrace::~ElementTrace() { current_ = nullptr; }

void ElementTrace::add(const ElementCall& call) {
  const auto held = [](const Tensor* tensor) { return object::Ref<Tensor>(const_cast<Tensor*>(tensor)); };
  Launch& made = launches_.emplace_back();
  made.out = held(&call.out);
  for (const ElementInput& one : call.inputs)
    made.inputs.push_back({one.tensor == nullptr ? object::Ref<Tensor>() : held(one.tensor), one.number});
  made.in = call.in;
  made.written = call.written;
  made.kernel = call.kernel;
  if (call.settings != nullptr) made.settings = *call.settings;
}

}  // namespace nns::ops
