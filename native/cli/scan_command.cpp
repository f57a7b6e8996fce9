#include "native/cli/scan_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "core/checkpoint/scan.h"
#include "native/cli/document.h"
#include "native/cli/exit_status.h"
#include "native/cli/json_report.h"
#include "native/cli/json_writer.h"
#include "native/cli/progress.h"
#include "native/host/url.h"

namespace nns::cli {

namespace {

namespace fs = std::filesystem;
using checkpoint::Finding;
using checkpoint::ScanReport;
using checkpoint::Verdict;

constexpr std::array<Style, 3> kStyles = {Style::Parameter, Style::Warning, Style::Danger};

Style style_of(Verdict verdict) { return kStyles[static_cast<std::size_t>(verdict)]; }

/// A file that was looked at, or why it could not be.
struct Scanned {
  ScanReport report;
  std::string error;
};

Scanned scan_file(const std::string& input, const std::shared_ptr<host::HttpClient>& client, const Terminal& terminal) {
  Scanned result;
  auto file = open_input(input, client);
  if (!file.ok()) {
    result.error = file.error().message();
    return result;
  }
  if (file->source == nullptr) {
    result.error = fmt::format("{}: a folder inside an address cannot be listed", input);
    return result;
  }
  checkpoint::ScanTask task(std::move(file->source));
  ProgressLine line(terminal, "scanning", input);
  while (true) {
    const auto done = task.step(base::Budget(kSlice));
    if (!done.ok()) result.error = done.error().message();
    if (!done.ok() || *done) break;
    line.show(task.done(), task.total());
  }
  result.report = task.report();
  return result;
}

class Printer {
 public:
  Printer(bool as_json, const Terminal& terminal) : as_json_(as_json), terminal_(terminal), json_(stdout) {
    if (!as_json_) return;
    json_.begin_object();
    json_.key("files");
    json_.begin_list(true);
  }

  /// `is_named`: the person named this very file.
  void print(const std::string& input, Scanned scanned, bool is_named) {
    const ScanReport& report = scanned.report;
    if (scanned.error.empty() && report.format.empty() && report.findings.empty()) {
      if (!is_named) {
        ++others_;
        return;
      }
      scanned.error = fmt::format("{}: no pickle, no archive and no checkpoint in it that is known", input);
    }
    if (!scanned.error.empty()) {
      ++unreadable_;
      print_error(scanned.error);
    }
    if (scanned.error.empty() || !report.findings.empty()) ++counts_[static_cast<std::size_t>(report.verdict())];
    if (as_json_) {
      write(input, scanned);
    } else if (scanned.error.empty() || !report.findings.empty()) {
      write_text(input, report);
    }
  }

  void count_unreadable(const std::string& input, const std::string& why) {
    Scanned scanned;
    scanned.error = fmt::format("{}: {}", input, why);
    print(input, std::move(scanned), true);
  }

  int finish() {
    if (as_json_) {
      json_.end_list();
      for (std::size_t i = 0; i < counts_.size(); ++i) {
        json_.key(verdict_name(static_cast<Verdict>(i)));
        json_.number(counts_[i]);
      }
      json_.key("unreadable");
      json_.number(unreadable_);
      json_.key("others");
      json_.number(others_);
      json_.end_object();
      json_.newline();
      json_.flush();
    } else if (counts_[0] + counts_[1] + counts_[2] + unreadable_ + others_ != 1) {
      fmt::print("{} safe, {} unknown, {} dangerous", counts_[0], counts_[1], counts_[2]);
      if (unreadable_ != 0) fmt::print(", {} unreadable", unreadable_);
      if (others_ != 0) fmt::print("; {} without pickles, archives or checkpoints", others_);
      fmt::print("\n");
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      print_error(fmt::format("standard output cannot be written: {}", std::generic_category().message(errno)));
      return kFound;
    }
    if (counts_[2] != 0) return kFound;
    return unreadable_ != 0 ? kBadInput : kFine;
  }

