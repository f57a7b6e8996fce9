#include "native/host/url.h"
#include <fmt/format.h>

#include <gtest/gtest.h>

namespace nns::host {
namespace {

std::string only_raw(std::string_view url) {
  const auto urls = raw_urls(url);
  return urls.size() == 1 ? urls.front() : std::to_string(urls.size()) + " addresses";
}

TEST(RawUrls, TurnHuggingFacePagesIntoTheirBytes) {
  EXPECT_EQ(only_raw("https://huggingface.co/openai-community/gpt2/blob/main/model.safetensors"),
            "https://huggingface.co/openai-community/gpt2/resolve/main/model.safetensors");
  EXPECT_EQ(only_raw("https://huggingface.co/datasets/o/n/blob/main/a/b.pt?download=true#x"),
            "https://huggingface.co/datasets/o/n/resolve/main/a/b.pt?download=true");
  EXPECT_EQ(only_raw("https://huggingface.co/o/n/resolve/main/m.safetensors"),
            "https://huggingface.co/o/n/resolve/main/m.safetensors");
}

TEST(RawUrls, OfAHuggingFaceRepositoryTryItsIndexThenItsOnlyFile) {
  const auto urls = raw_urls("https://huggingface.co/openai-community/gpt2");
  ASSERT_EQ(urls.size(), 4U);
  EXPECT_EQ(urls[0], "https://huggingface.co/openai-community/gpt2/resolve/main/model.safetensors.index.json");
  EXPECT_EQ(urls[1], "https://huggingface.co/openai-community/gpt2/resolve/main/model.safetensors");
  EXPECT_EQ(raw_urls("https://huggingface.co/gpt2").at(1),
            "https://huggingface.co/gpt2/resolve/main/model.safetensors");
  EXPECT_EQ(only_raw("https://huggingface.co/gpt2/blob/main/a.pt"), "https://huggingface.co/gpt2/resolve/main/a.pt");
  for (const char* page : {"models", "docs/transformers", "datasets/o/n", "o/n/discussions"})
    EXPECT_EQ(only_raw(fmt::format("https://huggingface.co/{}", page)), fmt::format("https://huggingface.co/{}", page));
  EXPECT_EQ(raw_urls("https://huggingface.co/o/n/tree/v2/sub").at(1),
            "https://huggingface.co/o/n/resolve/v2/sub/model.safetensors");
}

TEST(RawUrls, TurnGitHubPagesIntoTheirBytes) {
  EXPECT_EQ(only_raw("https://github.com/o/r/blob/main/w/a.pt?raw=1"), "https://github.com/o/r/raw/main/w/a.pt");
}

TEST(RawUrls, LeaveOtherAddressesAlone) {
  EXPECT_EQ(only_raw("https://example.org/o/r/blob/main/a.pt?x=1#part"), "https://example.org/o/r/blob/main/a.pt?x=1");
  EXPECT_EQ(only_raw("https://evil-huggingface.co/o/r/blob/main/a.pt"),
            "https://evil-huggingface.co/o/r/blob/main/a.pt");
}

TEST(SiblingUrl, LiesInTheSameFolder) {
  EXPECT_EQ(sibling_url("https://h/a/b.json?token=1", "c d%.bin").value(), "https://h/a/c%20d%25.bin");
  EXPECT_EQ(sibling_url("https://h", "c").value(), "https://h/c");
  EXPECT_EQ(sibling_url("https://h/a/", "s/c").value(), "https://h/a/s/c");
}

TEST(SiblingUrl, RefusesNamesThatLeadElsewhere) {
  for (const char* name : {"../x", "/x", "//evil.example/x", "https://evil.example/x", "javascript:x"}) {
    EXPECT_FALSE(sibling_url("https://h/a/b", name).ok()) << name;
  }
}

TEST(ShownUrl, HidesThePassword) {
  EXPECT_EQ(shown_url("https://me:secret@h:80/a@b"), "https://h:80/a@b");
  EXPECT_EQ(shown_url("https://h/a@b"), "https://h/a@b");
}

TEST(IsUrl, TellsAddressesFromPaths) {
  EXPECT_TRUE(is_url("HTTPS://h/x"));
  EXPECT_FALSE(is_url("httpx/file"));
  EXPECT_FALSE(is_url("/tmp/https://x"));
}

TEST(UrlFileName, IsTheLastPartDecoded) {
  EXPECT_EQ(url_file_name("https://h/a/b%20c.pt?x/y"), "b c.pt");
  EXPECT_EQ(url_file_name("https://h/"), "h");
}

TEST(PercentDecode, RefusesHalfAnEscape) {
  EXPECT_EQ(percent_decode("a%2Fb"), "a/b");
  EXPECT_FALSE(percent_decode("a%2").has_value());
  EXPECT_FALSE(percent_decode("%zz").has_value());
}

}  // namespace
}  // namespace nns::host
