#pragma once

#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/make_safetensors.h"

namespace nns::tests {

/// A tensor with its bytes.
struct ValuedTensor {
  PlannedTensor plan;
  std::string bytes;
};

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline ValuedTensor float_tensor(std::string name, std::vector<std::uint64_t> shape, const std::vector<float>& values) {
  return {{std::move(name), "F32", std::move(shape)}, bytes_of(values)};
}

/// A float32 tensor of one dimension with these values.
inline ValuedTensor float_tensor(std::string name, const std::vector<float>& values) {
  return float_tensor(std::move(name), {values.size()}, values);
}

/// A safetensors file of these tensors in this order.
inline std::string valued_safetensors(const std::vector<ValuedTensor>& tensors,
                                      std::string_view metadata = R"({"format":"pt"})") {
  std::vector<PlannedTensor> plans;
  for (const ValuedTensor& tensor : tensors) plans.push_back(tensor.plan);
  std::string file = plan_safetensors(plans, metadata).beginning;
  for (const ValuedTensor& tensor : tensors) file += tensor.bytes;
  return file;
}

}  // namespace nns::tests
