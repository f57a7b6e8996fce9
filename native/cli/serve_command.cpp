#include "native/cli/serve_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "core/checkpoint/folder_choice.h"
#include "native/cli/exit_status.h"
#include "native/cli/terminal.h"
#include "native/cli/version.h"
#include "native/host/folder_files.h"
#include "native/host/source_provider.h"
#include "native/host/url.h"
#include "native/server/host_service.h"
#include "native/server/http_server.h"
#include "native/server/kept_run.h"

namespace nns::cli {

namespace fs = std::filesystem;

base::Result<fs::path> find_site() {
  std::error_code error;
  const auto has_page = [&](const fs::path& folder) { return fs::is_regular_file(folder / "index.html", error); };
  if (const char* chosen = std::getenv("NNSCOPE_SITE"); chosen != nullptr && *chosen != '\0') {
    if (has_page(chosen)) return fs::path(chosen);
    return base::Error{
        .found = "NNSCOPE_SITE names a folder without index.html", .expected = {}, .where = chosen, .offset = {}};
  }
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  const fs::path bin = executable.parent_path();
  // As built: build/native/bin/nnscope and build/web/site. As installed: bin/nnscope and share/nnscope/site.
  for (const char* beside : {"../../web/site", "../share/nnscope/site"}) {
    const fs::path folder = (bin / beside).lexically_normal();
    if (has_page(folder)) return folder;
  }
  return base::Error{.found = "the web explorer is not built",
                     .expected =
                         "build/web/site beside build/native (cmake --workflow --preset explore builds both), or its "
                         "folder in NNSCOPE_SITE",
                     .where = (bin / "../../web/site").lexically_normal().string(),
                     .offset = {}};
}

namespace {

constexpr std::string_view kServedSample = "sample:";

/// What a link of the explorer's says of `input`: "sample=gpt2", "url=…"; files are shared by `server`, web addresses
/// are left to the page.
base::Result<std::string> source_in_link(server::HttpServer& server, const std::string& input) {
  if (input.starts_with(kServedSample)) return "sample=" + host::percent_encode(input.substr(kServedSample.size()));
  if (host::is_url(input)) return "url=" + host::percent_encode(input);
  NNS_TRY_ASSIGN(const host::OpenedFile opened, host::open_path(input));
  fs::path file = fs::absolute(input);
  if (opened.source == nullptr) {
    NNS_TRY_ASSIGN(const checkpoint::FolderChoice choice,
                   checkpoint::choose_in_folder(opened.siblings->names(), input));
    if (choice.file.empty()) {
      return base::Error{.found = "a web page cannot open shards without their index",
                         .expected = "the folder dropped onto the page, or nnscope inspect",
                         .where = input,
                         .offset = {}};
    }
    file /= choice.file;
  }
  const std::string place = server.share(file.parent_path());
  const std::string address =
      fmt::format("{}{}{}", server.address(), place.substr(1), host::percent_encode(file.filename().native()));
  return "url=" + host::percent_encode(address);
}

/// The explorer's address that opens `input` and goes to `place` in it.
base::Result<std::string> explorer_link(server::HttpServer& server, const std::string& input,
                                        const std::string& place) {
  if (input.starts_with('#')) return server.address() + input;
  NNS_TRY_ASSIGN(const std::string source, source_in_link(server, input));
  if (place.empty() && source.starts_with("url=")) return fmt::format("{}?{}", server.address(), source);
  return fmt::format("{}#{}{}{}", server.address(), source, place.empty() ? "" : "&", place);
}

base::Result<std::string> comparison_link(server::HttpServer& server, const std::string& a, const std::string& b) {
  NNS_TRY_ASSIGN(const std::string one, source_in_link(server, a));
  NNS_TRY_ASSIGN(const std::string other, source_in_link(server, b));
  return fmt::format("{}#{}&with-{}", server.address(), one, other);
}

/// The folder that keeps the runs of viewers, which can be written to.
base::Result<fs::path> make_runs_folder(const std::string& name) {
  const fs::path folder = fs::absolute(name).lexically_normal();
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && !fs::is_directory(folder)) error = std::make_error_code(std::errc::not_a_directory);
  if (!error && ::access(folder.c_str(), W_OK | X_OK) != 0) error = {errno, std::generic_category()};
  if (!error) return folder;
  return base::Error{.found = fmt::format("--runs {}: {}", printable(name), error.message()),
                     .expected = "a folder that can be made or written to",
                     .where = {},
                     .offset = std::nullopt};
}

}  // namespace

