#include "native/server/live_access.h"

#include <gtest/gtest.h>

#include "native/server/live_client.h"

namespace nns::server {
namespace {

LiveAccess guarded() {
  return {.needs_token = true,
          .watch_token = "watchwatch",
          .control_token = "controlled",
          .allowed_origins = {"https://lab.example"}};
}

int status(const LiveAccess& access, std::optional<std::string_view> origin, std::string_view protocols) {
  return decide(access, {.host = "127.0.0.1:7373", .origin = origin, .protocols = protocols}).status;
}

TEST(LiveAccessDecide, TokensSayWhoMayWatchAndWhoMayControl) {
  EXPECT_EQ(status(guarded(), {}, "nnscope.1"), 401);
  EXPECT_EQ(status(guarded(), {}, "nnscope.1, token.wrong"), 401);
  EXPECT_EQ(status(guarded(), {}, "nnscope.1, token."), 401);
  const LiveDecision watches = decide(guarded(), {"h", {}, "nnscope.1,token.watchwatch"});
  EXPECT_EQ(watches.status, 101);
  EXPECT_FALSE(watches.may_control);
  EXPECT_TRUE(decide(guarded(), {"h", {}, "nnscope.1, token.controlled"}).may_control);
}

TEST(LiveAccessDecide, OnLoopbackWatchingNeedsNoTokenButAWrongOneIsRefused) {
  LiveAccess open = guarded();
  open.needs_token = false;
  EXPECT_EQ(status(open, {}, "nnscope.1"), 101);
  EXPECT_FALSE(decide(open, {"h", {}, "nnscope.1"}).may_control);
  EXPECT_EQ(status(open, {}, "nnscope.1, token.guess"), 401);
}

TEST(LiveAccessDecide, AnEmptyTokenOfTheServerLetsNobodyIn) {
  LiveAccess access = guarded();
  access.watch_token.clear();
  EXPECT_EQ(status(access, {}, "nnscope.1, token."), 401);
}

TEST(LiveAccessDecide, PagesOfOtherOriginsAreRefusedWhateverTokenTheyHave) {
  constexpr std::string_view kRight = "nnscope.1, token.controlled";
  EXPECT_EQ(status(guarded(), "http://127.0.0.1:7373", kRight), 101);
  EXPECT_EQ(status(guarded(), "https://lab.example", kRight), 101);
  EXPECT_EQ(status(guarded(), "https://lab.example.evil", kRight), 403);
  EXPECT_EQ(status(guarded(), "http://127.0.0.1:9999", kRight), 403);
  EXPECT_EQ(status(guarded(), "null", kRight), 403);
  EXPECT_EQ(status(guarded(), "", kRight), 403);
}

TEST(LiveAccessDecide, OtherProtocolsAreRefused) {
  EXPECT_EQ(status(guarded(), {}, ""), 400);
  EXPECT_EQ(status(guarded(), {}, "chat, token.controlled"), 400);
}

TEST(LiveAccessToken, IsLongAndNeverTheSame) {
  const std::string token = make_token();
  EXPECT_EQ(token.size(), 32U);
  EXPECT_NE(token, make_token());
  EXPECT_TRUE(is_same_token(token, token));
  EXPECT_FALSE(is_same_token(token.substr(1), token));
}

TEST(LiveAddressParse, TakesWhatServersPrint) {
  const auto plain = parse_live_address("ws://10.0.0.5:8080/live#token=abc");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->host, "10.0.0.5");
  EXPECT_EQ(plain->port, "8080");
  EXPECT_EQ(plain->token, "abc");
  EXPECT_EQ(plain->text(), "ws://10.0.0.5:8080/live");
  const auto page = parse_live_address("http://127.0.0.1:7374/#attach=ws://127.0.0.1:7374/live&token=xyz");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->port, "7374");
  EXPECT_EQ(page->token, "xyz");
  EXPECT_EQ(parse_live_address("attach=ws://a:1/live&token=xyz")->token, "xyz");
  EXPECT_EQ(parse_live_address("gpu-box")->port, "7373");
  EXPECT_EQ(parse_live_address("ws://[::1]:7373")->host, "::1");
  for (const char* wrong : {"wss://a/live", "ftp://a", "ws://", "", "ws://a:b", "ws://[::1"}) {
    EXPECT_FALSE(parse_live_address(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace nns::server
