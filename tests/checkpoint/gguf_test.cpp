#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/elements.h"
#include "core/checkpoint/ggml_types.h"
#include "core/checkpoint/heat_tile.h"
#include "core/checkpoint/statistics.h"
#include "tests/checkpoint/element_fixtures.h"
#include "tests/support/files.h"
#include "tests/support/make_gguf.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

using testing::ElementsAre;
using tests::GgufWriter;
using tests::open_text;

std::string gguf_refusal(std::string_view bytes) {
  const auto document = open_text(bytes);
  return document.ok() ? "opened" : document.error().message();
}

std::vector<std::int64_t> gguf_copy(std::span<const std::int64_t> values) { return {values.begin(), values.end()}; }

std::string value_of(const Checkpoint& document, std::string_view key) {
  for (const MetadataEntry& entry : document.metadata) {
    if (entry.key == key) return entry.value;
  }
  return "(none)";
}

ElementSource source_of(Checkpoint& document, std::uint32_t tensor) {
  const TensorEntry& entry = document.tensors[tensor];
  auto bytes = document.value_bytes(tensor);
  EXPECT_TRUE(bytes.ok()) << bytes.error().message();
  return {std::move(bytes).value(), entry.dtype, gguf_copy(document.shape(entry)), gguf_copy(document.stride(entry)),
          entry.storage_offset};
}

std::vector<double> gguf_values(Checkpoint& document, std::uint32_t tensor) {
  std::vector<double> values(static_cast<std::size_t>(document.tensors[tensor].numel));
  const auto read = read_values(source_of(document, tensor), 0, values);
  EXPECT_TRUE(read.ok()) << read.error().message();
  return values;
}

template <class T>
std::string numbers(const GgufWriter& file, const std::vector<T>& values) {
  std::string bytes;
  for (const T value : values) bytes += file.number(value);
  return bytes;
}

class GgufVersions : public testing::TestWithParam<std::pair<std::uint32_t, bool>> {
 protected:
  GgufWriter file() const { return GgufWriter(GetParam().first, GetParam().second); }
};

