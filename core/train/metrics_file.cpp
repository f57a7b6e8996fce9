#include "core/train/metrics_file.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>
#include <vector>

namespace nns::train {

namespace {

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

constexpr const char* kOfEvaluation = "evaluation";
constexpr const char* kOfProgram = "metrics";

// What is called by one name in TensorBoard.
std::string board_tag(const std::string& name, bool is_evaluation) {
  return is_evaluation ? "evaluation/" + name : name;
}

// What a program measured, as a line of ours holds it.
struct LoggedScalar {
  std::uint64_t step = 0;
  std::string name;
  bool is_evaluation = false;
  double value = 0;
};

// What the lines before a checkpoint say.
struct LinesBefore {
  std::string text;
  std::vector<LoggedScalar> at_checkpoint;  ///< after the last step
};

// The lines up to that of the first step that will be made again: what was measured after the checkpoint is measured
// again, what the program measured between that step and the checkpoint is not. A line that a kill cut goes, too.
LinesBefore lines_before(std::string_view all, std::uint64_t first_step) {
  LinesBefore kept;
  simdjson::dom::parser parser;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at);
    if (end == std::string_view::npos) break;
    const std::string_view line = all.substr(at, end - at);
    at = end + 1;
    simdjson::dom::element read;
    std::uint64_t step = 0;
    if (parser.parse(simdjson::padded_string(line)).get(read) != simdjson::SUCCESS ||
        read["step"].get(step) != simdjson::SUCCESS) {
      continue;
    }
    simdjson::dom::object scalars;
    const bool is_evaluation = read[kOfEvaluation].get(scalars) == simdjson::SUCCESS;
    const bool is_step = !is_evaluation && read[kOfProgram].get(scalars) != simdjson::SUCCESS;
    if (is_step && step >= first_step) break;
    kept.text.append(line).push_back('\n');
    if (is_step || step < first_step) continue;
    for (const simdjson::dom::key_value_pair pair : scalars) {
      double value = 0;
      if (pair.value.get(value) != simdjson::SUCCESS) value = std::nan("");  // as null is read
      kept.at_checkpoint.push_back({step, std::string(pair.key), is_evaluation, value});
    }
  }
  return kept;
}

}  // namespace

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string json_rates(const StepReport& step) {
  if (step.learning_rates.size() < 2) return {};
  std::string text;
  for (const double rate : step.learning_rates) {
    if (!text.empty()) text += ',';
    text += json_number(rate);
  }
  return fmt::format(",\"lrs\":[{}]", text);
}

base::Result<std::unique_ptr<MetricsFile>> MetricsFile::open(RunFiles& files, std::uint64_t first_step) {
  constexpr const char* kLines = "metrics.jsonl";
  LinesBefore before;
  if (first_step > 0) {
    if (const base::Result<std::string> all = files.read(kLines); all.ok()) {
      before = lines_before(all.value(), first_step);
      NNS_TRY(files.replace(kLines, before.text));
    }
  }
  NNS_TRY_ASSIGN(auto lines, files.append(kLines));
  NNS_TRY_ASSIGN(auto log, files.append("log.txt"));
  const double now = wall_time();
  NNS_TRY_ASSIGN(auto events, files.append(fmt::format("events.out.tfevents.{}.nnscope.{}",
                                                       static_cast<std::int64_t>(now), first_step)));
  auto board = std::make_unique<TensorBoardFile>(std::move(events));
  NNS_TRY(board->begin(now));
  if (first_step > 0) NNS_TRY(board->restart(now, first_step));
  for (const LoggedScalar& scalar : before.at_checkpoint)
    NNS_TRY(board->add(now, scalar.step, board_tag(scalar.name, scalar.is_evaluation), scalar.value));
  return std::unique_ptr<MetricsFile>(new MetricsFile(std::move(lines), std::move(log), std::move(board)));
}

MetricsFile::~MetricsFile() { flush(); }

void MetricsFile::check(const base::Result<void>& done) {
  if (!done.ok() && problem_.empty()) problem_ = done.error().message();
}

void MetricsFile::flush() {
  if (!waiting_lines_.empty()) check(lines_->write(waiting_lines_));
  if (!waiting_log_.empty()) check(log_->write(waiting_log_));
  waiting_lines_.clear();
  waiting_log_.clear();
  flushed_ = std::chrono::steady_clock::now();
}

void MetricsFile::flush_sometimes() {
  constexpr auto kBetween = std::chrono::milliseconds(500);
  if (std::chrono::steady_clock::now() - flushed_ >= kBetween) flush();
}

void MetricsFile::step_made(const StepReport& step, double seconds) {
  waiting_lines_ += fmt::format("{{\"step\":{},\"seconds\":{:.3f}", step.step, seconds);
  if (step.has_loss) waiting_lines_ += fmt::format(",\"loss\":{}", json_number(step.loss));
  if (!step.learning_rates.empty()) waiting_lines_ += fmt::format(",\"lr\":{}", json_number(step.learning_rates[0]));
  waiting_lines_ += json_rates(step);
  waiting_lines_ += fmt::format(",\"step_ms\":{:.3f}", static_cast<double>(step.total_ns()) * 1e-6);
  if (std::isfinite(step.gradient_norm)) waiting_lines_ += fmt::format(",\"gradient_norm\":{}", step.gradient_norm);
  waiting_lines_ += "}\n";
  const double now = wall_time();
  if (step.has_loss) check(board_->add(now, step.step, "loss", step.loss));
  for (std::size_t i = 0; i < step.learning_rates.size(); ++i)
    check(board_->add(now, step.step, i == 0 ? std::string("lr") : fmt::format("lr/{}", i), step.learning_rates[i]));
  flush_sometimes();
}

void MetricsFile::scalar_logged(const std::string& name, bool is_evaluation, std::uint64_t step, double seconds,
                                double value) {
  waiting_lines_ += fmt::format("{{\"step\":{},\"seconds\":{:.3f},\"{}\":{{{}:{}}}}}\n", step, seconds,
                                is_evaluation ? kOfEvaluation : kOfProgram, json_text(name), json_number(value));
  check(board_->add(wall_time(), step, board_tag(name, is_evaluation), value));
  flush_sometimes();
}

void MetricsFile::line_logged(LogLevel level, std::uint64_t step, double seconds, const std::string& text) {
  static constexpr std::string_view kLevels[] = {"", "warning: ", "error: "};
  waiting_log_ +=
      fmt::format("{:.3f} s, step {}: {}{}\n", seconds, step, kLevels[static_cast<std::size_t>(level)], text);
  flush_sometimes();
}

void MetricsFile::checkpoint_saved(const SavedCheckpoint& saved) {
  waiting_log_ +=
      fmt::format("step {}: {} written, {} bytes in {:.3f} s\n", saved.step, saved.name, saved.bytes, saved.seconds);
  flush();
}

}  // namespace nns::train
