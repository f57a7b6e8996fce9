#include <gmock/gmock.h>

#include <cstring>

#include "core/checkpoint/checkpoint.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

using tests::open_text;
using tests::safetensors_with_header;

/// The message of the refusal, or "opened".
std::string safetensors_refusal(std::string_view bytes) {
  const auto document = open_text(bytes);
  return document.ok() ? "opened" : document.error().message();
}

std::string refusal_of_safetensors_header(std::string_view header, std::size_t data = 0) {
  return safetensors_refusal(safetensors_with_header(header, data));
}

std::string with_length(std::uint64_t length, std::string_view rest) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + std::string(rest);
}

TEST(SafetensorsRefuses, ALengthAboveTheLimit) {
  EXPECT_EQ(safetensors_refusal(with_length(100'000'001, "{}")),
            "test.bin: byte 0: header length 100000001; expected at most 100000000");
  EXPECT_EQ(safetensors_refusal(with_length(UINT64_MAX, "{}")),
            "test.bin: byte 0: header length 18446744073709551615; expected at most 100000000");
}

TEST(SafetensorsRefuses, ALengthBeyondTheFile) {
  EXPECT_EQ(safetensors_refusal(with_length(3, "{}")),
            "test.bin: byte 0: header length 3, but the file has 2 bytes after it; expected a header inside the file");
}

TEST(SafetensorsRefuses, BrokenJsonWithTheByteWhereItBreaks) {
  EXPECT_EQ(refusal_of_safetensors_header("{\"a\":}"),
            "test.bin: byte 13: the header holds another character; expected '{'");
  EXPECT_EQ(refusal_of_safetensors_header("{\"a\""),
            "test.bin: byte 12: the header holds the end of the text; expected ':'");
  EXPECT_EQ(refusal_of_safetensors_header("{,}"),
            "test.bin: byte 9: the header holds another character; expected '\"'");
  EXPECT_EQ(refusal_of_safetensors_header("{}x"),
            "test.bin: byte 10: the header goes on after its last '}'; expected only spaces");
}

TEST(SafetensorsRefuses, BytesThatAreNotUtf8) {
  EXPECT_EQ(refusal_of_safetensors_header("{\"\xC0\xAF\":1}"),
            "test.bin: byte 10: the header holds byte 0xc0, which is not UTF-8 here; expected UTF-8");
}

TEST(SafetensorsRefuses, ATensorTwice) {
  EXPECT_EQ(
      refusal_of_safetensors_header(
          R"({"a.b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a.b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
          2),
      "test.bin: byte 63: tensor \"a.b\" appears twice; expected each name once");
}

TEST(SafetensorsRefuses, MetadataTwiceOrNotStrings) {
  EXPECT_EQ(refusal_of_safetensors_header(R"({"__metadata__":{},"__metadata__":{}})"),
            "test.bin: byte 27: __metadata__ appears twice; expected each name once");
  EXPECT_EQ(refusal_of_safetensors_header(R"({"__metadata__":{"a":1}})"),
            "test.bin: byte 29: the value of \"a\" in __metadata__ is not a string; expected a string");
  EXPECT_EQ(refusal_of_safetensors_header(R"({"__metadata__":{"a":"1","a":"2"}})"),
            "test.bin: byte 33: \"a\" appears twice in __metadata__; expected each key once");
}

TEST(SafetensorsRefuses, FieldsThatAreMissingDoubleOrUnknown) {
  EXPECT_EQ(refusal_of_safetensors_header(R"({"a":{"dtype":"U8","shape":[1]}})", 1),
            "test.bin: byte 9: tensor \"a\" has no data_offsets; expected dtype, shape and data_offsets");
  EXPECT_EQ(refusal_of_safetensors_header(R"({"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1),
            "test.bin: byte 27: \"dtype\" appears twice in one tensor; expected each field once");
  EXPECT_THAT(refusal_of_safetensors_header(R"({"a":{"dtype":"F7","shape":[1],"data_offsets":[0,1]}})", 1),
              testing::StartsWith("test.bin: byte 22: unknown dtype \"F7\"; expected one of BOOL"));
}

TEST(SafetensorsRefuses, ATypeWithoutAName) {
  EXPECT_THAT(refusal_of_safetensors_header(R"({"a":{"dtype":"","shape":[1],"data_offsets":[0,0]}})"),
              testing::HasSubstr("unknown dtype \"\""));
}

