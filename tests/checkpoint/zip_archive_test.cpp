#include "core/checkpoint/zip_archive.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/files.h"
#include "tests/support/make_torch_zip.h"

namespace nns::checkpoint {
namespace {

using testing::HasSubstr;
using tests::ZipWriter;

constexpr std::uint64_t kLimit = 1U << 20U;

base::Result<std::unique_ptr<ZipArchive>> open_zip_text(std::string_view bytes) {
  return ZipArchive::open(base::make_memory_source("a.zip", tests::to_bytes(bytes)));
}

std::string archive_refusal(std::string_view bytes) {
  const auto archive = open_zip_text(bytes);
  return archive.ok() ? "opened" : archive.error().message();
}

std::string text_of(const ZipArchive& archive, std::string_view name) {
  const auto bytes = archive.read(archive.find(name), kLimit);
  if (!bytes.ok()) return bytes.error().message();
  return {reinterpret_cast<const char*>(bytes->bytes.data()), bytes->bytes.size()};
}

ZipWriter::Options deflated() {
  ZipWriter::Options options;
  options.deflated = true;
  return options;
}

/// Two members, the second deflated.
std::string two_members(bool zip64 = false) {
  ZipWriter zip;
  zip.add("a/one", "first");
  zip.add("a/two", std::string(5000, 'x') + "end", deflated());
  zip.finish(zip64);
  return zip.whole();
}

std::string with_bytes(std::string text, std::size_t at, std::string_view bytes) {
  std::copy(bytes.begin(), bytes.end(), text.begin() + static_cast<std::ptrdiff_t>(at));
  return text;
}

TEST(ZipArchiveOpen, ReadsStoredAndDeflatedMembers) {
  for (const bool zip64 : {false, true}) {
    const auto archive = open_zip_text(two_members(zip64));
    ASSERT_TRUE(archive.ok()) << archive.error().message();
    EXPECT_EQ((*archive)->members().size(), 2U);
    EXPECT_EQ(text_of(**archive, "a/one"), "first");
    EXPECT_EQ(text_of(**archive, "a/two"), std::string(5000, 'x') + "end");
    EXPECT_EQ((*archive)->find("a/three"), UINT32_MAX);
  }
}

TEST(ZipArchiveOpen, AnEmptyArchiveAndALongCommentAreFine) {
  ZipWriter zip;
  zip.finish();
  EXPECT_EQ(archive_refusal(zip.whole()), "opened");
  std::string commented = two_members();
  commented = with_bytes(commented, commented.size() - 2, "\xFF\xFF");
  EXPECT_EQ(archive_refusal(commented + std::string(65535, 'c')), "opened");
}

TEST(ZipArchiveOpen, ReadsOnlyTheEndAndTheDirectoryOfAFileAbove4GB) {
  const tests::TemporaryFolder folder;
  ZipWriter zip;
  zip.add("a/first", "beginning");
  zip.add_hole("a/large", 5'000'000'000);
  zip.add("a/last", "end");
  zip.finish();
  zip.write_sparse(folder.path() / "large.zip");
  const auto source = tests::open_file(folder.path() / "large.zip");
  const auto archive = ZipArchive::open(source);
  ASSERT_TRUE(archive.ok()) << archive.error().message();
  EXPECT_LE(source->bytes_read(), 8192U);
  EXPECT_EQ(text_of(**archive, "a/last"), "end");
  const ZipMember& large = (*archive)->members()[1];
  EXPECT_EQ(large.size, 5'000'000'000U);
  EXPECT_GT((*archive)->members()[2].header_offset, 5'000'000'000U);
}

TEST(ZipArchiveOpen, AnExtraFieldLongerThanItsPlaceEndsTheSearch) {
  // The record gets the last eight bytes of its name as an extra field that says it is longer.
  ZipWriter zip;
  zip.add(std::string("a\x05\x05\xFF\x7F\x05\x05\x05\x05", 9), "x");
  zip.finish();
  std::string bytes = zip.whole();
  const auto record = static_cast<std::size_t>(zip.directory());
  bytes = with_bytes(bytes, record + 28, std::string("\x01\0\x08\0", 4));
  const auto archive = open_zip_text(bytes);
  ASSERT_TRUE(archive.ok()) << archive.error().message();
  EXPECT_EQ((*archive)->members()[0].name, "a");
}

TEST(ZipArchiveOpen, AWrongChecksumIsToldNotRefused) {
  std::string bytes = two_members();
  bytes[bytes.find("first")] = 'F';
  const auto archive = open_zip_text(bytes);
  ASSERT_TRUE(archive.ok());
  const auto read = (*archive)->read(0, kLimit);
  ASSERT_TRUE(read.ok());
  EXPECT_FALSE(read->crc_matches);
}

TEST(ZipArchiveMember, AStreamMayBeReadInAnyOrder) {
  const auto archive = open_zip_text(two_members());
  ASSERT_TRUE(archive.ok());
  const auto member = (*archive)->open_member(1);
  ASSERT_TRUE(member.ok());
  std::array<std::byte, 3> end{};
  std::array<std::byte, 3> begin{};
  ASSERT_TRUE((*member)->read(5000, end).ok());
  ASSERT_TRUE((*member)->read(1, begin).ok());
  ASSERT_TRUE((*member)->read(5000, end).ok());
  EXPECT_EQ(end[0], std::byte{'e'});
  EXPECT_EQ(begin[0], std::byte{'x'});
}

TEST(ZipArchiveRefuses, EveryTruncation) {
  for (const std::string& whole : {two_members(), two_members(true)}) {
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const auto archive = open_zip_text(std::string_view(whole).substr(0, length));
      ASSERT_FALSE(archive.ok()) << length;
      EXPECT_TRUE(archive.error().offset.has_value());
    }
  }
}

TEST(ZipArchiveRefuses, EveryChangedByteOrReadsIt) {
  const std::string whole = two_members(true);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\0', '\x7F', '\xFF'}) {
      const auto archive = open_zip_text(with_bytes(whole, at, {&byte, 1}));
      if (!archive.ok()) continue;
      for (std::uint32_t member = 0; member < (*archive)->members().size(); ++member)
        (void)(*archive)->read(member, kLimit);
    }
  }
}

TEST(ZipArchiveRefuses, ANameTwice) {
  ZipWriter zip;
  zip.add("a/x", "1");
  zip.add("a/x", "2");
  zip.finish();
  EXPECT_THAT(archive_refusal(zip.whole()), HasSubstr("member a/x appears twice; expected each name once"));
}

TEST(ZipArchiveRefuses, MembersThatOverlap) {
  ZipWriter zip;
  zip.add("a/x", std::string(100, 'x'));
  zip.add("a/y", "2");
  zip.finish();
  std::string bytes = zip.whole();
  // The second record's local header is said to lie inside the first member's data.
  const std::size_t second = bytes.find("PK\x01\x02", static_cast<std::size_t>(zip.directory()) + 4);
  bytes = with_bytes(bytes, second + 42, std::string("\x40\0\0\0", 4));
  EXPECT_THAT(archive_refusal(bytes),
              HasSubstr("member a/x at byte 0 with 100 bytes reaches into what follows at byte 64"));
}

TEST(ZipArchiveRefuses, EncryptedMembersAndOtherMethods) {
  std::string bytes = two_members();
  const std::size_t record = bytes.find("PK\x01\x02");
  const auto encrypted = open_zip_text(with_bytes(bytes, record + 8, "\x01"));
  ASSERT_TRUE(encrypted.ok());
  EXPECT_THAT(text_of(**encrypted, "a/one"), HasSubstr("member a/one is encrypted; expected plain bytes"));
  const std::size_t second = bytes.find("PK\x01\x02", record + 4);
  bytes = with_bytes(bytes, second + 10, "\x0C");
  bytes = with_bytes(bytes, bytes.find("PK\x03\x04", 4) + 8, "\x0C");
  const auto packed = open_zip_text(bytes);
  ASSERT_TRUE(packed.ok());
  EXPECT_THAT(text_of(**packed, "a/two"), HasSubstr("packed with method 12; expected 0 (stored) or 8 (deflated)"));
}

TEST(ZipArchiveRefuses, SeveralDisks) {
  const std::string bytes = two_members();
  EXPECT_THAT(archive_refusal(with_bytes(bytes, bytes.size() - 18, "\x01")),
              HasSubstr("an archive on several disks; expected one file"));
}

TEST(ZipArchiveRefuses, MoreBytesThanDeflateCanMake) {
  std::string bytes = two_members();
  const std::size_t record = bytes.find("PK\x01\x02", bytes.find("PK\x01\x02") + 4);
  const auto archive = open_zip_text(with_bytes(bytes, record + 24, std::string("\0\0\0\x7F", 4)));
  ASSERT_TRUE(archive.ok()) << archive.error().message();
  const auto read = (*archive)->read(1, UINT64_MAX);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message(), HasSubstr("claims to unpack"));
  EXPECT_THAT(text_of(**archive, "a/two"), HasSubstr("unpacks to 2130706432 bytes; expected at most 1048576"));
}

TEST(ZipArchiveRefuses, AStreamThatIsShorterOrLongerThanDeclared) {
  const std::string bytes = two_members();
  const std::size_t record = bytes.find("PK\x01\x02", bytes.find("PK\x01\x02") + 4);
  const auto longer = open_zip_text(with_bytes(bytes, record + 24, std::string("\x8C\x13\0\0", 4)));
  ASSERT_TRUE(longer.ok());
  EXPECT_THAT(text_of(**longer, "a/two"), HasSubstr("the packed bytes end after 5003 unpacked ones; expected 5004"));
  const auto shorter = open_zip_text(with_bytes(bytes, record + 24, std::string("\x8A\x13\0\0", 4)));
  ASSERT_TRUE(shorter.ok());
  EXPECT_THAT(text_of(**shorter, "a/two"), HasSubstr("it unpacks to more bytes than declared; expected 5002"));
}

TEST(ZipArchiveRefuses, ALocalHeaderOfAnotherMember) {
  std::string bytes = two_members();
  bytes[bytes.find("a/one") + 2] = 'X';
  const auto archive = open_zip_text(bytes);
  ASSERT_TRUE(archive.ok());
  EXPECT_THAT(text_of(**archive, "a/one"), HasSubstr("a local header that is not that of member a/one"));
}

}  // namespace
}  // namespace nns::checkpoint
