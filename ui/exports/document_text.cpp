#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "core/base/utf8.h"
#include "ui/exports/export.h"
#include "ui/model/format.h"

namespace nns::exports {

namespace {

using live::DocumentView;
using live::RowKind;

constexpr std::size_t kFlush = 64U << 10U;
constexpr std::uint32_t kRowsPerLook = 256;
constexpr std::uint64_t kMostPending = 8U << 20U;
constexpr std::array<std::string_view, 6> kKinds = {"module", "parameter", "buffer", "tensor", "container", "value"};

/// What of a row is written. The same for every format; a format only spells it.
enum Field : std::size_t {
  kPath,
  kName,
  kKind,
  kClass,
  kDtype,
  kShape,
  kParameters,
  kBytes,
  kValue,
  kInferred,
  kMatch,  // only of filtered rows
  kFields
};
constexpr std::array<std::string_view, kFields> kTitles = {"path",       "name",  "kind",  "class",    "dtype", "shape",
                                                           "parameters", "bytes", "value", "inferred", "match"};

struct Row {
  std::array<std::string, kFields> text;
  std::uint32_t level = 0;
  bool is_inferred = false;  ///< its class was worked out from names and shapes
};

/// On one line, and nothing that a terminal would obey.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned>(static_cast<unsigned char>(c));
    if (byte < 0x20 || byte == 0x7F) {
      fmt::format_to(std::back_inserter(line), "\\x{:02x}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

void quote_json(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned>(static_cast<unsigned char>(c));
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

// Spreadsheets run a cell that begins like a formula, and names come from files that somebody else wrote. "-1" is none.
bool is_formula(std::string_view text) {
  if (text.find_first_of("=@\t\r") == 0) return true;
  return text.find_first_of("+-") == 0 && text.find_first_not_of("+-0123456789.eE") != std::string_view::npos;
}

void quote_csv(std::string& out, std::string_view text) {
  const bool runs = is_formula(text);
  if (!runs && text.find_first_of(",\"\n\r") == std::string_view::npos) {
    out += text;
    return;
  }
  out += runs ? "\"'" : "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void quote_markdown(std::string& out, std::string_view text) {
  for (const char c : one_line(text)) {
    if (std::strchr("|\\`*_<>[]", c) != nullptr && c != '\0') out += '\\';
    out += c;
  }
}

class DocumentText final : public Export {
 public:
  DocumentText(std::shared_ptr<const DocumentView> document, TextFormat format, std::optional<RowFilter> filter)
      : document_(std::move(document)), format_(format), filter_(std::move(filter)) {
    find_last_children();
    // Columns of the tree as text are as wide as their widest entry: one look at all rows before the first is written.
    is_measuring_ = format_ == TextFormat::Text;
    for (std::size_t field = 0; field < kFields; ++field) widths_[field] = kTitles[field].size();
  }

  double progress() const override {
    const double all = std::max(1U, document_->row_count());
    const double done = next_ / all;
    return format_ != TextFormat::Text ? done : is_measuring_ ? done / 2 : (1 + done) / 2;
  }

  base::Result<bool> step(host::SaveFile& file, const base::Budget& budget) override {
    if (file.pending() > kMostPending) return false;
    if (next_ == 0 && !is_measuring_) begin();
    while (next_ < document_->row_count()) {
      // Nothing below a row that is left out is shown.
      if (!is_shown(next_)) {
        next_ = document_->end(next_);
        continue;
      }
      const Row row = make_row(next_);
      has_inferred_ = has_inferred_ || row.is_inferred;
      if (is_measuring_) {
        measure(row);
      } else {
        put(row);
      }
      if (++next_ % kRowsPerLook == 0) {
        flush(file);
        if (budget.spent()) return false;
      }
    }
    if (is_measuring_) {
      is_measuring_ = false;
      next_ = 0;
      ends_.clear();
      path_.clear();
      return false;
    }
    end();
    flush(file, true);
    return true;
  }

 private:
  bool is_shown(std::uint32_t row) const { return !filter_ || filter_->rows.is_shown(row); }

  void find_last_children() {
    last_child_.assign(document_->row_count(), 0);
    for (std::uint32_t row = 1; row < document_->row_count(); ++row) {
      if (is_shown(row)) last_child_[document_->parent(row)] = row;
    }
  }

  Row make_row(std::uint32_t at) {
    const DocumentView& document = *document_;
    while (!ends_.empty() && at >= ends_.back().end) {
      path_.resize(ends_.back().path_size);
      ends_.pop_back();
    }
    Row row;
    row.level = static_cast<std::uint32_t>(ends_.size());
    const std::string_view name = at == 0 ? document.title() : document.name(at);
    const std::size_t size = path_.size();
    if (at != 0) {
      if (!path_.empty()) path_ += ends_.back().is_container ? '/' : '.';
      path_ += name;
    }
    row.text[kPath] = path_;
    row.text[kName] = name;
    row.text[kKind] = kKinds[std::min<std::size_t>(static_cast<std::size_t>(document.kind(at)), kKinds.size() - 1)];
    row.text[kClass] = document.class_name(at);
    if (!row.text[kClass].empty()) {
      row.is_inferred = (document.flags(at) & live::kClassInferred) != 0;
      row.text[kInferred] = row.is_inferred ? "true" : "false";
    }
    const std::uint32_t tensor = document.tensor(at);
    if (tensor != live::kNone) {
      row.text[kDtype] = document.dtype_name(tensor);
      for (const std::int64_t dim : document.shape(tensor))
        row.text[kShape] += fmt::format("{}{}", row.text[kShape].empty() ? "" : "x", dim);
    }
    row.text[kParameters] = fmt::format("{}", filter_ ? filter_->rows.parameters[at] : document.parameters(at));
    row.text[kBytes] = fmt::format("{}", filter_ ? filter_->rows.bytes[at] : document.bytes(at));
    if (filter_) row.text[kMatch] = filter_->rows.is_match(at) ? "true" : "false";
    row.text[kValue] = document.preview(at);
    if (document.has_children(at)) {
      ends_.push_back({document.end(at), size, document.kind(at) == RowKind::Container});
    } else {
      path_.resize(size);
    }
    return row;
  }

  /// What stands in front of a name: one column a level, "│" where a sibling still comes.
  std::string branches(std::uint32_t at, std::uint32_t level) const {
    std::string text;
    std::vector<std::uint32_t> chain;
    for (std::uint32_t row = at; chain.size() < level; row = document_->parent(row)) chain.push_back(row);
    for (std::size_t i = chain.size(); i-- > 0;) {
      const bool is_last = last_child_[document_->parent(chain[i])] == chain[i];
      text += i == 0 ? (is_last ? "└─ " : "├─ ") : (is_last ? "   " : "│  ");
    }
    return text;
  }

  static std::string class_of(const Row& row) { return (row.is_inferred ? "≈ " : "") + row.text[kClass]; }

  static std::string class_or_value(const Row& row) {
    const std::string value = one_line(row.text[kValue]);
    return class_of(row) + (value.empty() || row.text[kClass].empty() ? "" : "  ") + value;
  }

  static std::string number(const std::string& digits) {
    return digits == "0" ? std::string("--") : model::thousands(std::stoull(digits));
  }

  void measure(const Row& row) {
    const auto widen = [&](Field field, std::size_t width) { widths_[field] = std::max(widths_[field], width); };
    widen(kName, row.level * 3 + base::count_code_points(one_line(row.text[kName])));
    widen(kClass, base::count_code_points(class_or_value(row)));
    widen(kDtype, base::count_code_points(row.text[kDtype]));
    widen(kShape, base::count_code_points(row.text[kShape]));
    widen(kParameters, number(row.text[kParameters]).size());
    widen(kBytes, number(row.text[kBytes]).size());
  }

  void cell(std::string_view text, std::size_t width, bool on_the_right) {
    const std::string space(width - std::min(width, base::count_code_points(text)), ' ');
    if (on_the_right) out_ += space;
    out_ += text;
    if (!on_the_right) out_ += space;
    out_ += "  ";
  }

  void end_line() {
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    out_ += '\n';
  }

  std::size_t line_width() const {
    return widths_[kName] + widths_[kClass] + widths_[kDtype] + widths_[kShape] + widths_[kParameters] +
           widths_[kBytes] + 10;
  }

  void begin() {
    switch (format_) {
      case TextFormat::Text:
        out_ += std::string(line_width(), '=') + '\n';
        for (const Field field : {kName, kClass, kDtype, kShape, kParameters, kBytes})
          cell(field == kClass ? "class or value" : kTitles[field], widths_[field], field >= kParameters);
        end_line();
        out_ += std::string(line_width(), '=') + '\n';
        return;
      case TextFormat::Json:
        out_ += "{\"title\": ";
        quote_json(out_, document_->title());
        out_ += ", \"format\": ";
        quote_json(out_, document_->format());
        if (filter_) {
          out_ += ", \"filter\": ";
          quote_json(out_, filter_->query);
          out_ += fmt::format(", \"matches\": {}", filter_->rows.match_count);
        }
        out_ += fmt::format(", \"parameters\": {}, \"bytes\": {}, \"tensors\": {}, \"rows\": [", all_parameters(),
                            all_bytes(), filter_ ? filter_->rows.totals.tensors : document_->tensor_count());
        return;
      case TextFormat::Csv:
        out_ += "level";
        for (std::size_t field = 0; field < field_count(); ++field) out_ += fmt::format(",{}", kTitles[field]);
        out_ += '\n';
        return;
      case TextFormat::Markdown:
        out_ += "# ";
        quote_markdown(out_, document_->title());
        out_ +=
            "\n\n| name | kind | class | dtype | shape | parameters | bytes | value |\n"
            "| --- | --- | --- | --- | --- | ---: | ---: | --- |\n";
        return;
    }
  }

  /// null: not known, because the file with it is not there.
  void put_json_shape(std::uint32_t tensor) {
    out_ += ", \"shape\": ";
    if (!document_->has_shape(tensor)) {
      out_ += "null";
      return;
    }
    out_ += '[';
    const auto shape = document_->shape(tensor);
    for (std::size_t i = 0; i < shape.size(); ++i) out_ += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
    out_ += ']';
  }

  void put(const Row& row) {
    switch (format_) {
      case TextFormat::Text:
        cell(branches(next_, row.level) + one_line(row.text[kName]), widths_[kName], false);
        cell(class_or_value(row), widths_[kClass], false);
        cell(row.text[kDtype], widths_[kDtype], false);
        cell(row.text[kShape], widths_[kShape], false);
        cell(number(row.text[kParameters]), widths_[kParameters], true);
        cell(number(row.text[kBytes]), widths_[kBytes], true);
        end_line();
        return;
      case TextFormat::Json:
        out_ += fmt::format("{}\n{{\"level\": {}", next_ == 0 ? "" : ",", row.level);
        for (std::size_t field = 0; field < kFields; ++field) {
          const bool is_bare = field == kParameters || field == kBytes || field == kInferred || field == kMatch;
          if (row.text[field].empty() && field != kPath && field != kName) continue;
          if (field == kShape) continue;
          out_ += fmt::format(", \"{}\": ", kTitles[field]);
          if (is_bare) {
            out_ += row.text[field];
          } else {
            quote_json(out_, row.text[field]);
          }
        }
        if (const std::uint32_t tensor = document_->tensor(next_); tensor != live::kNone) {
          put_json_shape(tensor);
        }
        out_ += '}';
        return;
      case TextFormat::Csv:
        out_ += fmt::format("{}", row.level);
        for (std::size_t field = 0; field < field_count(); ++field) {
          out_ += ',';
          quote_csv(out_, row.text[field]);
        }
        out_ += '\n';
        return;
      case TextFormat::Markdown:
        out_ += "| ";
        for (std::uint32_t i = 0; i < row.level; ++i) out_ += "&ensp;";
        for (std::size_t field = kName; field <= kValue; ++field) {
          quote_markdown(out_, field == kClass ? class_of(row) : row.text[field]);
          out_ += field == kValue ? " |\n" : " | ";
        }
        return;
    }
  }

  std::size_t field_count() const { return filter_ ? std::size_t{kFields} : std::size_t{kMatch}; }
  std::uint64_t all_parameters() const {
    return filter_ ? filter_->rows.totals.parameters : document_->get().total_parameters();
  }
  std::uint64_t all_bytes() const { return filter_ ? filter_->rows.totals.bytes : document_->get().total_bytes(); }

  /// As torchinfo and PyTorch count: each parameter once, whatever its names; buffers are no parameters.
  std::vector<std::pair<std::string, std::string>> totals() const {
    std::uint64_t buffers = 0;
    std::uint64_t unknown = 0;
    std::vector<bool> seen;
    std::vector<std::pair<std::string_view, std::uint64_t>> dtypes;
    const std::size_t tensor_count = filter_ ? filter_->rows.tensors.size() : document_->tensor_count();
    for (std::size_t at = 0; at < tensor_count; ++at) {
      const std::uint32_t tensor = filter_ ? filter_->rows.tensors[at] : static_cast<std::uint32_t>(at);
      const std::uint32_t storage = document_->storage(tensor);
      if (storage != live::kNone) {
        if (storage >= seen.size()) seen.resize(storage + 1);
        if (seen[storage]) continue;
        seen[storage] = true;
      }
      if (!document_->has_shape(tensor)) {
        ++unknown;
        continue;
      }
      const std::uint32_t row = document_->node(tensor);
      if (row != live::kNone && document_->kind(row) == RowKind::Buffer) buffers += document_->numel(tensor);
      const std::string_view dtype = document_->dtype_name(tensor);
      const auto known =
          std::find_if(dtypes.begin(), dtypes.end(), [&](const auto& entry) { return entry.first == dtype; });
      if (known == dtypes.end()) {
        dtypes.emplace_back(dtype, document_->numel(tensor));
      } else {
        known->second += document_->numel(tensor);
      }
    }
    std::vector<std::pair<std::string, std::string>> lines;
    if (filter_) {
      lines.emplace_back("Filter", one_line(filter_->query));
      lines.emplace_back("Matches", model::thousands(filter_->rows.match_count));
    }
    lines.emplace_back("Total params", model::thousands(all_parameters()));
    lines.emplace_back("Buffers", model::thousands(buffers));
    lines.emplace_back("Tensors", model::thousands(filter_ ? filter_->rows.totals.tensors : document_->tensor_count()));
    lines.emplace_back("Bytes of tensors",
                       fmt::format("{} ({})", model::thousands(all_bytes()), model::short_bytes(all_bytes())));
    if (unknown != 0) lines.emplace_back("Tensors in missing files, not counted", model::thousands(unknown));
    if (has_inferred_) lines.emplace_back("≈", "class inferred from names and shapes");
    for (const auto& [dtype, elements] : dtypes)
      lines.emplace_back(fmt::format("Elements of {}", dtype), model::thousands(elements));
    return lines;
  }

  void end() {
    if (format_ == TextFormat::Json) out_ += "\n]}\n";
    if (format_ == TextFormat::Text) out_ += std::string(line_width(), '=') + '\n';
    if (format_ == TextFormat::Markdown) out_ += '\n';
    if (format_ != TextFormat::Text && format_ != TextFormat::Markdown) return;
    for (const auto& [name, value] : totals()) {
      if (format_ == TextFormat::Markdown) out_ += "- ";
      out_ += fmt::format("{}: ", name);
      if (format_ == TextFormat::Markdown) {
        quote_markdown(out_, value);
      } else {
        out_ += value;
      }
      out_ += '\n';
    }
    if (format_ == TextFormat::Text) out_ += std::string(line_width(), '=') + '\n';
  }

  void flush(host::SaveFile& file, bool all = false) {
    if (!all && out_.size() < kFlush) return;
    file.write(out_);
    out_.clear();
  }

  struct Open {
    std::uint32_t end = 0;
    std::size_t path_size = 0;
    bool is_container = false;
  };

  std::shared_ptr<const DocumentView> document_;
  TextFormat format_;
  std::optional<RowFilter> filter_;
  std::vector<std::uint32_t> last_child_;  // by row, of those that are shown; 0: none
  bool is_measuring_ = false;
  bool has_inferred_ = false;
  std::uint32_t next_ = 0;
  std::vector<Open> ends_;
  std::string path_;
  std::array<std::size_t, kFields> widths_{};
  std::string out_;
};

}  // namespace

std::unique_ptr<Export> make_document_text(std::shared_ptr<const live::DocumentView> document, TextFormat format) {
  return std::make_unique<DocumentText>(std::move(document), format, std::nullopt);
}

std::unique_ptr<Export> make_document_text(std::shared_ptr<const live::DocumentView> document, TextFormat format,
                                           RowFilter filter) {
  return std::make_unique<DocumentText>(std::move(document), format, std::move(filter));
}

}  // namespace nns::exports
