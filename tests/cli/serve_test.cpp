#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>

#include "tests/cli/process.h"
#include "tests/native/raw_socket.h"
#include "tests/native/temp_folder.h"

namespace nns::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// `nnscope ...` as a server of a small site; knows its port from what it printed.
class Served {
 public:
  explicit Served(const std::vector<std::string>& arguments)
      : site_(), process_(with_site(arguments), {"NNSCOPE_SITE=" + site_.path().string()}) {
    printed = process_.read_until("stops)\n");
    const std::size_t colon = printed.find("://127.0.0.1:");
    if (colon == std::string::npos) {
      ADD_FAILURE() << "no address in: " << printed << process_.wait().err;
      return;
    }
    const char* begin = printed.data() + colon + 13;
    std::from_chars(begin, printed.data() + printed.size(), port);
  }
  std::string get(std::string_view target, std::string_view headers = "") const {
    return tests::exchange(port, "GET " + std::string(target) +
                                     " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" + std::string(headers) +
                                     "\r\n");
  }
  Process& process() { return process_; }

  std::string printed;
  std::uint16_t port = 0;

 private:
  const std::vector<std::string>& with_site(const std::vector<std::string>& arguments) const {
    site_.write("index.html", "<html>the page");
    site_.write("viewer.wasm", "0123456789");
    return arguments;
  }
  TempFolder site_;
  Process process_;
};

TEST(Serve, GivesThePageWithItsTypesAndRanges) {
  const Served served({"serve", "--port", "0"});
  EXPECT_THAT(
      served.get("/"),
      AllOf(StartsWith("HTTP/1.1 200 OK"), HasSubstr("text/html"), HasSubstr("<html>the page"),
            HasSubstr("\r\nContent-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval';")));
  EXPECT_THAT(served.get("/viewer.wasm", "Range: bytes=3-5\r\n"),
              AllOf(StartsWith("HTTP/1.1 206"), HasSubstr("application/wasm"), HasSubstr("bytes 3-5/10"),
                    HasSubstr("\r\n\r\n345")));
  EXPECT_THAT(served.get("/../../etc/passwd"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(tests::exchange(served.port, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 421"));
}

TEST(Serve, EndsWithStatusZeroOnSigtermAndSigint) {
  for (const int number : {SIGTERM, SIGINT}) {
    Served served({"serve", "--port", "0"});
    const RawSocket idle(served.port);  // an open connection does not hold it back
    served.process().signal(number);
    EXPECT_EQ(served.process().wait(5000).status, 0);
  }
}

TEST(Serve, TakesAnotherPortOnlyIfNoneWasAskedFor) {
  const Served first({"serve", "--port", "0"});
  const auto second = run_nnscope({"serve", "--site", "/", "--port", std::to_string(first.port)});
  EXPECT_EQ(second.status, 1);
  EXPECT_THAT(second.err, HasSubstr("in use"));
}

TEST(Serve, SaysHowToBuildThePageWhereThereIsNone) {
  const auto result = run_nnscope({"serve"}, {"NNSCOPE_SITE=/nonexistent"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("NNSCOPE_SITE"));
}

TEST(Open, WithoutADisplayServesThePageAndTheFile) {
  const TempFolder folder;
  const auto file = folder.write("my model.safetensors", "the file");
  folder.write("shard.safetensors", "beside it");
  Served served({"open", file});
  const std::string link = served.process().read_until("\n", 1000);
  const std::string text = served.printed + link;
  const std::size_t query = text.find("?url=http%3A//127.0.0.1%3A");
  ASSERT_NE(query, std::string::npos) << text;
  const std::size_t place = text.find("/open/", query);
  const std::string target = text.substr(place, text.find('\n', place) - place);
  EXPECT_THAT(target, ::testing::EndsWith("my%2520model.safetensors"));
  const std::string folder_target = target.substr(0, target.rfind('/') + 1);
  EXPECT_THAT(served.get(folder_target + "my%20model.safetensors", "Range: bytes=0-0\r\n"), StartsWith("HTTP/1.1 206"));
  EXPECT_THAT(served.get(folder_target + "shard.safetensors"), HasSubstr("beside it"));
}

TEST(Open, WithoutADisplayTheAddressLeadsToWhatWasAskedFor) {
  const TempFolder folder;
  const auto a = folder.write("a.safetensors", "a"), b = folder.write("b.safetensors", "b");
  const auto program = folder.write("net.py", "import torch\n");
  const auto address = [](const std::vector<std::string>& arguments) {
    Served served(arguments);
    const std::string text = served.printed + served.process().read_until("\n", 1000);
    return text.substr(text.find("stops)\n") + 7);
  };
  EXPECT_THAT(address({"lesson", "conv1", "--stop", "3"}), HasSubstr("/#sample=lesson/conv1&stop=3"));
  EXPECT_THAT(address({"studio", program, "--step", "12"}), AllOf(HasSubstr("/#url="), HasSubstr("net.py&step=12")));
  EXPECT_THAT(address({"open", a, "--select", "fc.weight"}), HasSubstr("a.safetensors&select=fc.weight"));
  EXPECT_THAT(address({"open", a, b, "--compare"}),
              AllOf(HasSubstr("a.safetensors&with-url="), HasSubstr("b.safetensors")));
  EXPECT_THAT(address({"open", "#sample=gpt2&select=transformer"}), HasSubstr("/#sample=gpt2&select=transformer"));
}

TEST(Open, OfAPathThatIsNotThereIsStatusTwo) {
  const TempFolder site;
  site.write("index.html", "<html>");
  const auto result = run_nnscope({"/nonexistent/a.pt"}, {"NNSCOPE_SITE=" + site.path().string()});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("No such file"));
}

}  // namespace
}  // namespace nns::tests
