#include "core/capture/trace_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace nns::capture {
namespace {

constexpr std::size_t kChunk = 1U << 20U;
constexpr std::size_t kMostNotes = 20;

// "V0403 07:28:48.051000 139877824898048 torch/_logging/structured.py:19] ": what stands before a record's JSON; none:
// the line is another. A rank may stand before it: "[rank0]:".
std::string_view json_of(std::string_view line) {
  if (line.starts_with('[')) {
    const std::size_t end = line.find("]:");
    if (end == std::string_view::npos) return {};
    line.remove_prefix(end + 2);
  }
  // Month and day, then hour, minute, second.
  constexpr std::string_view kForm = "V0000 00:00:00.";
  if (line.size() < kForm.size()) return {};
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const char c = line[i];
    if (i == 0            ? std::string_view("VIWEC").find(c) == std::string_view::npos
        : kForm[i] == '0' ? c < '0' || c > '9'
                          : c != kForm[i]) {
      return {};
    }
  }
  const std::size_t end = line.find("] {");
  return end == std::string_view::npos ? std::string_view() : line.substr(end + 2);
}

}  // namespace

TraceLogReader::TraceLogReader(std::shared_ptr<base::ByteSource> source, ReadLimits limits)
    : source_(std::move(source)), limits_(limits), records_(limits) {}

base::Result<bool> TraceLogReader::step(const base::Budget& budget) {
  std::vector<char> chunk;
  while (read_ < source_->size()) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, source_->size() - read_));
    chunk.resize(count);
    NNS_TRY(source_->read(read_, std::as_writable_bytes(std::span(chunk))));
    std::string_view text(chunk.data(), count);
    std::uint64_t offset = read_;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view part = text.substr(0, end);
      const std::uint64_t begun = offset - rest_.size();
      if (rest_.size() + part.size() > limits_.line_bytes) {
        if (!std::exchange(is_cut_, true)) note(begun, fmt::format("a line of more than {} bytes", limits_.line_bytes));
        rest_.clear();
      }
      if (end == std::string_view::npos) {
        if (!is_cut_) rest_ += part;
        offset += part.size();
        break;
      }
      if (std::exchange(is_cut_, false)) {
        ++lines_;
      } else if (rest_.empty()) {
        line(part, begun);
      } else {
        rest_ += part;
        line(rest_, begun);
      }
      rest_.clear();
      offset += end + 1;
      text.remove_prefix(end + 1);
    }
    read_ += count;
    if (records_read_ == 0 && !has_record_ && lines_ > 100) break;
    if (budget.spent() && read_ < source_->size()) return false;
  }
  if (const std::string last = std::exchange(rest_, {}); !last.empty()) {
    line(last, read_ - last.size());
    --lines_;  // its end is not there
  }
  end_record();
  if (records_read_ == 0) {
    return base::Error{
        .found = damaged_ > 0 ? notes_.front() : "no record of TORCH_TRACE in the first lines",
        .expected = "a line such as V0403 07:28:48.051000 139 torch/_logging/structured.py:19] {\xE2\x80\xA6}",
        .where = source_->name(),
        .offset = 0};
  }
  return true;
}

void TraceLogReader::note(std::uint64_t offset, const std::string& what) {
  ++damaged_;
  if (notes_.size() < kMostNotes) notes_.push_back(fmt::format("byte {}: {}", offset, what));
}

void TraceLogReader::line(std::string_view text, std::uint64_t offset) {
  ++lines_;
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.starts_with('\t')) {
    if (!has_record_) {
      ++other_lines_;
    } else if (payload_.size() + text.size() <= limits_.payload_bytes) {
      payload_ += text.substr(1);
      payload_ += '\n';
    }
    return;
  }
  const std::string_view json = json_of(text);
  if (json.empty()) {
    if (!text.empty()) ++other_lines_;
    return;
  }
  end_record();
  has_record_ = true;
  record_ = json;
  record_at_ = offset + (text.size() - json.size());
}

void TraceLogReader::end_record() {
  if (!std::exchange(has_record_, false)) return;
  const auto added = records_.add(record_, payload_, record_at_);
  if (added.ok()) {
    ++records_read_;
  } else {
    note(added.error().offset.value_or(record_at_), added.error().found);
  }
  payload_.clear();
}

Capture TraceLogReader::take() {
  Capture capture = records_.take();
  capture.is_log = true;
  capture.lines = lines_;
  for (std::string& one : notes_) capture.notes.push_back(std::move(one));
  if (damaged_ > notes_.size()) {
    capture.notes.push_back(fmt::format("{} more places are damaged", damaged_ - notes_.size()));
  }
  if (other_lines_ > 0) capture.notes.push_back(fmt::format("{} lines are no records", other_lines_));
  return capture;
}

}  // namespace nns::capture