 private:
  void write_text(const std::string& input, const ScanReport& report) {
    const auto safe = std::count_if(report.findings.begin(), report.findings.end(),
                                    [](const Finding& finding) { return finding.verdict == Verdict::Safe; });
    const Verdict verdict = report.verdict();
    std::string about = report.format;
    if (report.pickles != 0)
      about += fmt::format(", {} {}", report.pickles, report.pickles == 1 ? "pickle" : "pickles");
    if (safe != 0) about += fmt::format(", {} {} on the allow-list", safe, safe == 1 ? "global" : "globals");
    fmt::print("{}  {}  {}\n", terminal_.paint(style_of(verdict), fmt::format("{:<9}", verdict_name(verdict))),
               terminal_.paint(Style::Title, printable(input)), terminal_.paint(Style::Dim, about));
    for (const Finding& finding : report.findings) {
      if (finding.verdict == Verdict::Safe) continue;
      std::string line = printable(finding.name);
      if (!finding.opcode.empty()) line += fmt::format("{}{}", line.empty() ? "" : "  ", finding.opcode);
      line += fmt::format("{}byte {}", line.empty() ? "" : " at ", finding.offset);
      if (!finding.member.empty()) line += fmt::format(" of {}", printable(finding.member));
      if (!finding.why.empty()) line += fmt::format(": {}", printable(finding.why));
      fmt::print("    {}  {}\n",
                 terminal_.paint(style_of(finding.verdict), fmt::format("{:<9}", verdict_name(finding.verdict))), line);
    }
  }

  void write(const std::string& input, const Scanned& scanned) {
    json_.begin_object();
    json_.key("file");
    json_.text(input);
    if (!scanned.error.empty()) {
      json_.key("error");
      json_.text(scanned.error);
    }
    if (scanned.error.empty() || !scanned.report.findings.empty()) {
      json_.key("verdict");
      json_.text(verdict_name(scanned.report.verdict()));
      json_.key("format");
      json_.text(scanned.report.format);
      json_.key("pickles");
      json_.number(scanned.report.pickles);
      json_.key("findings");
      json_.begin_list(true);
      for (const Finding& finding : scanned.report.findings) {
        json_.begin_object();
        json_.key("verdict");
        json_.text(verdict_name(finding.verdict));
        for (const auto& [key, value] : {std::pair{"global", &finding.name}, std::pair{"opcode", &finding.opcode},
                                         std::pair{"member", &finding.member}, std::pair{"why", &finding.why}}) {
          if (value->empty()) continue;
          json_.key(key);
          json_.text(*value);
        }
        json_.key("offset");
        json_.number(finding.offset);
        json_.end_object();
      }
      json_.end_list();
    }
    json_.end_object();
  }

  bool as_json_;
  const Terminal& terminal_;
  JsonWriter json_;
  std::array<std::uint64_t, 3> counts_{};
  std::uint64_t unreadable_ = 0;
  std::uint64_t others_ = 0;
};

/// All files of a folder and of those below it, by name.
void scan_folder(const fs::path& folder, const std::shared_ptr<host::HttpClient>& client, const Terminal& terminal,
                 Printer& printer) {
  std::vector<fs::path> waiting = {folder};
  while (!waiting.empty()) {
    const fs::path here = std::move(waiting.back());
    waiting.pop_back();
    std::error_code problem;
    std::vector<fs::path> files;
    std::vector<fs::path> folders;
    for (fs::directory_iterator at(here, problem), end; !problem && at != end; at.increment(problem)) {
      std::error_code none;
      if (at->is_directory(none)) {
        if (!at->is_symlink(none)) folders.push_back(at->path());
      } else if (at->is_regular_file(none) || at->is_symlink(none)) {
        files.push_back(at->path());
      }
    }
    if (problem) printer.count_unreadable(here.string(), fmt::format("cannot be listed: {}", problem.message()));
    std::sort(files.begin(), files.end());
    std::sort(folders.rbegin(), folders.rend());
    for (const fs::path& file : files) printer.print(file.string(), scan_file(file.string(), client, terminal), false);
    waiting.insert(waiting.end(), folders.begin(), folders.end());
  }
}

}  // namespace

int run_scan(const std::vector<std::string>& inputs, bool as_json, const Terminal& terminal) {
  const auto client = std::make_shared<host::HttpClient>();
  Printer printer(as_json, terminal);
  for (const std::string& input : inputs) {
    std::error_code none;
    if (!host::is_url(input) && fs::is_directory(input, none)) {
      scan_folder(input, client, terminal, printer);
    } else {
      printer.print(input, scan_file(input, client, terminal), true);
    }
  }
  return printer.finish();
}

}  // namespace nns::cli
