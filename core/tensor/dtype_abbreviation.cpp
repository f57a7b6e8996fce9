#include "core/tensor/dtype_abbreviation.h"

#include <initializer_list>
#include <string_view>
#include <utility>

namespace nns::tensor {

std::string dtype_abbreviation(DType dtype) {
  const std::string_view type = info(dtype).torch_name;
  if (type == "bool") return "b8";
  for (const auto& [name, letters] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"bfloat", "bf"}, {"float", "f"}, {"uint", "u"}, {"int", "i"}, {"complex", "c"}}) {
    if (type.starts_with(name)) return std::string(letters).append(type.substr(name.size()));
  }
  return std::string(type);
}

}  // namespace nns::tensor