TEST(SafetensorsRefuses, OffsetsThatDoNotFitTheShape) {
  EXPECT_EQ(refusal_of_safetensors_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 8),
            "test.bin: byte 9: tensor \"a\" has data_offsets [0, 4]; expected 8 bytes for its shape and dtype F32");
  EXPECT_EQ(refusal_of_safetensors_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 8),
            "test.bin: byte 9: tensor \"a\" has data_offsets [4, 0]; expected 4 bytes for its shape and dtype F32");
  EXPECT_EQ(
      refusal_of_safetensors_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 3),
      "test.bin: byte 9: tensor \"a\" ends at byte 4 of the data, but the file has 3; expected data inside the file");
}

TEST(SafetensorsRefuses, ShapesThatOverflow) {
  EXPECT_EQ(
      refusal_of_safetensors_header(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})"),
      "test.bin: byte 9: the shape of tensor \"a\" holds more than 2^64 bits; expected a smaller shape");
  EXPECT_EQ(refusal_of_safetensors_header(R"({"a":{"dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,0]}})"),
            "test.bin: byte 36: a dimension of 9223372036854775808; expected at most 2^63 - 1");
  std::string ones = "1";
  for (int at = 1; at < 65; ++at) ones += ",1";
  EXPECT_THAT(
      refusal_of_safetensors_header(R"({"a":{"dtype":"U8","shape":[)" + ones + R"(],"data_offsets":[0,1]}})", 1),
      testing::HasSubstr("more than 64 dimensions"));
}

TEST(SafetensorsRefuses, NumbersThatAreNegativeOrBroken) {
  EXPECT_THAT(refusal_of_safetensors_header(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", 1),
              testing::HasSubstr("a whole number"));
  EXPECT_THAT(refusal_of_safetensors_header(R"({"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}})", 1),
              testing::HasSubstr("a whole number"));
}

TEST(SafetensorsRefuses, HolesOverlapsAndLeftovers) {
  const std::string first =
      R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":)";
  EXPECT_EQ(refusal_of_safetensors_header(first + "[3,5]}}", 5),
            "test.bin: byte 61: tensor \"b\" begins at byte 3 of the data, which leaves a hole before it; expected 2");
  EXPECT_EQ(
      refusal_of_safetensors_header(first + "[1,3]}}", 3),
      "test.bin: byte 61: tensor \"b\" begins at byte 1 of the data, which overlaps the tensor before it; expected 2");
  EXPECT_EQ(refusal_of_safetensors_header(first + "[2,4]}}", 7),
            "test.bin: byte 117: 3 bytes follow the last tensor; expected the end of the file");
}

TEST(SafetensorsRefuses, NestingWithoutEndInBoundedTime) {
  EXPECT_THAT(refusal_of_safetensors_header(R"({"a":{"x":)" + std::string(5'000'000, '[')),
              testing::HasSubstr("nested deeper than 64"));
}

TEST(SafetensorsRefuses, EveryTruncationOfAFile) {
  const std::string whole =
      tests::plan_safetensors({{"a.w", "F32", {2, 3}}, {"a.b", "BF16", {4}}, {"é", "U8", {5}}}).whole();
  ASSERT_EQ(safetensors_refusal(whole), "opened");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto document = open_text(std::string_view(whole).substr(0, length));
    ASSERT_FALSE(document.ok()) << length;
    EXPECT_EQ(document.error().where, "test.bin");
    EXPECT_TRUE(document.error().offset.has_value()) << document.error().message();
  }
}

TEST(SafetensorsRefuses, EveryChangedByteOrOpensIt) {
  const std::string whole = tests::plan_safetensors({{"a.w", "F32", {2, 3}}, {"a.b", "BF16", {4}}}).whole();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\0', '"', '{', '9', '\xFF'}) {
      std::string changed = whole;
      changed[at] = byte;
      const auto document = open_text(changed);
      if (!document.ok()) continue;
      EXPECT_EQ(tests::tree_fault(**document), "");
    }
  }
}

TEST(OpenCheckpoint, SaysWhatItSawAndWhatItKnows) {
  const std::string message = safetensors_refusal("RIFF....WAVE");
  EXPECT_THAT(message, testing::StartsWith("test.bin: byte 0: no reader knows a file that begins with 52 49 46 46"));
  EXPECT_THAT(message, testing::HasSubstr("safetensors"));
  EXPECT_THAT(safetensors_refusal(""), testing::StartsWith("test.bin: byte 0: the file is empty"));
}

TEST(GitLfsPointer, IsRefusedWithWhatItStandsFor) {
  EXPECT_EQ(safetensors_refusal("version https://git-lfs.github.com/spec/v1\noid sha256:16d0\nsize 4792272488\n"),
            "test.bin: byte 0: a Git LFS pointer: the repository was cloned without its large files, so this is only a "
            "note of what "
            "belongs here (4792272488 bytes, sha256:16d0); expected the file itself: run \"git lfs pull\"");
}

}  // namespace
}  // namespace nns::checkpoint
