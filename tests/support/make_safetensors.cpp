#include "tests/support/make_safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

namespace nns::tests {

namespace {

std::uint64_t item_bytes(std::string_view dtype) {
  if (dtype == "F64" || dtype == "I64" || dtype == "U64" || dtype == "C64") return 8;
  if (dtype == "F32" || dtype == "I32" || dtype == "U32") return 4;
  if (dtype == "F16" || dtype == "BF16" || dtype == "I16" || dtype == "U16") return 2;
  return 1;
}

std::string length_of(std::string_view header) {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes;
}

/// A linear layer in 8-bit floats with the scales of its blocks.
void add_scaled(std::vector<PlannedTensor>& tensors, const std::string& name) {
  tensors.push_back({name + ".weight", "F8_E4M3", {4, 4}});
  tensors.push_back({name + ".weight_scale_inv", "F32", {1, 1}});
}

}  // namespace

PlannedFile plan_safetensors(const std::vector<PlannedTensor>& tensors, std::string_view metadata) {
  std::string header = metadata.empty() ? "{" : fmt::format(R"({{"__metadata__":{})", metadata);
  std::uint64_t offset = 0;
  for (const PlannedTensor& tensor : tensors) {
    std::uint64_t bytes = item_bytes(tensor.dtype);
    for (const std::uint64_t size : tensor.shape) bytes *= size;
    header +=
        fmt::format(R"({}"{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", header.size() > 1 ? "," : "",
                    tensor.name, tensor.dtype, fmt::join(tensor.shape, ","), offset, offset + bytes);
    offset += bytes;
  }
  header += '}';
  header.append((8 - header.size() % 8) % 8, ' ');
  return {length_of(header) + header, 8 + header.size() + offset};
}

std::string safetensors_with_header(std::string_view header, std::size_t data) {
  return length_of(header) + std::string(header) + std::string(data, '\0');
}

std::vector<PlannedTensor> llama_tensors(const LlamaSizes& sizes) {
  std::vector<PlannedTensor> tensors;
  const auto add = [&](std::string name, std::vector<std::uint64_t> shape) {
    tensors.push_back({std::move(name), "BF16", std::move(shape)});
  };
  const auto [layers, width, key_width, feed_forward, vocabulary, with_rotary] = sizes;
  add("model.embed_tokens.weight", {vocabulary, width});
  for (std::uint64_t layer = 0; layer < layers; ++layer) {
    const std::string at = fmt::format("model.layers.{}.", layer);
    add(at + "input_layernorm.weight", {width});
    add(at + "mlp.down_proj.weight", {width, feed_forward});
    add(at + "mlp.gate_proj.weight", {feed_forward, width});
    add(at + "mlp.up_proj.weight", {feed_forward, width});
    add(at + "post_attention_layernorm.weight", {width});
    add(at + "self_attn.k_proj.weight", {key_width, width});
    add(at + "self_attn.o_proj.weight", {width, width});
    add(at + "self_attn.q_proj.weight", {width, width});
    add(at + "self_attn.v_proj.weight", {key_width, width});
  }
  add("model.norm.weight", {width});
  add("lm_head.weight", {vocabulary, width});
  if (with_rotary) tensors.push_back({"model.rotary_emb.inv_freq", "F32", {64}});
  return tensors;
}

std::vector<PlannedTensor> llama_405b_tiny() { return llama_tensors({126, 8, 4, 8, 16, true}); }
std::vector<PlannedTensor> llama_405b_full() { return llama_tensors({126, 16384, 1024, 53248, 128256, true}); }
std::vector<PlannedTensor> llama_2gb() { return llama_tensors({33, 1024, 1024, 9216, 16000, false}); }

std::vector<PlannedTensor> deepseek_v3_tiny() {
  constexpr int kLayers = 62;  // the last one predicts one token further
  constexpr int kDenseLayers = 3;
  constexpr int kExperts = 256;
  std::vector<PlannedTensor> tensors;
  const auto add = [&](std::string name, std::vector<std::uint64_t> shape, std::string dtype = "BF16") {
    tensors.push_back({std::move(name), std::move(dtype), std::move(shape)});
  };
  const auto add_mlp = [&](const std::string& at) {
    for (const char* part : {"gate_proj", "up_proj", "down_proj"}) add_scaled(tensors, at + part);
  };
  add("model.embed_tokens.weight", {4, 4});
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string at = fmt::format("model.layers.{}.", layer);
    const std::string attention = at + "self_attn.";
    add_scaled(tensors, attention + "q_a_proj");
    add(attention + "q_a_layernorm.weight", {4});
    add_scaled(tensors, attention + "q_b_proj");
    add_scaled(tensors, attention + "kv_a_proj_with_mqa");
    add(attention + "kv_a_layernorm.weight", {4});
    add_scaled(tensors, attention + "kv_b_proj");
    add_scaled(tensors, attention + "o_proj");
    add(at + "input_layernorm.weight", {4});
    add(at + "post_attention_layernorm.weight", {4});
    if (layer < kDenseLayers) {
      add_mlp(at + "mlp.");
      continue;
    }
    add(at + "mlp.gate.weight", {4, 4});
    add(at + "mlp.gate.e_score_correction_bias", {4}, "F32");
    for (int expert = 0; expert < kExperts; ++expert) add_mlp(fmt::format("{}mlp.experts.{}.", at, expert));
    add_mlp(at + "mlp.shared_experts.");
  }
  const std::string last = fmt::format("model.layers.{}.", kLayers - 1);
  add(last + "embed_tokens.weight", {4, 4});
  add(last + "enorm.weight", {4});
  add(last + "hnorm.weight", {4});
  add(last + "eh_proj.weight", {4, 8});
  add(last + "shared_head.norm.weight", {4});
  add(last + "shared_head.head.weight", {4, 4});
  add("model.norm.weight", {4});
  add("lm_head.weight", {4, 4});
  return tensors;
}

}  // namespace nns::tests
