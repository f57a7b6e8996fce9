#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/elements.h"
#include "core/checkpoint/model_statistics.h"
#include "core/checkpoint/tensor_file.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

using tests::find_tensor;
using tests::open_text;
using tests::plan_safetensors;

TEST(SafetensorsOpen, ListsNamesShapesTypesAndPlaces) {
  const auto file = plan_safetensors({{"a.weight", "BF16", {2, 3}}, {"a.bias", "F8_E4M3", {2}}, {"n", "I64", {}}});
  const auto document = open_text(file.whole());
  ASSERT_TRUE(document.ok()) << document.error().message();
  const Checkpoint& d = **document;
  EXPECT_EQ(d.format, "safetensors");
  ASSERT_EQ(d.tensors.size(), 3U);
  const TensorEntry& weight = d.tensors[0];
  EXPECT_EQ(d.name(weight), "a.weight");
  EXPECT_EQ(d.dtype_name(weight), "bfloat16");
  EXPECT_THAT(d.shape(weight), testing::ElementsAre(2, 3));
  EXPECT_THAT(d.stride(weight), testing::ElementsAre(3, 1));
  EXPECT_EQ(weight.nbytes, 12U);
  EXPECT_EQ(d.storages[weight.storage].offset, file.beginning.size());
  EXPECT_EQ(d.dtype_name(d.tensors[1]), "float8_e4m3fn");
  EXPECT_EQ(d.storages[d.tensors[2].storage].offset, file.beginning.size() + 14);
  EXPECT_THAT(d.shape(d.tensors[2]), testing::IsEmpty());
  ASSERT_EQ(d.metadata.size(), 1U);
  EXPECT_EQ(d.metadata[0].key, "format");
  EXPECT_EQ(d.metadata[0].value, "pt");
}

TEST(SafetensorsOpen, NamesMayHaveEscapesAndAnyUtf8) {
  const auto document = open_text(tests::safetensors_with_header(
      R"({"\u0061.w\"x":{"shape":[1],"data_offsets":[0,4],"dtype":"F32"},"é.ü": { "dtype" : "U8" , "shape" : [ 2 , 1 ] , "data_offsets" : [ 4 , 6 ] } }   )",
      6));
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_NE(find_tensor(**document, "a.w\"x"), nullptr);
  EXPECT_NE(find_tensor(**document, "é.ü"), nullptr);
}

TEST(SafetensorsOpen, UnknownFieldsOfATensorAreIgnored) {
  const auto document = open_text(tests::safetensors_with_header(
      R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4],"extra":{"deep":[1,{"x":null}]}}})", 4));
  ASSERT_TRUE(document.ok()) << document.error().message();
}

TEST(SafetensorsOpen, PartsOfABytePackIntoWholeBytes) {
  const auto document = open_text(tests::safetensors_with_header(
      R"({"four":{"dtype":"F4","shape":[2,4],"data_offsets":[0,4]},"odd":{"dtype":"F4","shape":[4,1],"data_offsets":[4,6]},"six":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[6,9]}})",
      9));
  ASSERT_TRUE(document.ok()) << document.error().message();
  const Checkpoint& d = **document;
  EXPECT_EQ(d.dtype_name(d.tensors[0]), "float4_e2m1fn_x2");
  EXPECT_THAT(d.shape(d.tensors[0]), testing::ElementsAre(2, 2));
  EXPECT_EQ(d.dtype_name(d.tensors[1]), "F4");
  EXPECT_EQ(d.dtype_name(d.tensors[2]), "F6_E2M3");
  EXPECT_EQ(d.tensors[2].nbytes, 3U);
}

