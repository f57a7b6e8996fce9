// .npy files, and archives of them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/elements.h"
#include "tests/support/files.h"
#include "tests/support/make_npy.h"
#include "tests/support/make_torch_zip.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

using tests::npy;
using tests::npy_with_header;
using tests::open_text;
using tests::PickleWriter;
using tests::zip_of;

std::string npz_refusal(std::string_view bytes) {
  const auto document = open_text(bytes);
  return document.ok() ? "opened" : document.error().message();
}

std::string refusal_of_header(std::string_view header, std::string_view data = "") {
  return npz_refusal(npy_with_header(header, data));
}

std::vector<std::int64_t> npz_copy(std::span<const std::int64_t> values) { return {values.begin(), values.end()}; }

std::vector<double> npz_values(Checkpoint& document, std::uint32_t tensor) {
  const TensorEntry& entry = document.tensors[tensor];
  auto bytes = document.value_bytes(tensor);
  EXPECT_TRUE(bytes.ok()) << bytes.error().message();
  std::vector<double> values(static_cast<std::size_t>(entry.numel));
  const auto read = read_values(
      {*bytes, entry.dtype, npz_copy(document.shape(entry)), npz_copy(document.stride(entry)), entry.storage_offset}, 0,
      values);
  EXPECT_TRUE(read.ok()) << read.error().message();
  return values;
}

