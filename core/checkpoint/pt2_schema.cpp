#include "core/checkpoint/pt2_schema.h"

#include <array>

namespace nns::checkpoint {
namespace {

constexpr std::string_view kOldProgram = "serialized_exported_program.json";
constexpr std::string_view kFolder = "models/", kEnding = ".json";

}  // namespace

std::optional<tensor::DType> pt2_dtype(std::uint64_t number) {
  using enum tensor::DType;
  constexpr std::array kFirst = {UInt8,   Int8,      Int16,     Int32,      Int64, Float16, Float32,
                                 Float64, Complex32, Complex64, Complex128, Bool,  BFloat16};
  constexpr std::array kLater = {UInt16, Float8E4M3FN, Float8E5M2, Float8E4M3FNUZ, Float8E5M2FNUZ};
  constexpr std::uint64_t kLaterFrom = 28;
  if (number >= 1 && number <= kFirst.size()) return kFirst[static_cast<std::size_t>(number - 1)];
  if (number >= kLaterFrom && number < kLaterFrom + kLater.size()) {
    return kLater[static_cast<std::size_t>(number - kLaterFrom)];
  }
  return std::nullopt;
}

bool is_pt2_program(std::string_view name) {
  return name == kOldProgram || (name.starts_with(kFolder) && name.ends_with(kEnding));
}

std::string_view pt2_program_name(std::string_view name) {
  if (name == kOldProgram) return {};
  name.remove_prefix(kFolder.size());
  name.remove_suffix(kEnding.size());
  return name;
}

}  // namespace nns::checkpoint
