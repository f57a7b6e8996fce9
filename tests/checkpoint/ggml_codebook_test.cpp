// The types of GGUF whose values are places in codebooks, against blocks that ggml itself has decoded.
#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <cstdlib>

#include "core/checkpoint/ggml_types.h"
#include "tests/support/make_gguf.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

using testing::HasSubstr;

/// A block, and what ggml's dequantize_row_* makes of it: values 0, 7, 100 and 255 as bits of float32, and the 64-bit
/// FNV-1a hash of the bytes of all 256. Of each type two blocks are of random bytes, with a scale of either sign; the
/// third has every bit set, so the last places, scales and signs, and the scale -1.
struct CodebookBlock {
  std::uint32_t type;
  std::string_view hex;
  std::array<std::uint32_t, 4> some;
  std::uint64_t hash;
};
constexpr std::size_t kSomePlaces[] = {0, 7, 100, 255};
constexpr CodebookBlock kCodebookBlocks[] = {
    {16,
     "9a2cc6f455cbb8f6e0fe378063a3693f6f421ce12145526dd006b863a090608ddc9386868487d980609dab0ff11d9ec2df456299"
     "259c30fbc9a59fb65fe0119a711c",
     {0x400EA600U, 0xC0DEE360U, 0x40EAF7A0U, 0x3F946680U},
     0xD96339FFB1F6FACCU},
    {16,
     "55b17c3e7207ab67566b9f925f235c50d1a27ed4d65ccf25ae73e7f8bd2c202a17b7c439837326b705c3b39e1c7b82fd08a5305e"
     "786a41c6c603deb3b6a197ffed16",
     {0x400AA200U, 0xC00AA200U, 0xC0754600U, 0x3FC7F380U},
     0xDD79C3A3919B41D6U},
    {16,
     "00bcffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffff",
     {0x41F80000U, 0x4326A000U, 0x42C1C000U, 0x4326A000U},
     0xB80A140185E5D325U},
    {17,
     "9a2c5c22f492ce5ab6ccc2d41e41bddb044b258c1379584c70977d1f3adb8d23d79ed88bdc1d1e4bca24cddc87f42a1a8913be64"
     "315f2c8a17dd7d5f4ec1c88cc548c82efd9eb9f48d8f",
     {0xBF9C7400U, 0x3F9C7400U, 0x40057200U, 0x3F9C7400U},
     0xC08B47EC184F67C4U},
    {17,
     "55b110dc84c08f09b29fdf5895e536d496ca8ef82de702ad0c717b3789d63cc520fb9859793fad26978b78c7fd0a5cce973d749d"
     "c518892839a2f10114ec5b19ef406e342d2968713194",
     {0xC1719B90U, 0x409AA100U, 0x404A9E00U, 0x404A9E00U},
     0x4F6D366F655E46A7U},
    {17,
     "00bcffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffff",
     {0x4326A000U, 0x4326A000U, 0x4326A000U, 0x4326A000U},
     0xF4E73BBD63162125U},
    {18,
     "9a2c8d5680e40d712c4ad21315678b5f963b1bdfe1d23ba4de76ae429bc1fae733e9e7c74be1cbf6cd7055696bc9279a8aa5ca85"
     "b39290376219d6f8a111abb7607abe8509e5645eb7cffddaefc73fbd3af383c85460ff59f6aedf8aea66dec966be",
     {0x40057200U, 0xC0C82B00U, 0xC1A07AC0U, 0xC1044B80U},
     0xAAD2556839EA3D40U},
    {18,
     "55b129b8ed63d0696986f8ebd6f1c48f2cb4785a65f5c4966d008e78b7ffc6f1303e32ad104c159eabf1b36e274a4f4e134d6b2c"
     "a42da4f92cb07131e4c66510ac15360b9097a3bb47ee4bd2cded933bc1d8d55b7a79705837011391cc16a7bf276e",
     {0xC1B14A40U, 0xC1E3F1C0U, 0x408FF700U, 0xC00AA200U},
     0xAA05CC07C6C9FAF0U},
    {18,
     "00bcffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
     {0x41F80000U, 0x43F04000U, 0x41F80000U, 0x43F04000U},
     0x9095659D31E08225U},
    {19,
     "9a2c0d8f6d9b2390edc854e8572a191cacec318675a547fd224cc554ddc1d2ebd1cec7957857b8a0460f82b97ce6c5ead289",
     {0x3E414400U, 0x3E414400U, 0xBD80D800U, 0xBC134000U},
     0x0C6EA776CFBF5D36U},
    {19,
     "55b1c13b94e6174fb03e1451a1f4ca29ae061e7c4002263d9127fd2f3f89d54db8bb07b485502567d6646ed2d5480054680f",
     {0xBF82A280U, 0xBF82A280U, 0xBE8AA200U, 0xBE3FF400U},
     0x225FC3CF00923E36U},
    {19,
     "00bcffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
     {0xC1520000U, 0xC1520000U, 0xC1520000U, 0xC1520000U},
     0x58BC79727078DD25U},
    {21,
     "9a2c0336109f8f09575ff183fca091e72128f446858f602dd50b25a0ce755032f25a6a9620897920adccc6a57dd4a2f493ee8430"
     "ec0209e864419df7a88a6cc196735c5325520f38da8e4ce6ebd4b0ebfce574878e6ec757db33c841096312d59d6c053896d46ca8"
     "c95b112efb3b",
     {0x4017DA00U, 0x3E5CE000U, 0x3F8A0C00U, 0x4090F300U},
     0xE754C3E04BE3B266U},
    {21,
     "55b1f2dba84b9ab1480768621d626c2255c58b4fb27b53dbff61538cdc00f1b26604c087f05923cc4a82d122d17867f484fe0277"
     "2102d4b32192f0d8ad898964dd021080f53eba391f8ba147bc9cd32c66e66be2c56e5f13fd830859472c79844db3ac6b2585e199"
     "2892e7d5aed1",
     {0x401FF600U, 0x4147F380U, 0x408FF700U, 0x41B3F4C0U},
     0xE23C38F33BC4BBA2U},
    {21,
     "00bcffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffff",
     {0x41F80000U, 0x43E88000U, 0x41F80000U, 0x43E88000U},
     0x32261D7F9CF95F25U},
    {22,
     "9a2cf378bad50e5838cf4c581a0c8efbe3aa23652ed96a334ec3ae93c00837726c5d7b7122a1590cad621fc2dbbb076e9f97f2d2"
     "fc688db33d60ed3d5f863bb85e436e02f4d74fb789c7dc39ba3205a43b10",
     {0xC0B3BFA0U, 0x40B3BFA0U, 0x3F8FCC80U, 0x3F946680U},
     0x0EB01A69C27616FCU},
    {22,
     "55b19f8cef434ad1eae9aa1e10060d54d47dca06a45ec03283db5b89aa7364d3d98edb0f1bf182656803dca3e916b936076b26cf"
     "266644f250c4b0a82752d3353dcf8896e3084a1df4e9ff4ea651099f916a",
     {0x41DE1CC8U, 0x40A54B00U, 0x3EFFF000U, 0x413A49B0U},
     0x54EC38D7A3FB59D7U},
    {22,
     "00bcffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
     {0x4326A000U, 0x4326A000U, 0x4326A000U, 0x4326A000U},
     0xF4E73BBD63162125U},
    {29,
     "b54c13b6c81e8e2a69372c2c5235fcd32c8859d9b13137b86b9e3cbe2b401d25f7162ae2519a308040b0db5623ccfb4224adc193"
     "7acebb2f",
     {0x3F3A5D00U, 0x3F3A5D00U, 0xBF719500U, 0x3E0A0C00U},
     0xB0A19D0015EAE9EBU},
    {29,
     "844d2dd57410bbc7c9d14157ac95f1a01fe6142f51b4337e9bb5ceabc53bf593a08d70f5d6a826319f52683cd0eefa5ad1572a54"
     "0e1827b6",
     {0x3EDFF200U, 0x3EDFF200U, 0x3E154C00U, 0xBE154C00U},
     0x6A1C91128A59588AU},
    {29,
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0fff0f"
     "ffcfffbf",
     {0xC1520000U, 0xC1520000U, 0xC1520000U, 0xC1520000U},
     0x58BC79727078DD25U},
};