// All codes of the types of OCP's MX formats, which neither torch nor NumPy has, against the formula of each format.
TEST(SafetensorsValues, PartsOfAByteAreDecodedToFloat32) {
  struct Type {
    std::string name;
    unsigned bits, mantissa_bits;
    int bias;
    double largest;
  };
  for (const Type& type : {Type{"F6_E2M3", 6, 3, 1, 7.5}, Type{"F6_E3M2", 6, 2, 3, 28}, Type{"F4", 4, 1, 1, 6}}) {
    const unsigned count = 1U << type.bits;
    std::string packed(count * type.bits / 8, '\0');
    for (unsigned code = 0; code < count; ++code) {
      for (unsigned bit = 0; bit < type.bits; ++bit) {
        const unsigned place = code * type.bits + bit;
        if ((code >> bit & 1U) != 0) packed[place / 8] = static_cast<char>(packed[place / 8] | 1 << (place % 8));
      }
    }
    // A last dimension of one has no pairs that torch's type of four bits could hold.
    const std::string header = fmt::format(R"({{"a.weight":{{"dtype":"{}","shape":[{},1],"data_offsets":[0,{}]}}}})",
                                           type.name, count, packed.size());
    const auto document = open_text(tests::safetensors_with_header(header) + packed);
    ASSERT_TRUE(document.ok()) << document.error().message();
    Checkpoint& d = **document;
    EXPECT_EQ(d.dtype_name(d.tensors[0]), type.name);
    EXPECT_TRUE(d.tensors[0].readable);
    EXPECT_EQ(d.tensors[0].nbytes, packed.size());
    EXPECT_EQ(d.tree.parameters[0], count);
    auto source = element_source(d, 0);
    ASSERT_TRUE(source.ok()) << source.error().message();
    std::vector<double> values(count);
    ASSERT_TRUE(read_values(*source, 0, values).ok());
    double largest = 0;
    for (unsigned code = 0; code < count; ++code) {
      const unsigned mantissa = code & ((1U << type.mantissa_bits) - 1);
      const int exponent = static_cast<int>((code & (count / 2 - 1)) >> type.mantissa_bits);
      const double fraction = mantissa / std::exp2(type.mantissa_bits);
      const double magnitude =
          exponent == 0 ? fraction * std::exp2(1 - type.bias) : (1 + fraction) * std::exp2(exponent - type.bias);
      EXPECT_EQ(values[code], code >= count / 2 ? -magnitude : magnitude) << type.name << " " << code;
      largest = std::max(largest, values[code]);
    }
    EXPECT_EQ(largest, type.largest) << type.name;
  }
}

// What the values become where NumPy has no such type: a file of float32.
TEST(SafetensorsValues, PartsOfAByteAreSavedAsFloat32) {
  const auto document =
      open_text(tests::safetensors_with_header(R"({"a":{"dtype":"F6_E3M2","shape":[4],"data_offsets":[0,3]}})") +
                std::string("\x0C\x03\x00", 3));
  ASSERT_TRUE(document.ok()) << document.error().message();
  auto source = element_source(**document, 0);
  ASSERT_TRUE(source.ok());
  const auto csv = read_tensor_file(*source, TensorFile::Csv, 0, 4);
  ASSERT_TRUE(csv.ok()) << csv.error().message();
  EXPECT_EQ(csv->bytes, "1,1,0,0\n");
  const auto npy = read_tensor_file(*source, TensorFile::Npy, 0, 4);
  ASSERT_TRUE(npy.ok()) << npy.error().message();
  EXPECT_NE(npy->bytes.find("'descr': '<f4'"), std::string::npos);
}

TEST(SafetensorsOpen, EmptyTensorsTakeNoBytes) {
  const auto document =
      open_text(plan_safetensors({{"a", "F32", {0, 5}}, {"b", "F32", {2}}, {"c", "F32", {3, 0}}}).whole());
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ((*document)->tensors[0].numel, 0U);
  EXPECT_THAT((*document)->stride((*document)->tensors[0]), testing::ElementsAre(5, 1));
}

TEST(SafetensorsOpen, AnEmptyHeaderIsADocumentWithoutTensors) {
  const auto document = open_text(tests::safetensors_with_header("{}      "));
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ((*document)->tree.size(), 1U);
}

TEST(SafetensorsOpen, WorksInSlicesOfNoTime) {
  const auto bytes = plan_safetensors(tests::llama_405b_tiny()).whole();
  auto task = open_checkpoint(base::make_memory_source("a", tests::to_bytes(bytes)), nullptr);
  ASSERT_TRUE(task.ok());
  int steps = 0;
  for (bool done = false; !done; ++steps) {
    const auto state = (*task)->step(base::Budget(std::chrono::nanoseconds(0)));
    ASSERT_TRUE(state.ok()) << state.error().message();
    done = *state == OpenState::Done;
    EXPECT_LE((*task)->progress().done, (*task)->progress().total);
  }
  EXPECT_GT(steps, 3);
  EXPECT_EQ((*task)->take()->tensors.size(), 1138U);
}

