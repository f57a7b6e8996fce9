#include "core/unicode/normalization.h"

#include <gtest/gtest.h>

#include "tests/unicode/database.h"

namespace nns::unicode {
namespace {

// Source: UAX #15, NormalizationTest.txt, "CONFORMANCE".
TEST(Normalization, PassesTheConformanceTestOfTheStandard) {
  int checked = 0;
  for (const auto& row : tests::database_rows("NormalizationTest")) {
    if (!row.contains("NFCSequence")) continue;
    const std::u32string source = tests::points_of(row["sourceSequence"]), nfc = tests::points_of(row["NFCSequence"]),
                         nfd = tests::points_of(row["NFDSequence"]), nfkc = tests::points_of(row["NFKCSequence"]),
                         nfkd = tests::points_of(row["NFKDSequence"]);
    for (const auto& text : {source, nfc, nfd}) {
      ASSERT_EQ(normalized(text, Form::Nfc), nfc) << row.dump();
      ASSERT_EQ(normalized(text, Form::Nfd), nfd) << row.dump();
    }
    for (const auto& text : {nfkc, nfkd}) {
      ASSERT_EQ(normalized(text, Form::Nfc), nfkc) << row.dump();
      ASSERT_EQ(normalized(text, Form::Nfd), nfkd) << row.dump();
    }
    for (const auto& text : {source, nfc, nfd, nfkc, nfkd}) {
      ASSERT_EQ(normalized(text, Form::Nfkc), nfkc) << row.dump();
      ASSERT_EQ(normalized(text, Form::Nfkd), nfkd) << row.dump();
    }
    ++checked;
  }
  EXPECT_GT(checked, 19'000);
}

TEST(Normalization, TakesWhatIsNoCharacter) {
  const std::u32string odd = {0xD800, 0x10FFFF, 0x110000, U'a', 0x301};
  EXPECT_EQ(normalized(odd, Form::Nfc), (std::u32string{0xD800, 0x10FFFF, 0x110000, 0xE1}));
  EXPECT_EQ(normalized(U"", Form::Nfkd), U"");
}

}  // namespace
}  // namespace nns::unicode
