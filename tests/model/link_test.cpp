#include "ui/model/link.h"

#include <gtest/gtest.h>

namespace nns::model {
namespace {

TEST(LinkText, ReadsBackWhatItWrites) {
  Link link;
  link.set("file", "my model & weights#1.safetensors");
  link.set("select", "transformer.h.3.attn");
  link.set("filter", "attn >1M shape:4096,* /a=b%/");
  link.set("tensor", "[:, 3].permute(1, 0)");
  link.set("name",
           "gr\xC3\xB6\xC3\x9F"
           "e");
  const std::string text = link.text();
  EXPECT_EQ(text.find_first_of(" #\"<>%&", 0), text.find('%')) << text;
  const Link again = Link::parse("#" + text);
  ASSERT_EQ(again.parts().size(), link.parts().size());
  for (const Link::Part& part : link.parts()) EXPECT_EQ(again.get(part.key), part.value);
  EXPECT_EQ(again.text(), text) << "links are stable";
}

TEST(LinkText, IsReadableWhereNothingStandsInTheWay) {
  Link link;
  link.set("file", "a.safetensors");
  link.set("select", "h.3.attn/x");
  link.set("tab", "hooks");
  link.set("filter", "");
  EXPECT_EQ(link.text(), "file=a.safetensors&select=h.3.attn/x&tab=hooks");
  link.set("tab", "");
  EXPECT_EQ(link.text(), "file=a.safetensors&select=h.3.attn/x");
}

TEST(LinkParse, TakesWhatBrowsersAndPeopleMakeOfIt) {
  EXPECT_EQ(Link::parse("select=h.3&&x&=y&file=a%20b.pt").text(), "select=h.3&file=a%20b.pt");
  EXPECT_EQ(Link::parse("file=100%&select=%4").get("file"), "100%");
  EXPECT_EQ(Link::parse("file=a&file=b").get("file"), "b");
  EXPECT_TRUE(Link::parse("").is_empty());
  EXPECT_TRUE(Link::parse("#").is_empty());
}

TEST(LinkSource, TellsTheTwoSidesOfAComparisonApart) {
  const Link link = Link::parse("file=/x/a.pt&with-url=https://h/b.pt&part=h.3&select=y");
  EXPECT_EQ(source_of(link).text(), "file=/x/a.pt");
  EXPECT_EQ(other_source_of(link).text(), "url=https://h/b.pt");
  EXPECT_TRUE(is_of_comparison(link));
  EXPECT_TRUE(is_of_comparison(Link::parse("file=a.pt&part=h.3&with-part=h.4"))) << "of one document";
  EXPECT_FALSE(is_of_comparison(Link::parse("file=a.pt&select=h.3")));
  EXPECT_TRUE(is_same_source(source_of(link), Link::parse("file=/y/a.pt"))) << "wherever it lies";
  EXPECT_TRUE(is_same_subject(link, Link::parse("file=a.pt&with-url=https://h/b.pt&part=h.3&view=trees")));
  EXPECT_FALSE(is_same_subject(link, Link::parse("file=a.pt&with-url=https://h/b.pt&part=h.4")));
  EXPECT_FALSE(is_same_subject(link, Link::parse("file=a.pt")));
}

TEST(LinkPaste, IsKnownBehindAnyAddress) {
  EXPECT_EQ(Link::fragment_of("https://host/nnscope/#file=a.pt&select=x"), "file=a.pt&select=x");
  EXPECT_EQ(Link::fragment_of("#sample=gpt2"), "sample=gpt2");
  EXPECT_EQ(Link::fragment_of("https://host/page#chapter"), "");
  EXPECT_EQ(Link::fragment_of("/home/me/model.pt"), "");
}

TEST(LinkFileName, IsTheLastPartOfAPlace) {
  EXPECT_EQ(file_name("/data/models/a.pt"), "a.pt");
  EXPECT_EQ(file_name("https://h/x/b.gguf?download=true"), "b.gguf");
  EXPECT_EQ(file_name("/data/model/"), "model");
  EXPECT_EQ(file_name("a.pt"), "a.pt");
}

}  // namespace
}  // namespace nns::model