TEST(NpyOpen, AnArrayIsOneTensorOfAContainer) {
  const auto opened = open_text(npy("<i2", "(2, 3)", std::string("\1\0\2\0\3\0\4\0\5\0\xFF\xFF", 12)));
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  Checkpoint& d = **opened;
  EXPECT_EQ(d.format, "npy");
  EXPECT_EQ(tests::tree_fault(d), "");
  ASSERT_EQ(d.tensors.size(), 1U);
  EXPECT_EQ(d.name(d.tensors[0]), "test.bin");
  EXPECT_EQ(d.dtype_name(d.tensors[0]), "int16");
  EXPECT_EQ(npz_copy(d.shape(d.tensors[0])), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(npz_copy(d.stride(d.tensors[0])), (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(npz_values(d, 0), (std::vector<double>{1, 2, 3, 4, 5, -1}));
  EXPECT_EQ(d.locate(0)->offset, 128U);
  EXPECT_EQ(d.tree.kind[0], NodeKind::Container);
}

TEST(NpyOpen, FortranOrderIsStrides) {
  const auto opened = open_text(npy("|u1", "(2, 3)", "\1\4\2\5\3\6", true));
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  EXPECT_EQ(npz_copy((*opened)->stride((*opened)->tensors[0])), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(npz_values(**opened, 0), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(NpyOpen, NumbersOfAllTypesAndBothOrdersAreRead) {
  struct Row {
    const char* descr;
    std::string bytes;
    const char* dtype;
    double value;
  };
  const auto hex = [](std::string_view digits) {
    std::string bytes;
    for (std::size_t at = 0; at < digits.size(); at += 2)
      bytes += static_cast<char>(std::stoi(std::string(digits.substr(at, 2)), nullptr, 16));
    return bytes;
  };
  const std::vector<Row> rows = {
      {"|b1", "\1", "bool", 1},
      {"?", "\1", "bool", 1},
      {"|i1", "\xFE", "int8", -2},
      {">i2", hex("FFFE"), "int16", -2},
      {">u4", hex("00010000"), "uint32", 65536},
      {"<i8", hex("0700000000000000"), "int64", 7},
      {"<f2", hex("003C"), "float16", 1},
      {">f2", hex("3C00"), "float16", 1},
      {">f4", hex("3F800000"), "float32", 1},
      {"=f8", hex("000000000000F03F"), "float64", 1},
      {"<c8", hex("0000404000008040"), "complex64", 5},
      {">c8", hex("4040000040800000"), "complex64", 5},
      {">c16", hex("40080000000000004010000000000000"), "complex128", 5},
      {"<M8[ns]", hex("0200000000000000"), "<M8[ns]", 2},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.descr);
    const auto opened = open_text(npy(row.descr, "()", row.bytes));
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    EXPECT_EQ((*opened)->dtype_name((*opened)->tensors[0]), row.dtype);
    EXPECT_EQ(npz_values(**opened, 0), std::vector<double>{row.value});
  }
}

TEST(NpyOpen, TypesThatAreNoNumbersAreShownWithTheirDescr) {
  for (const auto& [descr, bytes, shown] : std::vector<std::tuple<std::string, std::size_t, std::string>>{
           {"'<U5'", 40, "<U5"},
           {"'|S3'", 6, "|S3"},
           {"'|V7'", 14, "|V7"},
           {"'<f16'", 32, "<f16"},
           {"[('x', '<i4'), ('y', '<f8', (2, 2))]", 72, "[('x', '<i4'), ('y', '<f8', (2, 2))]"},
           {"[(('title', 'x'), '<i4'), ('', '|V4')]", 16, "[(('title', 'x'), '<i4'), ('', '|V4')]"},
           {"[('a', [('b', '<i2', 3)])]", 12, "[('a', [('b', '<i2', 3)])]"},
           {"('<f4', (2,))", 16, "('<f4', (2,))"}}) {
    SCOPED_TRACE(descr);
    const std::string header = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': (2,), }}", descr);
    const auto opened = open_text(npy_with_header(header, std::string(bytes, 'x')));
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    Checkpoint& d = **opened;
    EXPECT_EQ(d.dtype_name(d.tensors[0]), shown);
    EXPECT_FALSE(d.tensors[0].readable);
    EXPECT_EQ(d.tensors[0].nbytes, bytes);
    EXPECT_FALSE(d.value_bytes(0).ok());
    EXPECT_THAT(npz_refusal(npy_with_header(header, std::string(bytes - 1, 'x'))), testing::HasSubstr("bytes of data"));
  }
}

TEST(NpyOpen, AllVersionsAndSpellingsAreRead) {
  for (const unsigned version : {1U, 2U, 3U}) {
    for (const char* header : {"{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }",
                               R"({"shape":(1,),"descr":"<i4","fortran_order":False})",
                               "{'shape': (1L,), 'fortran_order': False, 'descr': '<\\x694'}"}) {
      const auto opened = open_text(npy_with_header(header, std::string("\5\0\0\0", 4), version));
      ASSERT_TRUE(opened.ok()) << opened.error().message();
      EXPECT_EQ(npz_values(**opened, 0), std::vector<double>{5});
    }
  }
}

TEST(NpyRefuses, WhatIsNotTheHeaderOfNumPy) {
  EXPECT_EQ(npz_refusal("\x93NUMPY"),
            "test.bin: byte 0: the file has 6 bytes; expected a .npy file, which begins with \\x93NUMPY, a version and "
            "a length");
  EXPECT_THAT(npz_refusal(npy_with_header("{}", "", 4)), testing::HasSubstr("byte 6: version 4.0 of the .npy format"));
  EXPECT_THAT(refusal_of_header("__import__('os').system('true')"),
              testing::HasSubstr("byte 10: the header holds '_'"));
  EXPECT_THAT(refusal_of_header("{'descr': open('x'), 'fortran_order': False, 'shape': ()}"),
              testing::HasSubstr("byte 20: the header holds 'o'; expected a dtype"));
  EXPECT_THAT(refusal_of_header("{}"), testing::HasSubstr("the header has no descr"));
  EXPECT_THAT(refusal_of_header("{'descr': '<i4', 'fortran_order': False}"), testing::HasSubstr("has no shape"));
  EXPECT_THAT(refusal_of_header("{'descr': '<i4', 'descr': '<i4'}"), testing::HasSubstr("the key \"descr\" twice"));
  EXPECT_THAT(refusal_of_header("{'x': 1}"), testing::HasSubstr("the key \"x\" in the header"));
  EXPECT_THAT(refusal_of_header("{'descr': '<i4', 'fortran_order': 0, 'shape': ()}"),
              testing::HasSubstr("expected True or False"));
  EXPECT_THAT(refusal_of_header("{'descr': '<i4', 'fortran_order': False, 'shape': (-1,)}"),
              testing::HasSubstr("the header holds '-'; expected a size"));
  EXPECT_THAT(refusal_of_header("{'descr': '<i4', 'fortran_order': False, 'shape': (1 2)}"),
              testing::HasSubstr("expected ',' or ')'"));
  EXPECT_THAT(refusal_of_header("{'descr': '<i4', 'fortran_order': False, 'shape': ()} + 1"),
              testing::HasSubstr("goes on after its last '}'"));
  EXPECT_THAT(refusal_of_header("{'descr': '<q4', 'fortran_order': False, 'shape': ()}"),
              testing::HasSubstr("unknown dtype \"<q4\""));
  EXPECT_THAT(refusal_of_header("{'descr': '<i4', 'fortran_order': False, 'shape': (9223372036854775808,)}"),
              testing::HasSubstr("more than 63 bits"));
  EXPECT_THAT(refusal_of_header("{'descr': '<i4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"),
              testing::HasSubstr("more bytes than can be counted"));
  EXPECT_THAT(refusal_of_header("{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}", "12345678"),
              testing::HasSubstr("the file has 8 bytes of data; expected 12 for its shape and dtype <i4"));
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "[('a', ";
  EXPECT_THAT(refusal_of_header("{'descr': " + deep + "'<i4'"), testing::HasSubstr("16 deep"));
}

TEST(NpyRefuses, EveryTruncation) {
  for (const unsigned version : {1U, 3U}) {
    const std::string whole =
        npy_with_header("{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }", std::string(12, 'x'), version);
    ASSERT_EQ(npz_refusal(whole), "opened");
    for (std::size_t length = 0; length < whole.size(); ++length) {
      EXPECT_NE(npz_refusal(whole.substr(0, length)), "opened") << length;
    }
  }
}

TEST(NpzOpen, StoredAndDeflatedArraysAreReadByName) {
  for (const bool deflated : {false, true}) {
    const auto opened = open_text(zip_of({{"arr_0.npy", npy("<f4", "(2,)", std::string("\0\0\x80\x3F\0\0\0\x40", 8))},
                                          {"b,c.npy", npy("|i1", "(1, 2)", "\1\2")}},
                                         deflated));
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    Checkpoint& d = **opened;
    EXPECT_EQ(d.format, "npz");
    EXPECT_EQ(tests::tree_fault(d), "");
    ASSERT_EQ(d.tensors.size(), 2U);
    EXPECT_EQ(d.name(d.tensors[0]), "arr_0");
    EXPECT_EQ(d.name(d.tensors[1]), "b,c");
    EXPECT_EQ(npz_values(d, 0), (std::vector<double>{1, 2}));
    EXPECT_EQ(npz_values(d, 1), (std::vector<double>{1, 2}));
    EXPECT_EQ(d.locate(0).ok(), !deflated);
    if (deflated) continue;
    std::vector<std::byte> bytes(4);
    ASSERT_TRUE(d.files[0].source->read(d.locate(0)->offset, bytes).ok());
    EXPECT_EQ(bytes[3], std::byte{0x3F});
  }
}

TEST(NpzOpen, NamesOfAStateDictMakeModules) {
  const auto opened =
      open_text(zip_of({{"fc.weight.npy", npy("<f4", "(1, 1)", "abcd")}, {"fc.bias.npy", npy("<f4", "(1,)", "abcd")}}));
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  EXPECT_EQ(tests::tree_text(**opened), ": Module\n  fc: Linear\n    bias\n    weight\n");
  EXPECT_EQ((*opened)->tree.parameters[0], 2U);
}

TEST(NpzOpen, ArraysOfObjectsListTheGlobalsOfTheirPickle) {
  PickleWriter pickle;
  pickle.global("os", "system").mark().text("true").tuple().reduce();
  const auto opened = open_text(zip_of({{"plain.npy", npy("|u1", "(1,)", "a")},
                                        {"evil.npy", npy("|O", "(1,)", pickle.stop())},
                                        {"broken.npy", npy("|O", "(1,)", "\x80\x02")}}));
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  Checkpoint& d = **opened;
  ASSERT_EQ(d.globals.size(), 1U);
  EXPECT_EQ(d.globals[0].name, "os.system");
  EXPECT_EQ(d.globals[0].member, "evil.npy");
  EXPECT_EQ(d.globals[0].verdict, Verdict::Dangerous);
  EXPECT_EQ(d.dtype_name(d.tensors[1]), "object");
  EXPECT_FALSE(d.tensors[1].readable);
  EXPECT_THAT(d.value_bytes(1).error().message(), testing::HasSubstr("a pickle holds them, which is not loaded"));
  EXPECT_THAT(d.notes, testing::Contains(testing::HasSubstr("is broken")));
  EXPECT_THAT(d.notes, testing::Contains(testing::HasSubstr("Arrays of Python objects: 2.")));
}

TEST(NpzRefuses, EveryTruncationAndAMemberThatIsNoArray) {
  const std::string whole = zip_of({{"a.npy", npy("<i4", "(2,)", "abcdefgh")}, {"b.npy", npy("|O", "()", "N.")}}, true);
  ASSERT_EQ(npz_refusal(whole), "opened");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(npz_refusal(whole.substr(0, length)), "opened") << length;
  }
  EXPECT_THAT(npz_refusal(zip_of({{"a.npy", "not an array"}})),
              testing::HasSubstr("a.npy: byte 0: the file begins otherwise"));
}

}  // namespace
}  // namespace nns::checkpoint
