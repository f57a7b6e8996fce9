#include "native/cli/train_report.h"

#include <fmt/format.h>

#include <cstdio>

#include "core/train/metrics_file.h"

namespace nns::cli {

using train::json_number;
using train::json_text;

namespace {

constexpr std::string_view kStates[] = {"starting", "running", "paused", "finished", "failed", "stopped"};

void print_not_finite(const train::StepReport& step) {
  const train::NotFinite& bad = step.not_finite;
  fmt::print(
      "{{\"not_finite\":\"{}\",\"step\":{},\"phase\":\"{}\",\"module\":{},\"op\":{},\"op_is_exact\":{},\"file\":{},"
      "\"line\":{}}}\n",
      bad.is_nan ? "NaN" : "Inf", step.step, train::phase_name(bad.phase), json_text(bad.path),
      bad.op.empty() ? "null" : json_text(bad.op), !bad.op.empty() && !bad.is_op_about,
      bad.place.line == 0 ? "null" : json_text(bad.place.file),
      bad.place.line == 0 ? "null" : fmt::format("{}", bad.place.line));
}

}  // namespace

void TrainReport::clear_line() {
  if (!has_line_) return;
  std::fputs("\r\033[K", stderr);
  has_line_ = false;
}

void TrainReport::step_made(const train::StepReport& step, double seconds) {
  if (json_) {
    fmt::print("{{\"step\":{},\"seconds\":{:.3f},\"loss\":{},\"lr\":{}{}}}\n", step.step, seconds,
               json_number(step.loss), step.learning_rates.empty() ? "null" : json_number(step.learning_rates[0]),
               train::json_rates(step));
    if (!step.is_finite) print_not_finite(step);
    return;
  }
  if (!terminal_.progress) return;
  constexpr auto kBetween = std::chrono::milliseconds(250);
  const auto now = std::chrono::steady_clock::now();
  if (now - told_ < kBetween) return;
  const double rate =
      seconds > told_seconds_ ? static_cast<double>(step.step - told_step_) / (seconds - told_seconds_) : 0;
  fmt::print(stderr, "\r\033[Kstep {}  loss {:.4f}  lr {:.3g}  {:.1f} steps/s", step.step + 1, step.loss,
             step.learning_rates.empty() ? 0.0 : step.learning_rates[0], rate);
  std::fflush(stderr);
  has_line_ = true;
  told_ = now;
  told_step_ = step.step;
  told_seconds_ = seconds;
}

void TrainReport::scalar_logged(const std::string& name, bool is_evaluation, std::uint64_t step, double seconds,
                                double value) {
  if (!json_) return;
  fmt::print("{{\"{}\":{},\"value\":{},\"step\":{},\"seconds\":{:.3f}}}\n", is_evaluation ? "evaluation" : "metric",
             json_text(name), json_number(value), step, seconds);
}

void TrainReport::line_logged(train::LogLevel level, std::uint64_t step, double /*seconds*/, const std::string& text) {
  if (json_) {
    fmt::print("{{\"log\":{},\"step\":{}}}\n", json_text(text), step);
  } else if (level != train::LogLevel::Info) {
    clear_line();
    print_error(text);
  }
}

void TrainReport::checkpoint_saved(const train::SavedCheckpoint& saved) {
  if (!json_) return;
  fmt::print("{{\"checkpoint\":{},\"step\":{},\"bytes\":{}}}\n", json_text(saved.name), saved.step, saved.bytes);
  std::fflush(stdout);
}

void TrainReport::wrote(std::string_view text) {
  if (json_) {
    fmt::print("{{\"out\":{}}}\n", json_text(text));
    return;
  }
  clear_line();
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void TrainReport::ended(const train::Training& training) {
  clear_line();
  const auto state = kStates[static_cast<std::size_t>(training.state())];
  const train::StepReport& last = training.last_step();
  if (json_) {
    fmt::print("{{\"state\":\"{}\",\"steps\":{},\"seconds\":{:.3f},\"loss\":{},\"folder\":{}}}\n", state,
               last.table_version == 0 ? 0 : last.step + 1, training.seconds(), json_number(last.loss),
               training.files() == nullptr ? "null" : json_text(training.files()->folder()));
  } else if (training.files() != nullptr) {
    fmt::print(stderr, "nnscope: {}; the run is in {}\n", state, printable(training.files()->folder()));
  }
  std::fflush(stdout);
}

}  // namespace nns::cli