base::Result<server::LiveAccess> make_live_access(const server::HttpServer& server,
                                                  const std::vector<std::string>& origins) {
  server::LiveAccess access;
  access.needs_token = !server.is_loopback();
  access.watch_token = server::make_token();
  access.control_token = server::make_token();
  for (const std::string& origin : origins) {
    if (!server::is_origin(origin)) {
      return base::Error{.found = "this is no origin",
                         .expected = "scheme, host and perhaps a port: https://example.org",
                         .where = origin,
                         .offset = {}};
    }
    access.allowed_origins.push_back(origin);
  }
  return access;
}

LiveLinks live_links(const server::HttpServer& server, const server::LiveAccess& access) {
  const std::string page = server.address();
  const std::string stream = "ws" + page.substr(std::string_view("http").size()) + "live";
  const auto with = [&](const std::string& token) {
    return fmt::format("{}#attach={}{}{}", page, stream, token.empty() ? "" : "&token=", token);
  };
  return {.watch = with(access.needs_token ? access.watch_token : ""), .control = with(access.control_token)};
}

int run_serve(const ServeOptions& options) {
  server::ServerOptions server_options;
  if (options.folder.empty()) {
    auto site = find_site();
    if (!site.ok()) {
      print_error(site.error().message());
      return kFound;
    }
    server_options.folder = std::move(site).value();
  } else {
    std::error_code error;
    if (!fs::is_directory(options.folder, error)) {
      print_error(fmt::format("{}: is no folder", options.folder));
      return kBadInput;
    }
    server_options.folder = options.folder;
  }
  server_options.host = options.host;
  server_options.port = options.port.value_or(server_options.port);
  server_options.search_port = !options.port.has_value();
  std::unique_ptr<server::LiveService> service;  // outlives the server
  auto listening = server::HttpServer::listen(server_options);
  if (!listening.ok()) {
    print_error(listening.error().message());
    return kFound;
  }
  server::HttpServer& server = **listening;
  int status = kFine;
  std::vector<std::string> links;
  const auto add = [&](base::Result<std::string> link) {
    if (link.ok()) {
      links.push_back(std::move(link).value());
    } else {
      print_error(link.error().message());
      status = kBadInput;
    }
  };
  if (options.compares && options.inputs.size() >= 2) {
    add(comparison_link(server, options.inputs[0], options.inputs[1]));
  } else {
    for (const std::string& input : options.inputs) add(explorer_link(server, input, options.place));
  }
  if (!options.inputs.empty() && links.empty()) return status;
  auto access = make_live_access(server, options.allowed_origins);
  if (!access.ok()) {
    print_error(access.error().message());
    return kBadInput;
  }
  const auto sources = std::make_shared<host::NativeSources>();
  std::vector<server::ServedInput> served;
  for (const std::string& input : options.inputs) {
    if (host::is_url(input) || input.starts_with(kServedSample) || input.starts_with('#')) continue;
    const fs::path path = fs::absolute(input);
    served.push_back({sources->register_file(path), (path.has_filename() ? path : path.parent_path()).filename()});
  }
  const bool has_stream = !served.empty() || !options.runs.empty();
  session::RunKeeper keep_run;
  if (!options.runs.empty()) {
    const base::Result<fs::path> runs = make_runs_folder(options.runs);
    if (!runs.ok()) {
      print_error(runs.error().message());
      return kBadInput;
    }
    keep_run = server::make_run_keeper(run_environment(), runs.value());
  }
  service = server::make_host_service(sources, std::move(served), server::kMostViewers, std::move(keep_run));
  const LiveLinks to_stream = live_links(server, *access);
  if (has_stream) server.serve_live(*service, std::move(access).value());
  server.stop_on_signals();
  fmt::print("nnscope: serving the explorer at {} (Ctrl+C stops)\n", server.address());
  for (const std::string& link : links) fmt::print("  {}\n", link);
  if (has_stream) {
    fmt::print("attach to what runs here (nnscope attach, or a browser):\n  to watch:   {}\n  to control: {}\n",
               to_stream.watch, to_stream.control);
  }
  std::fflush(stdout);
  if (!server.is_loopback()) print_error("other machines can reach this address too");
  server.run();
  return status;
}

}  // namespace nns::cli