TEST(SafetensorsOpen, StorageBytesAreTheTensorsBytes) {
  auto file = plan_safetensors({{"a", "U8", {3}}, {"b", "U8", {2}}});
  const auto document = open_text(file.beginning + "xyzuv");
  ASSERT_TRUE(document.ok()) << document.error().message();
  const auto bytes = (*document)->storage_bytes((*document)->tensors[1].storage);
  ASSERT_TRUE(bytes.ok());
  std::array<std::byte, 2> got{};
  ASSERT_TRUE((*bytes)->read(0, got).ok());
  EXPECT_EQ(got[0], std::byte{'u'});
  EXPECT_EQ(got[1], std::byte{'v'});
}

TEST(SafetensorsOpen, A2GigabyteFileIsOpenedByItsHeader) {
  const tests::TemporaryFolder folder;
  const auto file = plan_safetensors(tests::llama_2gb());
  const auto source = tests::open_file(folder.write_sparse("llama.safetensors", file.beginning, file.size));
  ASSERT_GT(source->size(), 2'000'000'000U);
  const auto document = tests::open_document(source);
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ((*document)->tensors.size(), 300U);
  EXPECT_LE(source->bytes_read(), file.beginning.size() + 1024);
}

TEST(SafetensorsOpen, An810GigabyteFileIsOpenedByItsHeader) {
  const tests::TemporaryFolder folder;
  const auto file = plan_safetensors(tests::llama_405b_full());
  const auto source = tests::open_file(folder.write_sparse("llama.safetensors", file.beginning, file.size));
  ASSERT_GT(source->size(), 810'000'000'000U);
  const auto document = tests::open_document(source);
  ASSERT_TRUE(document.ok()) << document.error().message();
  const Checkpoint& d = **document;
  EXPECT_LE(source->bytes_read(), file.beginning.size() + 1024);
  EXPECT_EQ(d.tree.parameters[0], 405'853'388'800U);
  const TensorEntry* last = find_tensor(d, "lm_head.weight");
  ASSERT_NE(last, nullptr);
  const auto bytes = (*document)->storage_bytes(last->storage);
  ASSERT_TRUE(bytes.ok());
  std::array<std::byte, 4> end{};
  EXPECT_TRUE((*bytes)->read((*bytes)->size() - 4, end).ok());
}

TEST(SafetensorsDescribe, AModuleHasTheRegistriesOfTorch) {
  const auto document = open_text(plan_safetensors({{"bn.weight", "F32", {4}},
                                                    {"bn.bias", "F32", {4}},
                                                    {"bn.running_mean", "F32", {4}},
                                                    {"bn.running_var", "F32", {4}},
                                                    {"bn.num_batches_tracked", "I64", {}}})
                                      .whole());
  ASSERT_TRUE(document.ok()) << document.error().message();
  const ObjectDescription bn = (*document)->describe(tests::find_row(**document, "bn"));
  EXPECT_TRUE(bn.is_module);
  EXPECT_TRUE(bn.inferred);
  EXPECT_EQ(bn.class_name, "BatchNorm");
  std::vector<std::string> keys;
  std::vector<std::string> parameters;
  std::vector<std::string> buffers;
  for (const AttributeRow& row : bn.attributes) {
    if (row.depth == 0) keys.push_back(row.name);
    if (row.place == AttributePlace::Parameters) parameters.push_back(row.name);
    if (row.place == AttributePlace::Buffers) buffers.push_back(row.name);
    EXPECT_FALSE(row.why.empty()) << row.name;
  }
  EXPECT_THAT(keys,
              testing::ElementsAre("training", "_parameters", "_buffers", "_non_persistent_buffers_set",
                                   "_backward_pre_hooks", "_backward_hooks", "_is_full_backward_hook", "_forward_hooks",
                                   "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks",
                                   "_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks",
                                   "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks", "_modules"));
  EXPECT_THAT(parameters, testing::ElementsAre("bias", "weight"));
  EXPECT_THAT(buffers, testing::ElementsAre("num_batches_tracked", "running_mean", "running_var"));
}

}  // namespace
}  // namespace nns::checkpoint
