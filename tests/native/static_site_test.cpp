#include "native/server/static_site.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/native/temp_folder.h"

namespace nns::server {
namespace {

using tests::TempFolder;

std::string header(const Response& response, std::string_view name) {
  for (const Header& candidate : response.headers) {
    if (candidate.name == name) return candidate.value;
  }
  return "(none)";
}

/// A site with an index, a script, its packed twin, and a secret beside it.
class StaticSiteAnswer : public ::testing::Test {
 protected:
  StaticSiteAnswer() {
    folder_.write("secret.txt", "secret");
    folder_.write("site/index.html", "<html>");
    folder_.write("site/app.js", "0123456789");
    folder_.write("site/app.js.gz", "packed");
    folder_.write("site/.hidden", "hidden");
    folder_.write("site/sub/index.html", "<sub>");
    std::filesystem::create_symlink("../secret.txt", folder_.path() / "site/link.txt");
  }
  Response get(std::string_view target, std::string_view range = {}, std::string_view accept_encoding = {}) const {
    return site_.answer({.method = "GET",
                         .target = target,
                         .host = "localhost:7373",
                         .range = range,
                         .if_range = {},
                         .if_none_match = {},
                         .accept_encoding = accept_encoding});
  }
  int status_for_host(std::optional<std::string_view> host) const {
    return site_
        .answer({.method = "GET",
                 .target = "/",
                 .host = host,
                 .range = {},
                 .if_range = {},
                 .if_none_match = {},
                 .accept_encoding = {}})
        .status;
  }
  TempFolder folder_;
  StaticSite site_{folder_.path() / "site", {"Lab.Example"}};
};

TEST_F(StaticSiteAnswer, GivesFilesWithTypeAndLength) {
  const Response page = get("/?url=x");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body_bytes(), 6U);
  EXPECT_EQ(header(page, "Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(header(page, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(header(get("/app.js"), "Content-Type"), "text/javascript; charset=utf-8");
}

TEST_F(StaticSiteAnswer, LetsPagesRunNothingButItsOwnFiles) {
  EXPECT_EQ(header(get("/"), "Content-Security-Policy"), kPagePolicy);
  EXPECT_EQ(header(get("/sub/index.html"), "Content-Security-Policy"), kPagePolicy);
  EXPECT_EQ(header(get("/app.js"), "Content-Security-Policy"), "(none)");
  // Where another server gives the page out, it says so itself.
  std::ifstream stream(NNSCOPE_PAGE);
  const std::string page((std::istreambuf_iterator<char>(stream)), {});
  EXPECT_NE(page.find(fmt::format("http-equiv=\"Content-Security-Policy\" content=\"{}\"", kPagePolicy)),
            std::string::npos);
}

TEST_F(StaticSiteAnswer, NeverLeavesTheFolder) {
  using namespace std::string_view_literals;
  for (const auto target : {"/../secret.txt"sv, "/%2e%2e/secret.txt"sv, "/sub/..%2f../secret.txt"sv,
                            "/..%5csecret.txt"sv, "/%00"sv, "//etc/passwd"sv, "/etc/passwd"sv, "secret.txt"sv, ""sv,
                            "*"sv, "/link.txt"sv, "/.hidden"sv, "/%zz"sv, "http://other/index.html"sv}) {
    EXPECT_EQ(get(target).status, 404) << target;
  }
}

TEST_F(StaticSiteAnswer, AnswersOnlyUnderItsOwnNames) {
  for (const char* good :
       {"localhost", "LOCALHOST:1", "127.0.0.1:7373", "[::1]:7373", "192.168.1.5", "lab.example:80"}) {
    EXPECT_EQ(status_for_host(good), 200) << good;
  }
  for (const char* bad :
       {"evil.example", "localhost.evil.example:7373", "evil.example:127", "[evil]", "127.0.0.1.evil.example"}) {
    EXPECT_EQ(status_for_host(bad), 421) << bad;
  }
  EXPECT_EQ(status_for_host(std::nullopt), 400);
  EXPECT_EQ(status_for_host(""), 400);
}

TEST_F(StaticSiteAnswer, CutsRanges) {
  const Response middle = get("/app.js", "bytes=2-4");
  EXPECT_EQ(middle.status, 206);
  EXPECT_EQ(middle.first, 2U);
  EXPECT_EQ(middle.length, 3U);
  EXPECT_EQ(header(middle, "Content-Range"), "bytes 2-4/10");
  EXPECT_EQ(header(get("/app.js", "bytes=7-"), "Content-Range"), "bytes 7-9/10");
  EXPECT_EQ(header(get("/app.js", "bytes=-4"), "Content-Range"), "bytes 6-9/10");
  EXPECT_EQ(header(get("/app.js", "bytes=5-99999999999999"), "Content-Range"), "bytes 5-9/10");
}

TEST_F(StaticSiteAnswer, RefusesRangesBehindTheEnd) {
  const Response behind = get("/app.js", "bytes=10-20");
  EXPECT_EQ(behind.status, 416);
  EXPECT_EQ(header(behind, "Content-Range"), "bytes */10");
}

TEST_F(StaticSiteAnswer, IgnoresRangesThatItDoesNotUnderstand) {
  for (const char* range : {"bytes=1-2,4-5", "lines=1-2", "bytes=x-y", "bytes=5-2", "bytes=", "bytes=--1"}) {
    EXPECT_EQ(get("/app.js", range).status, 200) << range;
  }
}

TEST_F(StaticSiteAnswer, GivesThePackedTwinToThoseWhoTakeGzip) {
  const Response packed = get("/app.js", {}, "br, gzip;q=0.8");
  EXPECT_EQ(header(packed, "Content-Encoding"), "gzip");
  EXPECT_EQ(header(packed, "Content-Type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(packed.body_bytes(), 6U);
  EXPECT_EQ(header(get("/app.js", {}, "gzip;q=0"), "Content-Encoding"), "(none)");
  EXPECT_EQ(header(get("/app.js", "bytes=0-1", "gzip"), "Content-Encoding"), "(none)");
  EXPECT_EQ(header(get("/index.html", {}, "gzip"), "Content-Encoding"), "(none)");
}

TEST_F(StaticSiteAnswer, SaysNotModifiedForATagThatIsStillRight) {
  const std::string tag = header(get("/app.js"), "ETag");
  Request request{.method = "GET",
                  .target = "/app.js",
                  .host = "localhost",
                  .range = {},
                  .if_range = {},
                  .if_none_match = tag,
                  .accept_encoding = {}};
  EXPECT_EQ(site_.answer(request).status, 304);
  request.if_none_match = "\"other\"";
  EXPECT_EQ(site_.answer(request).status, 200);
  request = {.method = "GET",
             .target = "/app.js",
             .host = "localhost",
             .range = "bytes=0-1",
             .if_range = "\"other\"",
             .if_none_match = {},
             .accept_encoding = {}};
  EXPECT_EQ(site_.answer(request).status, 200);
  request.if_range = tag;
  EXPECT_EQ(site_.answer(request).status, 206);
}

TEST_F(StaticSiteAnswer, SendsFoldersToTheirSlash) {
  const Response folder = get("/sub?x");
  EXPECT_EQ(folder.status, 301);
  EXPECT_EQ(header(folder, "Location"), "/sub/?x");
  EXPECT_EQ(get("/sub/").status, 200);
  EXPECT_EQ(header(get("//sub"), "Location"), "/sub/");
}

TEST_F(StaticSiteAnswer, KnowsNoOtherMethods) {
  const Response post = site_.answer({.method = "POST",
                                      .target = "/",
                                      .host = "localhost",
                                      .range = {},
                                      .if_range = {},
                                      .if_none_match = {},
                                      .accept_encoding = {}});
  EXPECT_EQ(post.status, 405);
  EXPECT_EQ(header(post, "Allow"), "GET, HEAD");
}

TEST_F(StaticSiteAnswer, GivesSharedFoldersOnlyUnderTheirSecretPath) {
  const std::string place = site_.share(folder_.path());
  EXPECT_EQ(place.size(), std::string("/open/").size() + 33);
  EXPECT_EQ(get(place + "secret.txt").status, 200);
  EXPECT_EQ(get(place + "../x").status, 404);
  EXPECT_EQ(get("/open/00000000000000000000000000000000/secret.txt").status, 404);
  EXPECT_EQ(get("/secret.txt").status, 404);
}

TEST(MimeType, IsToldByTheEndingOfTheName) {
  EXPECT_EQ(mime_type("a/viewer.WASM"), "application/wasm");
  EXPECT_EQ(mime_type("model.safetensors"), "application/octet-stream");
  EXPECT_EQ(mime_type("noending"), "application/octet-stream");
}

}  // namespace
}  // namespace nns::server
