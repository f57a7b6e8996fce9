#include "native/host/source_provider.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/native/raw_socket.h"
#include "tests/native/temp_folder.h"

namespace nns::host {
namespace {

using tests::ScriptedServer;
using tests::TempFolder;

/// Asks until there is an answer.
base::Result<session::SourceProvider::Opened> opened(NativeSources& sources, std::uint64_t source,
                                                     const std::string& url) {
  while (true) {
    if (auto answer = sources.open(source, "name", url)) return std::move(*answer);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(NativeSourcesOpen, FindsRegisteredFilesAndFoldersByNumber) {
  const TempFolder folder;
  NativeSources sources;
  const auto file = sources.register_file(folder.write("a.bin", "hello"));
  const auto whole = sources.register_file(folder.path());
  ASSERT_NE(file, whole);
  const auto opened_file = opened(sources, file, "");
  ASSERT_TRUE(opened_file.ok());
  EXPECT_EQ(opened_file->source->size(), 5U);
  const auto opened_folder = opened(sources, whole, "");
  ASSERT_TRUE(opened_folder.ok());
  EXPECT_EQ(opened_folder->source, nullptr);
  EXPECT_EQ(opened_folder->siblings->names(), std::vector<std::string>{"a.bin"});
}

TEST(NativeSourcesOpen, RefusesNumbersThatItDidNotGive) {
  NativeSources sources;
  EXPECT_FALSE(opened(sources, 17, "").ok());
}

TEST(NativeSourcesOpen, AsksAnAddressWithoutHoldingUpTheCaller) {
  const ScriptedServer server([](const std::string&) {
    return "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/5\r\nContent-Length: 5\r\n\r\nhello";
  });
  NativeSources sources;
  EXPECT_FALSE(sources.open(0, "m.bin", server.url("/m.bin")).has_value());
  const auto answer = opened(sources, 0, server.url("/m.bin"));
  ASSERT_TRUE(answer.ok()) << answer.error().message();
  EXPECT_EQ(answer->source->size(), 5U);
}

TEST(NativeSourcesOpen, RefusesOtherSchemes) {
  NativeSources sources;
  const auto answer = opened(sources, 0, "ftp://example.org/m.bin");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().expected, "http:// or https://");
}

}  // namespace
}  // namespace nns::host