std::vector<std::byte> codebook_bytes(std::string_view hex) {
  std::vector<std::byte> bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(at, 2)), nullptr, 16)));
  }
  return bytes;
}

TEST(GgmlCodebooks, BlocksGiveTheNumbersOfGgmlToTheLastBit) {
  for (const CodebookBlock& block : kCodebookBlocks) {
    const GgmlType* type = find_ggml_type(block.type);
    ASSERT_NE(type, nullptr);
    SCOPED_TRACE(type->name);
    const std::vector<std::byte> bytes = codebook_bytes(block.hex);
    ASSERT_EQ(bytes.size(), type->block_bytes);
    ASSERT_EQ(type->block_values, 256U);
    std::array<float, 256> values{};
    type->decode({bytes.data(), false}, values.data());
    for (std::size_t i = 0; i < block.some.size(); ++i) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(values[kSomePlaces[i]]), block.some[i]) << kSomePlaces[i];
    }
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const float value : values) {
      for (unsigned byte = 0; byte < 4; ++byte) {
        hash = (hash ^ (std::bit_cast<std::uint32_t>(value) >> 8 * byte & 0xFFU)) * 0x100000001B3U;
      }
    }
    EXPECT_EQ(hash, block.hash);
  }
}

TEST(GgmlCodebooks, TensorsCanBeReadAndNothingIsNotedOfThem) {
  for (const CodebookBlock& block : kCodebookBlocks) {
    const std::vector<std::byte> bytes = codebook_bytes(block.hex);
    std::string data;
    for (int i = 0; i < 2; ++i) data.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    tests::GgufWriter file;
    file.tensor("a.weight", {256, 2}, block.type, data);
    const std::string whole = file.whole();
    const auto opened = tests::open_text(whole);
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    Checkpoint& document = **opened;
    EXPECT_EQ(document.dtype_name(document.tensors[0]), find_ggml_type(block.type)->name);
    EXPECT_TRUE(document.tensors[0].readable);
    EXPECT_EQ(document.tree.parameters[0], 512U);
    EXPECT_THAT(document.notes, testing::IsEmpty());
    const auto values = document.value_bytes(0);
    ASSERT_TRUE(values.ok());
    EXPECT_EQ((*values)->size(), 512 * sizeof(float));

    // A file that ends within the blocks is refused, wherever it is cut.
    for (std::size_t missing = 1; missing <= data.size(); ++missing) {
      const auto cut =
          tests::open_text(std::string_view(whole).substr(0, file.header().size() + data.size() - missing));
      ASSERT_FALSE(cut.ok()) << missing;
      EXPECT_FALSE(cut.error().found.empty());
    }
  }
}

TEST(GgmlCodebooks, RowsThatAreNoWholeBlocksAreRefused) {
  for (const CodebookBlock& block : kCodebookBlocks) {
    tests::GgufWriter file;
    file.tensor("w", {255, 2}, block.type, std::string(block.hex.size(), 'x'));
    const auto opened = tests::open_text(file.whole());
    ASSERT_FALSE(opened.ok());
    EXPECT_THAT(opened.error().message(), HasSubstr("256"));
  }
}

}  // namespace
}  // namespace nns::checkpoint
