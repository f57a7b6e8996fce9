#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/byte_source.h"
#include "core/base/result.h"
#include "core/capture/capture.h"
#include "core/capture/reader.h"

namespace nns::capture {

struct Json;

/// What the records of a log say; they come in order, each with the text that was indented below it.
class LogRecords {
 public:
  explicit LogRecords(ReadLimits limits) : limits_(limits) {}
  /// A record: JSON, at byte `offset` of the log. Errors: it is none.
  base::Result<void> add(std::string_view json, std::string_view payload, std::uint64_t offset);
  Capture take();

 private:
  std::uint32_t file_of(const Json& line, const char* key);
  StackLine stack_line(const Json& line);
  Frame* frame_of(const std::string& id);
  void add_metrics(Frame& frame, const Json& metrics);
  void add_graph(Frame& frame, std::string_view stage, std::string_view code);
  void add_guards(Frame& frame, std::string_view payload);
  void add_guard_tree(Frame& frame, std::string_view payload);
  void add_break(Frame& frame, std::string_view payload);
  void add_reasons(Frame& frame, std::string_view payload);
  void add_guard(Frame& frame, Guard guard) const;

  ReadLimits limits_;
  Capture capture_;
  FileTable files_;
  std::map<std::int64_t, std::string> names_;
  std::map<std::string, std::size_t> frames_;
  std::map<std::string, std::uint64_t, std::less<>> counts_;
  std::vector<std::string> kinds_;  ///< in the order of first use
  std::size_t nodes_ = 0;
  bool is_full_ = false;
};

/// Reads a log that PyTorch writes with TORCH_TRACE, in slices: lines of "V0403 07:28:48.051000 139 file.py:19] {…}",
/// each with its payload behind it, indented by a tab. What is damaged is told in Capture::notes with its place, the
/// rest is read. Behaviour: torch/_logging/_internal.py, TorchLogsFormatter and trace_structured.
class TraceLogReader final : public Reader {
 public:
  explicit TraceLogReader(std::shared_ptr<base::ByteSource> source, ReadLimits limits = {});
  base::Result<bool> step(const base::Budget& budget) override;
  Capture take() override;
  std::uint64_t done() const override { return read_; }
  std::uint64_t total() const override { return source_->size(); }

 private:
  void line(std::string_view text, std::uint64_t offset);
  void end_record();
  void note(std::uint64_t offset, const std::string& what);

  std::shared_ptr<base::ByteSource> source_;
  ReadLimits limits_;
  LogRecords records_;
  std::uint64_t read_ = 0;
  std::string rest_;  ///< the beginning of a line whose end was not read yet
  std::string record_;
  std::string payload_;
  std::uint64_t record_at_ = 0;
  bool has_record_ = false;
  bool is_cut_ = false;  ///< the line that is read is too long
  std::uint64_t records_read_ = 0;
  std::uint64_t lines_ = 0;  ///< that have an end
  std::uint64_t other_lines_ = 0;
  std::uint64_t damaged_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace nns::capture
