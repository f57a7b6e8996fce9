// The web server and the web client against each other, and each against partners that break the rules.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "native/host/http_source.h"
#include "native/server/http_server.h"
#include "tests/native/raw_socket.h"
#include "tests/native/temp_folder.h"

namespace nns {
namespace {

using host::HttpClient;
using host::open_url;
using tests::exchange;
using tests::RawSocket;
using tests::ScriptedServer;
using tests::TempFolder;

/// A server of a temporary folder on a port of its own.
class RunningServer {
 public:
  explicit RunningServer(server::ServerOptions options = {}) {
    options.folder = folder.path();
    options.port = 0;
    auto listening = server::HttpServer::listen(options);
    if (!listening.ok()) {
      ADD_FAILURE() << listening.error().message();
      return;
    }
    server_ = std::move(listening).value();
    thread_ = std::thread([this] { server_->run(); });
  }
  ~RunningServer() {
    if (!server_) return;
    server_->stop();
    thread_.join();
  }
  std::uint16_t port() const { return server_->port(); }
  std::string url(std::string_view name) const { return server_->address() + std::string(name); }

  TempFolder folder;

 private:
  std::unique_ptr<server::HttpServer> server_;
  std::thread thread_;
};

std::shared_ptr<HttpClient> quick_client() {
  return std::make_shared<HttpClient>(host::HttpOptions{
      .connect_timeout = std::chrono::seconds(2), .stall_timeout = std::chrono::seconds(1), .retries = 0});
}

std::string error_of(const base::Result<host::OpenedFile>& opened) {
  return opened.ok() ? "(no error)" : opened.error().message();
}

std::string text_at(base::ByteSource& source, std::uint64_t offset, std::size_t count) {
  std::string text(count, '?');
  const auto read = source.read(offset, std::as_writable_bytes(std::span(text)));
  return read.ok() ? text : read.error().message();
}

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>((i * 2654435761U) >> 13);
  return bytes;
}

TEST(HttpServer, KeepsTheConnectionForTheNextRequest) {
  const RunningServer server;
  server.folder.write("a.txt", "hello");
  const RawSocket socket(server.port());
  for (int i = 0; i < 2; ++i) {
    socket.send("GET /a.txt HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const std::string answer = socket.read_until("hello");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
    EXPECT_NE(answer.find("Content-Length: 5\r\n"), std::string::npos) << answer;
  }
}

TEST(HttpServer, AnswersHeadWithoutABody) {
  const RunningServer server;
  server.folder.write("a.txt", "hello");
  const std::string answer =
      exchange(server.port(), "HEAD /a.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("Content-Length: 5\r\n"), std::string::npos) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST(HttpServer, RefusesOtherHostsTraversalBodiesAndNonsense) {
  const RunningServer server;
  server.folder.write("a.txt", "hello");
  const auto status = [&](std::string_view request) { return exchange(server.port(), request).substr(0, 12); };
  EXPECT_EQ(status("GET /a.txt HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"), "HTTP/1.1 421");
  EXPECT_EQ(status("GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"), "HTTP/1.1 404");
  EXPECT_EQ(status("GET /a.txt HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
            "HTTP/1.1 400");
  EXPECT_EQ(status("POST /a.txt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello"), "HTTP/1.1 413");
  EXPECT_EQ(status("\x16\x03\x01 this is TLS\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"), "HTTP/1.1 431");
}

TEST(HttpServer, ClosesClientsThatSendTheirHeadersTooSlowly) {
  const RunningServer server({.idle_timeout = std::chrono::milliseconds(200)});
  const RawSocket silent(server.port());
  const RawSocket slow(server.port());
  slow.send("GET / HT");
  EXPECT_TRUE(silent.is_closed_within(3000));
  EXPECT_TRUE(slow.is_closed_within(3000));
}

TEST(HttpServer, ClosesClientsThatDoNotTakeTheirAnswer) {
  const RunningServer server({.idle_timeout = std::chrono::milliseconds(300)});
  if (!server.folder.write_sparse("big.bin", "", 1'000'000'000)) GTEST_SKIP() << "no sparse files here";
  const RawSocket stuck(server.port());
  stuck.send("GET /big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  const std::string taken = stuck.read_all(2000);
  EXPECT_LT(taken.size(), 1'000'000'000U);
}

TEST(HttpServer, TurnsAwayMoreConnectionsThanItsLimit) {
  const RunningServer server({.most_connections = 2});
  server.folder.write("a.txt", "hello");
  const RawSocket first(server.port());
  const RawSocket second(server.port());
  for (const RawSocket* socket : {&first, &second}) {
    socket->send("GET /a.txt HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_NE(socket->read_until("hello").find("200 OK"), std::string::npos);
  }
  const RawSocket third(server.port());
  EXPECT_TRUE(third.is_closed_within(3000));
}

TEST(HttpServer, TakesTheNextPortUnlessThePortWasAskedFor) {
  const TempFolder folder;
  auto first = server::HttpServer::listen({.folder = folder.path(), .port = 0});
  ASSERT_TRUE(first.ok());
  const std::uint16_t taken = (*first)->port();
  auto next = server::HttpServer::listen({.folder = folder.path(), .port = taken});
  ASSERT_TRUE(next.ok()) << next.error().message();
  EXPECT_NE((*next)->port(), taken);
  const auto same = server::HttpServer::listen({.folder = folder.path(), .port = taken, .search_port = false});
  ASSERT_FALSE(same.ok());
  EXPECT_NE(same.error().message().find("in use"), std::string::npos) << same.error().message();
}

TEST(HttpSource, ReadsAnywhereAndAsksForNoMoreThanBlocks) {
  const RunningServer server;
  const std::string bytes = pattern(3'000'000);
  server.folder.write("m.bin", bytes);
  const auto opened = open_url(server.url("m.bin"), quick_client());
  ASSERT_TRUE(opened.ok()) << error_of(opened);
  EXPECT_EQ(opened->source->size(), bytes.size());
  EXPECT_EQ(text_at(*opened->source, 0, 10), bytes.substr(0, 10));
  EXPECT_EQ(text_at(*opened->source, 65'530, 12), bytes.substr(65'530, 12));
  EXPECT_EQ(text_at(*opened->source, 2'999'995, 5), bytes.substr(2'999'995));
  EXPECT_TRUE(text_at(*opened->source, 1, 2'999'999) == bytes.substr(1));
}

TEST(HttpSource, ReachesTheEndOfAnEightHundredGigabyteFile) {
  const RunningServer server;
  constexpr std::uint64_t kSize = 810'000'000'000;
  if (!server.folder.write_sparse("huge.bin", "head", kSize)) GTEST_SKIP() << "the file system takes no file of 810 GB";
  const auto opened = open_url(server.url("huge.bin"), quick_client());
  ASSERT_TRUE(opened.ok()) << error_of(opened);
  EXPECT_EQ(opened->source->size(), kSize);
  EXPECT_EQ(text_at(*opened->source, 0, 4), "head");
  EXPECT_EQ(text_at(*opened->source, kSize - 3, 3), std::string(3, '\0'));
}

TEST(HttpSource, OfAnEmptyFileIsEmpty) {
  const RunningServer server;
  server.folder.write("empty.bin", "");
  const auto opened = open_url(server.url("empty.bin"), quick_client());
  ASSERT_TRUE(opened.ok()) << error_of(opened);
  EXPECT_EQ(opened->source->size(), 0U);
}

TEST(HttpSource, FindsItsNeighbours) {
  const RunningServer server;
  server.folder.write("sub/index.json", "{}");
  server.folder.write("sub/shard 1.bin", "shard");
  const auto opened = open_url(server.url("sub/index.json"), quick_client());
  ASSERT_TRUE(opened.ok()) << error_of(opened);
  for (const auto& [name, found] :
       {std::pair("shard 1.bin", true), std::pair("shard 2.bin", false), std::pair("../x", false)}) {
    auto answer = opened->siblings->open(name);
    while (!answer) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      answer = opened->siblings->open(name);
    }
    EXPECT_EQ(answer->ok(), found) << name;
  }
}

TEST(HttpSource, NoticesThatTheFileChangedOnTheServer) {
  const RunningServer server;
  server.folder.write("m.bin", pattern(300'000));
  const auto opened = open_url(server.url("m.bin"), quick_client());
  ASSERT_TRUE(opened.ok()) << error_of(opened);
  server.folder.write("m.bin", pattern(300'001));
  EXPECT_NE(text_at(*opened->source, 200'000, 10).find("changed on the server"), std::string::npos);
}

TEST(HttpSource, SaysThatAFileIsNotThere) {
  const RunningServer server;
  const std::string message = error_of(open_url(server.url("none.bin"), quick_client()));
  EXPECT_NE(message.find("404"), std::string::npos) << message;
}

TEST(HttpSource, SaysThatNobodyAnswers) {
  std::uint16_t port = 0;
  {
    port = ScriptedServer([](const std::string&) { return ""; }).port();
  }
  const std::string message = error_of(open_url("http://127.0.0.1:" + std::to_string(port) + "/a", quick_client()));
  EXPECT_NE(message.find("cannot be reached"), std::string::npos) << message;
}

std::string error_from(std::function<std::string(const std::string&)> reply) {
  const ScriptedServer server(std::move(reply));
  return error_of(open_url(server.url("/m.bin"), quick_client()));
}

TEST(HttpSource, DoesNotDownloadWhatAServerWithoutRangesSends) {
  const std::string message = error_from([](const std::string&) {
    return "HTTP/1.1 200 OK\r\nContent-Length: 700000000000\r\n\r\n" + std::string(100'000, 'x');
  });
  EXPECT_NE(message.find("does not answer requests for ranges"), std::string::npos) << message;
}

TEST(HttpSource, RefusesAnotherRangeThanItAskedFor) {
  const std::string message = error_from([](const std::string&) {
    return "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5-9/100\r\nContent-Length: 5\r\n\r\nxxxxx";
  });
  EXPECT_NE(message.find("another range"), std::string::npos) << message;
}

TEST(HttpSource, RefusesARangeWithoutTheSizeOfTheFile) {
  for (const char* range : {"Content-Range: bytes 0-4/*\r\n", "", "Content-Range: pages 0-4/9\r\n",
                            "Content-Range: bytes 0-4/99999999999999999999999\r\n"}) {
    const std::string message = error_from([range](const std::string&) {
      return "HTTP/1.1 206 Partial Content\r\n" + std::string(range) + "Content-Length: 5\r\n\r\nxxxxx";
    });
    EXPECT_NE(message.find("does not tell the range"), std::string::npos) << message;
  }
}

TEST(HttpSource, RefusesAnAnswerThatIsCutShort) {
  const std::string message = error_from([](const std::string&) {
    return "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-99/100\r\nContent-Length: 100\r\n\r\nonly this";
  });
  EXPECT_NE(message.find("ended after 9 bytes"), std::string::npos) << message;
}

TEST(HttpSource, RefusesABodyThatContradictsItsRange) {
  const std::string message = error_from([](const std::string&) {
    return "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-99/100\r\nContent-Length: 5\r\n\r\nxxxxx";
  });
  EXPECT_NE(message.find("sent 5 bytes"), std::string::npos) << message;
}

TEST(HttpSource, RefusesPackedAnswers) {
  const std::string message = error_from([](const std::string&) {
    return "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/100\r\nContent-Encoding: gzip\r\nContent-Length: "
           "5\r\n\r\nxxxxx";
  });
  EXPECT_NE(message.find("packs the bytes"), std::string::npos) << message;
}

TEST(HttpSource, GivesUpOnRedirectsInCircles) {
  const std::string message = error_from([](const std::string&) {
    return "HTTP/1.1 302 Found\r\nLocation: /m.bin\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  });
  EXPECT_NE(message.find("circles"), std::string::npos) << message;
}

TEST(HttpSource, FollowsNoRedirectToAFileOfThisMachine) {
  const std::string message = error_from([](const std::string&) {
    return "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  });
  EXPECT_NE(message.find("cannot be used"), std::string::npos) << message;
}

TEST(HttpSource, GivesUpOnASilentServer) {
  std::promise<void> over;
  auto waiting = over.get_future().share();
  {
    const ScriptedServer server([waiting](const std::string&) {
      waiting.wait();
      return std::string();
    });
    const std::string message = error_of(open_url(server.url("/m.bin"), quick_client()));
    EXPECT_NE(message.find("took too long"), std::string::npos) << message;
    over.set_value();
  }
}

TEST(HttpSource, EndsSoonWhenItIsCancelled) {
  std::promise<void> over;
  auto waiting = over.get_future().share();
  const ScriptedServer server([waiting](const std::string&) {
    waiting.wait();
    return std::string();
  });
  std::atomic<bool> cancelled = false;
  auto opening = std::async(std::launch::async, [&] {
    return error_of(open_url(server.url("/m.bin"), std::make_shared<HttpClient>(), &cancelled));
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  cancelled = true;
  EXPECT_EQ(opening.wait_for(std::chrono::seconds(5)), std::future_status::ready);
  over.set_value();
  EXPECT_NE(opening.get().find("cancelled"), std::string::npos);
}

TEST(HttpSource, TriesAgainWhenTheServerIsBusy) {
  int asked = 0;
  const ScriptedServer server([&asked](const std::string&) -> std::string {
    if (++asked == 1) return "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    return "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/5\r\nContent-Length: 5\r\nConnection: "
           "close\r\n\r\nhello";
  });
  const auto opened = open_url(server.url("/m.bin"), std::make_shared<HttpClient>());
  ASSERT_TRUE(opened.ok()) << error_of(opened);
  EXPECT_EQ(text_at(*opened->source, 0, 5), "hello");
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace nns
