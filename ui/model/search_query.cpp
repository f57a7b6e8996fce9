#include "ui/model/search_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/live/document_view.h"

namespace nns::model {

namespace {

using TermKind = QueryTerm::Kind;

struct Field {
  std::string_view name;
  TermKind kind;
};
constexpr std::array<Field, 17> kFields = {{{"name", TermKind::Name},
                                            {"path", TermKind::Path},
                                            {"class", TermKind::Class},
                                            {"type", TermKind::Class},
                                            {"dtype", TermKind::Dtype},
                                            {"kind", TermKind::RowKind},
                                            {"is", TermKind::Flag},
                                            {"shape", TermKind::Shape},
                                            {"rank", TermKind::Rank},
                                            {"dim", TermKind::Rank},
                                            {"size", TermKind::Count},
                                            {"numel", TermKind::Count},
                                            {"params", TermKind::Count},
                                            {"parameters", TermKind::Count},
                                            {"bytes", TermKind::Bytes},
                                            {"meta", TermKind::Metadata},
                                            {"metadata", TermKind::Metadata}}};

struct Alias {
  std::string_view name;
  std::string_view begins;  // of the element type that it stands for
};
constexpr std::array<Alias, 27> kDtypes = {
    {{"bf16", "bfloat16"},   {"f16", "float16"}, {"fp16", "float16"},     {"half", "float16"},     {"f32", "float32"},
     {"fp32", "float32"},    {"f64", "float64"}, {"fp64", "float64"},     {"double", "float64"},   {"fp8", "float8"},
     {"f8", "float8"},       {"fp4", "float4"},  {"f4", "float4"},        {"i8", "int8"},          {"i16", "int16"},
     {"i32", "int32"},       {"i64", "int64"},   {"long", "int64"},       {"u8", "uint8"},         {"u16", "uint16"},
     {"u32", "uint32"},      {"u64", "uint64"},  {"e4m3", "float8_e4m3"}, {"e5m2", "float8_e5m2"}, {"c64", "complex64"},
     {"c128", "complex128"}, {"byte", "uint8"}}};

struct Named {
  std::string_view name;
  unsigned bits;
};
constexpr unsigned bit(live::RowKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr std::array<Named, 8> kKinds = {
    {{"module", bit(live::RowKind::Module)},
     {"parameter", bit(live::RowKind::Parameter)},
     {"param", bit(live::RowKind::Parameter)},
     {"buffer", bit(live::RowKind::Buffer)},
     {"tensor", bit(live::RowKind::Parameter) | bit(live::RowKind::Buffer) | bit(live::RowKind::Tensor)},
     {"container", bit(live::RowKind::Container)},
     {"value", bit(live::RowKind::Value)},
     {"other", bit(live::RowKind::Tensor)}}};
constexpr std::array<Named, 4> kFlags = {{{"shared", live::kShared},
                                          {"tied", live::kShared},
                                          {"suspicious", live::kSuspicious},
                                          {"inferred", live::kClassInferred}}};

template <class Table>
std::string names_of(const Table& table) {
  std::string names;
  for (const auto& row : table) names.append(names.empty() ? "" : ", ").append(row.name);
  return names;
}

bool is_query_digit(char letter) { return letter >= '0' && letter <= '9'; }

class QueryParser {
 public:
  explicit QueryParser(std::string_view text) : text_(text), lower_(lowered(text)) {}

  SearchQuery parse() {
    while (!query_.error) {
      while (at_ < text_.size() && is_space(text_[at_])) ++at_;
      if (at_ == text_.size()) break;
      if (query_.terms.size() == kMostTerms) {
        fail("too many conditions", fmt::format("at most {}", kMostTerms), at_, text_.size());
        break;
      }
      parse_term();
    }
    if (query_.error) query_.terms.clear();
    return std::move(query_);
  }

 private:
  static bool is_space(char letter) { return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r'; }

  void fail(std::string found, std::string expected, std::size_t begin, std::size_t end) {
    if (!query_.error) query_.error = TextError{std::move(found), std::move(expected), begin, end};
  }

  // Up to the next space, or what is inside of quotes.
  std::string_view take_word() {
    if (at_ < text_.size() && text_[at_] == '"') {
      const std::size_t begin = ++at_;
      const std::size_t end = std::min(lower_.find('"', begin), lower_.size());
      at_ = std::min(end + 1, lower_.size());
      return std::string_view(lower_).substr(begin, end - begin);
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return std::string_view(lower_).substr(begin, at_ - begin);
  }

  void parse_term() {
    QueryTerm term;
    const std::size_t begin = at_;
    const bool has_sign =
        (text_[at_] == '-' || text_[at_] == '!') && at_ + 1 < text_.size() && !is_space(text_[at_ + 1]);
    if (has_sign) {
      term.is_negated = true;
      ++at_;
    }
    const char first = text_[at_];
    if (first == '/') {
      parse_pattern(term);
    } else if (first == '<' || first == '>' ||
               (first == '=' && at_ + 1 < text_.size() && is_query_digit(text_[at_ + 1]))) {
      term.kind = TermKind::Count;
      parse_range(term, begin);
    } else if (is_query_digit(first) && has_range()) {
      term.kind = TermKind::Count;
      parse_range(term, begin);
    } else if (first != '"' && parse_field(term)) {
      // Everything is done.
    } else if (!query_.error) {
      set_text(term, take_word(), begin);
    }
    if (!query_.error) query_.terms.push_back(std::move(term));
  }

  // Two dots between this place and the next space, and a digit behind them: 10k..20k.
  bool has_range() const {
    const std::size_t end = std::min(lower_.find(' ', at_), lower_.size());
    const std::size_t dots = lower_.find("..", at_);
    return dots != std::string::npos && dots + 2 < end && is_query_digit(lower_[dots + 2]);
  }

  void set_text(QueryTerm& term, std::string_view word, std::size_t begin) {
    term.text = word;
    if (word.empty()) return fail("an empty text", "letters", begin, at_);
    if (term.kind == TermKind::Word) {
      term.is_plain = true;
      for (const Alias& alias : kDtypes) {
        if (alias.name == word) term.dtype = alias.begins;
      }
      if (word.find_first_of("./") != std::string_view::npos) term.kind = TermKind::Path;
    }
    if (term.kind == TermKind::Path) {
      TextError error;
      term.regex = Regex::literal(word, error);
      if (!term.regex) fail(error.found, error.expected, begin, at_);
    }
  }

  // From / to the next / that has no \ before it; while it is being typed, to the end.
  void parse_pattern(QueryTerm& term) {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && !(text_[at_] == '/' && (at_ + 1 == text_.size() || is_space(text_[at_ + 1])))) {
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() ? 2U : 1U;
    }
    term.kind = TermKind::Path;
    term.text = text_.substr(begin, at_ - begin);
    TextError error;
    term.regex = Regex::make(term.text, error);
    if (!term.regex) fail(error.found, error.expected, begin + error.begin, begin + error.end);
    if (at_ < text_.size()) ++at_;
  }

  // `key:value`, if there are letters and a colon.
  bool parse_field(QueryTerm& term) {
    const std::size_t begin = at_;
    std::size_t colon = at_;
    while (colon < lower_.size() && lower_[colon] >= 'a' && lower_[colon] <= 'z') ++colon;
    if (colon == at_ || colon == lower_.size() || lower_[colon] != ':') return false;
    const std::string_view key = std::string_view(lower_).substr(begin, colon - begin);
    const auto* field =
        std::find_if(kFields.begin(), kFields.end(), [&](const Field& known) { return known.name == key; });
    if (field == kFields.end()) {
      at_ = text_.size();
      fail(fmt::format("no field is called {}:", key), names_of(kFields) + "; or quotes around it", begin, colon + 1);
      return true;
    }
    term.kind = field->kind;
    at_ = colon + 1;
    if (at_ == text_.size() || is_space(text_[at_])) {
      fail(fmt::format("nothing behind {}:", key), example(term.kind), begin, at_);
      return true;
    }
    parse_value(term, begin);
    return true;
  }

  static std::string example(TermKind kind) {
    switch (kind) {
      case TermKind::RowKind:
        return names_of(kKinds);
      case TermKind::Flag:
        return names_of(kFlags);
      case TermKind::Shape:
        return "as in shape:4096,* or shape:...,768";
      case TermKind::Rank:
        return "as in rank:2 or rank:>2";
      case TermKind::Count:
      case TermKind::Bytes:
        return "a number: >1M, <=10k, 768, 1M..10M; for bytes 2GB, 512KiB";
      case TermKind::Dtype:
        return "an element type: bf16, float32, q4_k";
      default:
        return "letters";
    }
  }

  void parse_value(QueryTerm& term, std::size_t begin) {
    switch (term.kind) {
      case TermKind::Rank:
      case TermKind::Count:
      case TermKind::Bytes:
        return parse_range(term, begin);
      case TermKind::Shape:
        return parse_shape(term, begin);
      case TermKind::RowKind:
        return parse_name(term, kKinds, begin);
      case TermKind::Flag:
        return parse_name(term, kFlags, begin);
      case TermKind::Dtype: {
        const std::string_view word = take_word();
        term.text = word;
        for (const Alias& alias : kDtypes) {
          if (alias.name == word) term.text = alias.begins;
        }
        return;
      }
      default:
        term.is_exact = text_[at_] == '=' && (term.kind == TermKind::Name || term.kind == TermKind::Class);
        if (term.is_exact) ++at_;
        return set_text(term, take_word(), begin);
    }
  }

  template <class Table>
  void parse_name(QueryTerm& term, const Table& table, std::size_t begin) {
    term.text = take_word();
    for (const Named& known : table) {
      if (known.name == term.text || std::string(known.name) + "s" == term.text) {
        term.bits = static_cast<std::uint8_t>(known.bits);
        return;
      }
    }
    fail(fmt::format("{} is none of them", term.text), names_of(table), begin, at_);
  }

  // 1, 1.5M, 2GB. Gives whether it is a number; a unit of bytes turns Count into Bytes.
  bool parse_number(TermKind& kind, std::uint64_t& number) {
    double value = 0;
    double place = 0;
    const std::size_t begin = at_;
    for (; at_ < lower_.size(); ++at_) {
      const char letter = lower_[at_];
      if (is_query_digit(letter)) {
        value = value * 10 + (letter - '0');
        place *= 10;
      } else if (letter == '.' && place == 0 && at_ + 1 < lower_.size() && is_query_digit(lower_[at_ + 1])) {
        place = 1;
      } else if (letter != '_') {
        break;
      }
    }
    if (at_ == begin) return false;
    if (place > 0) value /= place;
    constexpr std::string_view kUnits = "kmgtp";
    std::size_t power = at_ < lower_.size() ? kUnits.find(lower_[at_]) : std::string_view::npos;
    bool is_binary = false;
    if (power != std::string_view::npos) {
      ++at_;
      ++power;
      is_binary = at_ < lower_.size() && lower_[at_] == 'i';
      if (is_binary) ++at_;
      if (at_ < lower_.size() && lower_[at_] == 'b') {
        ++at_;
        if (kind == TermKind::Count) kind = TermKind::Bytes;
      }
    } else {
      power = 0;
      if (at_ < lower_.size() && lower_[at_] == 'b') {
        ++at_;
        // 7B parameters are 7,000,000,000.
        if (kind == TermKind::Count) power = 3;
      }
    }
    value = std::round(value * std::pow(is_binary ? 1024.0 : 1000.0, static_cast<double>(power)));
    number = value < 1.8e19 ? static_cast<std::uint64_t>(value) : UINT64_MAX;
    return true;
  }

  // The sign, if there is one: <, >, <=, >=, =. Gives '<', '>', 'l', 'g', '='.
  char take_sign() {
    if (at_ == lower_.size()) return '=';
    const char sign = lower_[at_];
    if (sign != '<' && sign != '>' && sign != '=') return '=';
    ++at_;
    if (sign == '=' || at_ == lower_.size() || lower_[at_] != '=') return sign;
    ++at_;
    return sign == '<' ? 'l' : 'g';
  }

  bool take_range(TermKind& kind, NumberRange& range) {
    const char sign = take_sign();
    std::uint64_t number = 0;
    if (!parse_number(kind, number)) return false;
    range = {};
    if (sign == '=' || sign == 'l') range.high = number;
    if (sign == '=' || sign == 'g') range.low = number;
    if (sign == '>') range.low = number == UINT64_MAX ? number : number + 1;
    if (sign == '<') range = number == 0 ? NumberRange{1, 0} : NumberRange{0, number - 1};
    if (sign == '=' && lower_.compare(at_, 2, "..") == 0) {
      at_ += 2;
      return parse_number(kind, range.high);
    }
    return true;
  }

  void parse_range(QueryTerm& term, std::size_t begin) {
    const bool is_right = take_range(term.kind, term.range) && (at_ == text_.size() || is_space(text_[at_]));
    if (is_right) return;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    fail(fmt::format("{} is no number", text_.substr(begin, at_ - begin)), example(term.kind), begin, at_);
  }

  // 4096,* or 4096x* or (4096, *): extents with "," or "x" between; "..." for any number of them.
  void parse_shape(QueryTerm& term, std::size_t begin) {
    const char close = text_[at_] == '(' ? ')' : text_[at_] == '[' ? ']' : ' ';
    if (close != ' ') ++at_;
    bool needs_extent = false;
    while (at_ < lower_.size()) {
      if (close != ' ' && is_space(lower_[at_])) {
        ++at_;
        continue;
      }
      if (lower_[at_] == close || is_space(lower_[at_])) break;
      WantedExtent extent;
      TermKind kind = TermKind::Rank;
      if (lower_.compare(at_, 3, "...") == 0) {
        extent.is_rest = true;
        at_ += 3;
      } else if (lower_[at_] == '*' || lower_[at_] == '?') {
        ++at_;
      } else if (!take_range(kind, extent.range)) {
        break;
      }
      term.shape.push_back(extent);
      while (close != ' ' && at_ < lower_.size() && lower_[at_] == ' ') ++at_;
      needs_extent = at_ < lower_.size() && (lower_[at_] == ',' || lower_[at_] == 'x');
      if (!needs_extent) break;
      ++at_;
    }
    // While it is being typed, the comma and the bracket at the end may stand alone.
    const bool is_closed = at_ == lower_.size() || (close == ' ' ? is_space(lower_[at_]) : lower_[at_] == close);
    if (close != ' ' && at_ < lower_.size()) ++at_;
    if (needs_extent && at_ == lower_.size()) term.shape.push_back({{}, true});
    if (is_closed) return;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    fail(fmt::format("{} is no shape", text_.substr(begin, at_ - begin)), example(TermKind::Shape), begin, at_);
  }

  std::string_view text_;
  std::string lower_;
  std::size_t at_ = 0;
  SearchQuery query_;
};

}  // namespace

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& letter : result) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return result;
}

SearchQuery parse_query(std::string_view text) { return QueryParser(text).parse(); }

std::optional<std::string_view> command_text(std::string_view text) {
  if (!text.starts_with('>')) return std::nullopt;
  const std::string_view rest = text.substr(1);
  if (!rest.empty() && (is_query_digit(rest.front()) || rest.front() == '=')) return std::nullopt;
  return rest;
}

}  // namespace nns::model
