#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nns::tests {

/// A tensor to be written.
struct PlannedTensor {
  std::string name;
  std::string dtype;  ///< "F32"
  std::vector<std::uint64_t> shape;
};

/// A safetensors file of these tensors: its beginning (length and header), and the size of the whole file.
struct PlannedFile {
  std::string beginning;
  std::uint64_t size = 0;
  /// Length, header and data of zeros. Must hold: it fits in memory.
  std::string whole() const { return beginning + std::string(static_cast<std::size_t>(size - beginning.size()), '\0'); }
};
PlannedFile plan_safetensors(const std::vector<PlannedTensor>& tensors,
                             std::string_view metadata = R"({"format":"pt"})");

/// A file with this header text and `data` bytes of zeros.
std::string safetensors_with_header(std::string_view header, std::size_t data = 0);

/// The tensors of a Llama with these sizes, named and ordered as Hugging Face's files.
struct LlamaSizes {
  std::uint64_t layers, width, key_width, feed_forward, vocabulary;
  bool with_rotary = false;
};
std::vector<PlannedTensor> llama_tensors(const LlamaSizes& sizes);
/// 1,138 tensors with the names of Llama 3.1 405B: tiny, or in their real shapes (810 GB).
std::vector<PlannedTensor> llama_405b_tiny();
std::vector<PlannedTensor> llama_405b_full();
/// 300 tensors, 2.2 GB.
std::vector<PlannedTensor> llama_2gb();
/// 91,991 tensors with the names of DeepSeek-V3 (61 layers and the prediction layer, 256 experts), tiny.
std::vector<PlannedTensor> deepseek_v3_tiny();

}  // namespace nns::tests