TEST_P(GgufVersions, ShapesAreInPyTorchsOrderAndNamesMakeATree) {
  GgufWriter writer = file();
  writer.text("general.architecture", "llama");
  writer.tensor("blk.0.attn_q.weight", {3, 2}, 0, numbers<float>(writer, {1, 2, 3, 4, 5, 6}));
  writer.tensor("token_embd.weight", {2, 4}, 1,
                numbers<std::uint16_t>(writer, {0x3C00, 0xBC00, 0, 0, 0, 0, 0, 0x7C00}));
  writer.tensor("scalar", {}, 28, numbers<double>(writer, {0.5}));
  const auto opened = open_text(writer.whole());
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  Checkpoint& d = **opened;
  EXPECT_EQ(d.format, "gguf");
  EXPECT_EQ(tests::tree_fault(d), "");
  EXPECT_EQ(value_of(d, "GGUF.version"), fmt::format("{}", GetParam().first));
  EXPECT_EQ(value_of(d, "general.architecture"), "llama");
  ASSERT_EQ(d.tensors.size(), 3U);
  EXPECT_EQ(gguf_copy(d.shape(d.tensors[0])), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(gguf_copy(d.stride(d.tensors[0])), (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(d.dtype_name(d.tensors[0]), "F32");
  EXPECT_EQ(d.dtype_name(d.tensors[1]), "F16");
  EXPECT_EQ(d.tensors[2].rank, 0);
  EXPECT_EQ(gguf_values(d, 0), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(gguf_values(d, 1), (std::vector<double>{1, -1, 0, 0, 0, 0, 0, HUGE_VAL}));
  EXPECT_EQ(gguf_values(d, 2), (std::vector<double>{0.5}));
  const std::uint32_t row = tests::find_row(d, "blk/0/attn_q/weight");
  ASSERT_NE(row, kNone);
  EXPECT_EQ(d.tree.tensor[row], 0U);
  EXPECT_EQ(d.tree.strings.view(d.tree.class_name[d.tree.parent[row]]), "Linear");
  EXPECT_EQ(d.tree.strings.view(d.tree.class_name[tests::find_row(d, "token_embd")]), "Embedding");
  EXPECT_EQ(d.locate(1)->offset % 32, 0U);
}

TEST_P(GgufVersions, MetadataOfAllTypesIsShown) {
  GgufWriter f = file();
  f.key("u8", f.kU8, f.number<std::uint8_t>(200)).key("i8", f.kI8, f.number<std::int8_t>(-2));
  f.key("u16", f.kU16, f.number<std::uint16_t>(60'000)).key("i16", f.kI16, f.number<std::int16_t>(-300));
  f.key("u32", f.kU32, f.number<std::uint32_t>(4'000'000'000U)).key("i32", f.kI32, f.number<std::int32_t>(-70'000));
  f.key("u64", f.kU64, f.number<std::uint64_t>(UINT64_MAX)).key("i64", f.kI64, f.number<std::int64_t>(INT64_MIN));
  f.key("f32", f.kF32, f.number<float>(1e-5F)).key("f64", f.kF64, f.number<double>(0.25));
  f.key("yes", f.kBool, f.number<std::uint8_t>(1)).key("no", f.kBool, f.number<std::uint8_t>(0));
  f.text("text", "a\nb").text("empty", "").text("latin1", "caf\xE9");
  std::string many;
  for (std::int32_t i = 0; i < 1000; ++i) many += f.number(i);
  f.array("many", f.kI32, 1000, many).array("none", f.kU8, 0, "");
  f.array("words", f.kString, 2, f.string("a") + f.string("b c"));
  // [[1, 2], []] and [["x"]]
  const std::string inner =
      f.number<std::uint32_t>(f.kU8) + f.length(2) + "\1\2" + f.number<std::uint32_t>(f.kU8) + f.length(0);
  f.array("nested", f.kArray, 2, inner);
  f.array("deep", f.kArray, 1, f.number<std::uint32_t>(f.kString) + f.length(1) + f.string("x"));
  f.text("long", std::string(100'000, 'z')).text("last", "end");
  const auto opened = open_text(f.whole());
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  const Checkpoint& d = **opened;
  EXPECT_EQ(value_of(d, "u8"), "200");
  EXPECT_EQ(value_of(d, "i8"), "-2");
  EXPECT_EQ(value_of(d, "u16"), "60000");
  EXPECT_EQ(value_of(d, "i16"), "-300");
  EXPECT_EQ(value_of(d, "u32"), "4000000000");
  EXPECT_EQ(value_of(d, "i32"), "-70000");
  EXPECT_EQ(value_of(d, "u64"), "18446744073709551615");
  EXPECT_EQ(value_of(d, "i64"), "-9223372036854775808");
  EXPECT_EQ(value_of(d, "f32"), "1e-05");
  EXPECT_EQ(value_of(d, "f64"), "0.25");
  EXPECT_EQ(value_of(d, "yes"), "true");
  EXPECT_EQ(value_of(d, "no"), "false");
  EXPECT_EQ(value_of(d, "text"), "a\nb");
  EXPECT_EQ(value_of(d, "empty"), "");
  EXPECT_EQ(value_of(d, "latin1"), "caf\\xe9");
  EXPECT_EQ(value_of(d, "many"), "[0, 1, 2, 3, 4, ... 1000 INT32 values]");
  EXPECT_EQ(value_of(d, "none"), "[]");
  EXPECT_EQ(value_of(d, "words"), R"(["a", "b c"])");
  EXPECT_EQ(value_of(d, "nested"), "[[1, 2], []]");
  EXPECT_EQ(value_of(d, "deep"), R"([["x"]])");
  EXPECT_THAT(value_of(d, "long"), testing::EndsWith("zzz... (100000 bytes)"));
  EXPECT_LT(value_of(d, "long").size(), 70'000U);
  EXPECT_EQ(value_of(d, "last"), "end");
}

INSTANTIATE_TEST_SUITE_P(All, GgufVersions,
                         testing::Values(std::pair{1U, false}, std::pair{2U, false}, std::pair{3U, false},
                                         std::pair{3U, true}),
                         [](const auto& each) {
                           return fmt::format("Version{}{}", each.param.first, each.param.second ? "Big" : "");
                         });

/// A type's blocks of pseudo-random bytes, and what ggml itself makes of them: the sum of each value times 1 to 97 in
/// turn, the smallest and the largest.
struct Decoded {
  std::uint32_t type;
  std::vector<std::size_t> halves;
  double weighted, low, high;
};
const std::vector<Decoded>& decoded() {
  static const std::vector<Decoded> rows = {
      {2, {0}, -118.985413, -0.762207031, 0.762207031},
      {3, {0, 2}, -2786.76648, -1.49755859, 0.622070312},
      {6, {0}, 101.481934, -1.34326172, 1.43920898},
      {7, {0, 2}, -3820.95361, -1.42077637, 0.0341796875},
      {8, {0}, 4149.23285, -7.56835938, 9.15771484},
      {10, {80, 82}, -10560.0468, -3.0435791, 4.7878418},
      {11, {108}, 1662.1485, -10.8183594, 10.8183594},
      {12, {0, 2}, -667987.92, -80.9836426, 52.5979004},
      {13, {0, 2}, -575632.012, -146.876465, 44.3265991},
      {14, {208}, 72176.7596, -266.217041, 260.083008},
      {15, {2}, 2.02582445e-08, -1.02142537e-10, 1.03763845e-10},
      {16, {0}, 2747.11559, -18.6720886, 18.6720886},
      {17, {0}, 6244.07656, -17.6445923, 20.258606},
      {18, {0}, 31299.5836, -45.7734375, 45.7734375},
      {19, {0}, -359.296219, -1.72210693, 1.3394165},
      {20, {0}, -934.750061, -11.3242188, 12.3041992},
      {21, {0}, -17946.8729, -43.3666992, 43.3666992},
      {22, {0}, 1962.5716, -14.0752563, 14.0752563},
      {23, {0}, 51114.614, -164.975586, 185.415039},
      {29, {}, -31538666.2, -86535, 86535},
      {34, {52}, -30.2033081, -0.0454101562, 0.0454101562},
      {35, {64}, -1436.86853, -0.224121094, 0.112060547},
      {39, {}, 2.54879468e+38, -1.99384199e+36, 1.99384199e+36},
      {40, {}, 77922.2432, -360, 360},
      {41, {0}, 57.3703003, -0.108886719, 0.108886719},
      {42, {0}, 249.66217, -0.108886719, 0.217773438},
  };
  return rows;
}

TEST(GgufBlocks, EveryDecodedTypeGivesTheNumbersOfGgml) {
  for (const Decoded& row : decoded()) {
    const GgmlType* type = find_ggml_type(row.type);
    ASSERT_NE(type, nullptr);
    SCOPED_TRACE(type->name);
    GgufWriter file;
    file.tensor("w", {type->block_values, 4}, row.type, tests::quantised_blocks(4, type->block_bytes, row.halves));
    const auto opened = open_text(file.whole());
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    Checkpoint& d = **opened;
    EXPECT_EQ(d.dtype_name(d.tensors[0]), type->name);
    EXPECT_EQ(d.tensors[0].nbytes, 4 * type->block_bytes);
    EXPECT_EQ(d.tree.parameters[0], 4U * type->block_values);
    const std::vector<double> values = gguf_values(d, 0);
    double weighted = 0;
    double magnitude = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      weighted += values[i] * static_cast<double>(i % 97 + 1);
      magnitude += std::fabs(values[i]) * static_cast<double>(i % 97 + 1);
    }
    EXPECT_NEAR(weighted, row.weighted, 1e-6 * magnitude);
    EXPECT_NEAR(*std::min_element(values.begin(), values.end()), row.low, 1e-6 * std::fabs(row.low));
    EXPECT_NEAR(*std::max_element(values.begin(), values.end()), row.high, 1e-6 * std::fabs(row.high));

    // Statistics and heat map see the same numbers, from any place on.
    StatisticsTask statistics(source_of(d, 0));
    ASSERT_TRUE(statistics.step(base::Budget::unlimited()).ok());
    EXPECT_EQ(statistics.statistics().count, values.size());
    EXPECT_EQ(statistics.statistics().max, *std::max_element(values.begin(), values.end()));
    HeatTileTask tile(source_of(d, 0), {0, 4, 0, type->block_values, 4096, 4096});
    ASSERT_TRUE(tile.step(base::Budget::unlimited()).ok());
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(static_cast<double>(tile.tile()->mean[i]), values[i]);
    for (std::size_t from = 0; from < values.size(); from += 7) {
      double one = 0;
      ASSERT_TRUE(read_values(source_of(d, 0), from, std::span(&one, 1)).ok());
      ASSERT_EQ(one, values[from]);
    }
  }
}

TEST(GgufBlocks, BigEndianBlocksAreTheSameNumbers) {
  for (const Decoded& row : decoded()) {
    const GgmlType* type = find_ggml_type(row.type);
    SCOPED_TRACE(type->name);
    const std::string little = tests::quantised_blocks(1, type->block_bytes, row.halves);
    std::string big = little;
    const auto turn = [&](std::size_t at, std::size_t width) {
      std::reverse(big.begin() + static_cast<std::ptrdiff_t>(at),
                   big.begin() + static_cast<std::ptrdiff_t>(at + width));
    };
    const bool has_wide_scale = type->name == "Q8_K";
    for (const std::size_t at : row.halves) {
      if (!has_wide_scale) turn(at, 2);
    }
    if (has_wide_scale) turn(0, 4);
    if (type->name == "Q5_0") turn(2, 4);
    if (type->name == "Q5_1") turn(4, 4);
    if (type->name == "IQ4_XS") turn(2, 2);
    const auto turn_all = [&](std::size_t from, std::size_t end, std::size_t width) {
      for (std::size_t at = from; at < end; at += width) turn(at, width);
    };
    if (type->name == "IQ2_XXS" || type->name == "IQ2_XS") turn_all(2, 66, 2);
    if (type->name == "IQ3_XXS") turn_all(66, 98, 4);
    if (type->name == "IQ1_S") turn_all(34, 50, 2);
    if (type->name == "IQ1_M") turn_all(48, 56, 2);
    std::vector<std::vector<double>> values;
    for (const bool is_big : {false, true}) {
      GgufWriter file(3, is_big);
      file.tensor("w", {type->block_values}, row.type, is_big ? big : little);
      const auto opened = open_text(file.whole());
      ASSERT_TRUE(opened.ok()) << opened.error().message();
      values.push_back(gguf_values(**opened, 0));
    }
    EXPECT_EQ(values[0], values[1]);
  }
}

TEST(GgufBlocks, Q81HasItsScaleAndNotTheSumThatFollowsIt) {
  std::string block("\x00\x3C\xFF\x7B", 4);  // 1.0, and the largest half
  for (int i = 0; i < 32; ++i) block += static_cast<char>(i - 16);
  GgufWriter file;
  file.tensor("w", {32}, 9, block);
  const auto opened = open_text(file.whole());
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  const std::vector<double> values = gguf_values(**opened, 0);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i - 16);
}

TEST(GgufOpen, ReadsTheHeaderOnlyAndWorksInSlices) {
  const std::string bytes = tests::gguf_of(20'000);
  const auto source = base::make_memory_source("many.gguf", tests::to_bytes(bytes));
  const auto task = open_checkpoint(source, nullptr);
  ASSERT_TRUE(task.ok());
  int slices = 0;
  while (true) {
    const auto state = (*task)->step(base::Budget(std::chrono::nanoseconds(0)));
    ASSERT_TRUE(state.ok()) << state.error().message();
    ++slices;
    if (*state == OpenState::Done) break;
  }
  EXPECT_GT(slices, 100);
  const auto document = (*task)->take();
  EXPECT_EQ(document->tensors.size(), 20'000U);
  EXPECT_EQ(tests::tree_fault(*document), "");
  EXPECT_LT(source->bytes_read(), bytes.size());
}

TEST(GgufOpen, ALongArrayIsReadInSlices) {
  GgufWriter f;
  std::string words;
  for (int i = 0; i < 50'000; ++i) words += f.string("word");
  f.array("tokenizer.ggml.tokens", f.kString, 50'000, words);
  const auto task = open_checkpoint(base::make_memory_source("words.gguf", tests::to_bytes(f.whole())), nullptr);
  ASSERT_TRUE(task.ok());
  int slices = 0;
  for (OpenState state = OpenState::Working; state != OpenState::Done; ++slices) {
    const auto stepped = (*task)->step(base::Budget(std::chrono::nanoseconds(0)));
    ASSERT_TRUE(stepped.ok()) << stepped.error().message();
    state = *stepped;
  }
  EXPECT_GT(slices, 100);
}

TEST(GgufOpen, AKeyTwiceIsShownTwiceWithANote) {
  GgufWriter file;
  file.text("general.architecture", "a").text("general.architecture", "b");
  const auto opened = open_text(file.whole());
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  EXPECT_EQ(value_of(**opened, "general.architecture"), "a");
  EXPECT_EQ(value_of(**opened, "general.architecture (2)"), "b");
  EXPECT_THAT((*opened)->notes, ElementsAre(testing::HasSubstr("more than once")));
}

TEST(GgufOpen, AnAlignmentOfTheFileIsUsed) {
  GgufWriter file;
  file.alignment(256);
  file.tensor("a", {1}, 0, "abcd").tensor("b", {1}, 0, "efgh").tensor("empty", {4, 0}, 0, "");
  const auto opened = open_text(file.whole());
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  EXPECT_EQ((*opened)->storages[0].offset % 256, 0U);
  EXPECT_EQ((*opened)->storages[1].offset, (*opened)->storages[0].offset + 256);
  EXPECT_EQ((*opened)->tensors[2].numel, 0U);
}

TEST(GgufRefuses, VersionsThatThereAreNot) {
  EXPECT_EQ(gguf_refusal("GGUF"),
            "test.bin: byte 0: the beginning of a GGUF file needs 8 bytes, but the file has 4 here; "
            "expected a whole file");
  EXPECT_EQ(gguf_refusal(GgufWriter(4).whole()), "test.bin: byte 4: version 4 of GGUF; expected 1 to 3");
  EXPECT_EQ(gguf_refusal(GgufWriter(0).whole()), "test.bin: byte 4: version 0 of GGUF; expected 1 to 3");
  EXPECT_EQ(gguf_refusal(GgufWriter(1).whole()),
            "test.bin: byte 8: version 1 of GGUF, with neither metadata nor tensors; expected at least the key "
            "general.architecture");
}

TEST(GgufRefuses, CountsThatTheFileCannotHold) {
  const GgufWriter f;
  const std::string begin = "GGUF" + f.number<std::uint32_t>(3);
  EXPECT_EQ(gguf_refusal(begin + f.length(0) + f.length(1)),
            "test.bin: byte 16: 1 metadata keys, but the file has 0 bytes after this; expected at most 0");
  EXPECT_EQ(gguf_refusal(begin + f.length(UINT64_MAX) + f.length(0) + std::string(48, '\0')),
            "test.bin: byte 8: 18446744073709551615 tensors, but the file has 48 bytes after this; expected at most 2");
}

TEST(GgufRefuses, AlignmentsThatAreNoPowerOfTwo) {
  for (const std::uint32_t alignment : {0U, 3U, 24U, 4'294'967'295U}) {
    GgufWriter f;
    f.key("general.alignment", f.kU32, f.number(alignment));
    EXPECT_EQ(gguf_refusal(f.whole()),
              fmt::format("test.bin: byte 24: general.alignment is {}; expected a power of two", alignment));
  }
  GgufWriter f;
  f.key("general.alignment", f.kU64, f.number<std::uint64_t>(32));
  EXPECT_EQ(gguf_refusal(f.whole()), "test.bin: byte 24: general.alignment is of type UINT64; expected UINT32");
  GgufWriter g;
  g.alignment(32).alignment(64);
  EXPECT_THAT(gguf_refusal(g.whole()),
              testing::HasSubstr("general.alignment is 32 and then 64; expected one alignment"));
}

TEST(GgufRefuses, ValuesThatBreak) {
  const auto refused = [](std::uint32_t type, std::string_view value) {
    GgufWriter f;
    return gguf_refusal(f.key("k", type, value).text("l", "").whole());
  };
  const GgufWriter f;
  EXPECT_EQ(refused(13, ""), "test.bin: byte 33: the value of \"k\" is of type 13; expected 0 to 12");
  EXPECT_EQ(refused(f.kBool, "\2"), "test.bin: byte 37: the value of \"k\" is a BOOL of 2; expected 0 or 1");
  EXPECT_THAT(refused(f.kString, f.length(1000)), testing::HasSubstr("needs 1000 bytes, but the file has 21 here"));
  EXPECT_THAT(refused(f.kString, f.length(UINT64_MAX)), testing::HasSubstr("needs 18446744073709551615 bytes"));
  EXPECT_THAT(refused(f.kArray, f.number<std::uint32_t>(4) + f.length(UINT64_MAX / 4 + 2)),
              testing::HasSubstr("4611686018427387905 elements of type UINT32"));
  EXPECT_THAT(refused(f.kArray, f.number<std::uint32_t>(99) + f.length(0)), testing::HasSubstr("is of type 99"));
  std::string deep;
  for (int i = 0; i < 17; ++i) deep += f.number<std::uint32_t>(f.kArray) + f.length(1);
  EXPECT_THAT(refused(f.kArray, deep + f.number<std::uint32_t>(0) + f.length(0)),
              testing::HasSubstr("is an array in 16 arrays; expected at most 16 in each other"));
}

TEST(GgufRefuses, NamesThatAreNotUtf8OrAppearTwiceOrAreTooLong) {
  GgufWriter key;
  EXPECT_EQ(gguf_refusal(key.text("a\xFFz", "").whole()),
            "test.bin: byte 33: a metadata key holds byte 0xff, which is not UTF-8 here; expected UTF-8");
  GgufWriter name;
  EXPECT_EQ(gguf_refusal(name.tensor("\xC0\xAF", {1}, 0, "abcd").whole()),
            "test.bin: byte 32: the name of a tensor holds byte 0xc0, which is not UTF-8 here; expected UTF-8");
  GgufWriter twice;
  twice.tensor("a.b", {1}, 0, "abcd").tensor("a.b", {1}, 0, "abcd");
  EXPECT_EQ(
      gguf_refusal(twice.whole()),
      fmt::format("test.bin: byte {}: tensor \"a.b\" appears twice; expected each name once", twice.info_begin(1)));
  GgufWriter longest;
  EXPECT_THAT(gguf_refusal(longest.text(std::string(65'536, 'k'), "").whole()),
              testing::HasSubstr("a metadata key has 65536 bytes; expected at most 65535"));
}

TEST(GgufRefuses, TensorsThatAreNotWhatTheirTypeNeeds) {
  const auto refused = [](const std::vector<std::uint64_t>& dims, std::uint32_t type, std::uint64_t offset) {
    GgufWriter f;
    return gguf_refusal(f.tensor("a", {8}, 0, std::string(32, 'x')).tensor_at("t", dims, type, offset).whole());
  };
  EXPECT_THAT(refused({33}, 2, 0), testing::HasSubstr("tensor \"t\" of Q4_0 has rows of 33 elements; expected rows of "
                                                      "whole blocks of 32"));
  EXPECT_THAT(refused({}, 2, 0), testing::HasSubstr("rows of 1 elements"));
  EXPECT_THAT(refused({1}, 4, 0), testing::HasSubstr("type 4 (Q4_2, which ggml has removed); expected a type of ggml"));
  EXPECT_THAT(refused({1}, 1000, 0), testing::HasSubstr("type 1000;"));
  EXPECT_THAT(refused({UINT64_MAX}, 0, 0), testing::HasSubstr("a dimension of 18446744073709551615"));
  EXPECT_THAT(refused({1ULL << 40U, 1ULL << 40U}, 0, 0), testing::HasSubstr("more elements than can be counted"));
  EXPECT_THAT(refused({1}, 0, 31), testing::HasSubstr("begins at byte 31 of the data; expected a multiple of"));
  EXPECT_THAT(refused({1}, 0, 64), testing::HasSubstr("4 bytes from byte 64 of the data on, which has 32 bytes"));
  EXPECT_THAT(refused({9}, 0, 0), testing::HasSubstr("36 bytes from byte 0 of the data on, which has 32 bytes"));
  EXPECT_THAT(refused({1}, 0, 0xFFFFFFFFFFFFFFE0ULL), testing::HasSubstr("expected data inside the file"));
  EXPECT_THAT(refused({1}, 0, 0), testing::HasSubstr("which overlaps the tensor before it; expected at least"));
  EXPECT_THAT(refused(std::vector<std::uint64_t>(65, 1), 0, 0), testing::HasSubstr("has 65 dimensions"));
}

TEST(GgufOpen, TensorsMayLieInAnotherOrderThanTheyAreListed) {
  GgufWriter f;
  f.tensor_at("b", {1}, 0, 32).tensor("a", {1}, 0, "abcd");
  const auto opened = open_text(f.whole() + std::string(32, 'z'));
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  EXPECT_LT((*opened)->storages[1].offset, (*opened)->storages[0].offset);
}

TEST(GgufOpen, AnEmptyTensorMayHaveDimensionsThatCannotBeMultiplied) {
  GgufWriter f;
  f.tensor("a", {1ULL << 40U, 1ULL << 40U, 0}, 0, "").tensor("b", {0, 1ULL << 40U, 1ULL << 40U}, 2, "");
  const auto opened = open_text(f.whole());
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  EXPECT_EQ((*opened)->tensors[0].numel, 0U);
  const ElementSource source = source_of(**opened, 0);
  ASSERT_TRUE(source.check().ok());
  EXPECT_TRUE(source.is_contiguous());
  EXPECT_TRUE(read_values(source, 0, {}).ok());
}

TEST(GgufRefuses, EveryTruncation) {
  for (const std::uint32_t version : {1U, 2U, 3U}) {
    GgufWriter f(version, version == 3);
    f.text("general.architecture", "llama").alignment(32);
    f.array("tokens", f.kString, 3, f.string("a") + f.string("bc") + f.string(""));
    f.array("nested", f.kArray, 1, f.number<std::uint32_t>(f.kU16) + f.length(2) + "abcd");
    f.tensor("blk.0.w", {32, 2}, 2, std::string(36, 'q')).tensor("b", {8}, 0, std::string(32, 'b'));
    const std::string whole = f.whole();
    ASSERT_EQ(gguf_refusal(whole), "opened");
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const auto document = open_text(whole.substr(0, length));
      ASSERT_FALSE(document.ok()) << length;
      EXPECT_FALSE(document.error().found.empty());
      if (length >= 4) {
        EXPECT_TRUE(document.error().offset.has_value()) << length;
      }
    }
  }
}

TEST(GgufRefuses, AFileThatIsCutInsideItsFirstLetters) {
  for (const char* text : {"G", "GG", "GGU"}) {
    EXPECT_EQ(gguf_refusal(text),
              fmt::format("test.bin: byte {}: the file is cut: it ends after \"{}\"; expected a whole GGUF "
                          "file, which begins with \"GGUF\", a version and the number of its tensors",
                          std::string_view(text).size(), text));
  }
  EXPECT_THAT(gguf_refusal("GGUF"), testing::HasSubstr("but the file has 4 here; expected a whole file"));
}

TEST(GgufOpen, ASourceThatCannotBeViewedIsReadToo) {
  const auto source = std::make_shared<tests::ReadOnlySource>(tests::to_bytes(tests::gguf_of(5'000)));
  const auto opened = tests::open_document(source);
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  EXPECT_EQ((*opened)->tensors.size(), 5'000U);
  EXPECT_LE(source->largest_read(), std::size_t{1} << 20U);
  EXPECT_EQ(gguf_values(**opened, 4'999).size(), 32U);
}

}  // namespace
}  // namespace nns::checkpoint
