#include "native/cli/convert_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "core/checkpoint/convert.h"
#include "native/cli/document.h"
#include "native/cli/exit_status.h"
#include "native/cli/progress.h"
#include "native/cli/stop_on_signal.h"
#include "native/cli/terminal.h"
#include "native/host/file_save.h"

namespace nns::cli {

namespace {

namespace fs = std::filesystem;
using checkpoint::WrittenFormat;

std::optional<WrittenFormat> format_of(const ConvertOptions& options) {
  if (options.format == "safetensors") return WrittenFormat::Safetensors;
  if (options.format == "torch") return WrittenFormat::TorchZip;
  const std::string ending = fs::path(options.output).extension().string();
  if (ending == ".safetensors") return WrittenFormat::Safetensors;
  for (const char* known : {".pt", ".pth", ".bin", ".ckpt"}) {
    if (ending == known) return WrittenFormat::TorchZip;
  }
  return std::nullopt;
}

/// The file that is being written, and how far it is.
class FileSink final : public base::ByteSink {
 public:
  FileSink(host::SaveFile& file, ProgressLine& line, std::uint64_t total) : file_(file), line_(line), total_(total) {}
  using base::ByteSink::write;
  base::Result<void> write(std::span<const std::byte> bytes) override {
    if (StopOnSignal::stopped()) return base::Error{"stopped", {}, {}, {}};
    file_.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    NNS_TRY(file_.ended());
    done_ += bytes.size();
    line_.show(done_, total_);
    return {};
  }

 private:
  host::SaveFile& file_;
  ProgressLine& line_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
};

int fail(const std::string& message, ExitStatus status) {
  print_error(message);
  return status;
}

}  // namespace

int run_convert(const ConvertOptions& options, const Terminal& terminal) {
  const std::optional<WrittenFormat> format = format_of(options);
  if (!format) {
    return fail(fmt::format("{}: the ending names no format; expected .safetensors, .pt, .pth, .bin or .ckpt, or --to",
                            options.output),
                kBadInput);
  }
  auto document = read_document(options.input, std::make_shared<host::HttpClient>(), terminal);
  if (!document.ok()) return fail(document.error().message(), kBadInput);
  auto file = host::open_file_save(options.output, options.force);
  if (!file.ok()) return fail(file.error().message(), kBadInput);
  checkpoint::Checkpoint& input = *document->checkpoint;
  std::uint64_t total = 0;
  for (const checkpoint::TensorEntry& entry : input.tensors) total += entry.nbytes;
  ProgressLine line(terminal, "converting", options.input);
  const StopOnSignal stop;
  FileSink sink(**file, line, total);
  const std::string archive = fs::path(options.output).stem().string();
  const auto written = checkpoint::convert(input, *format, sink, archive.empty() ? "archive" : archive);
  if (!written.ok()) return StopOnSignal::stopped() ? kStopped : fail(written.error().message(), kFound);
  (*file)->finish();
  const auto ended = (*file)->ended();
  if (!ended.ok()) return fail(ended.error().message(), kFound);
  return kFine;
}

}  // namespace nns::cli
