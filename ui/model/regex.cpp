#include "ui/model/regex.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nns::model {

namespace {

constexpr std::size_t kMostDepth = 32;
constexpr std::uint32_t kMostRepeats = 255;
// An empty group makes no node, but reading it again and again takes time.
constexpr std::uint32_t kMostAtoms = 4096;

char lower_letter(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}  // namespace

/// Reads a pattern from left to right into nodes; what follows a part is filled in when it is known.
class RegexParser {
 public:
  RegexParser(Regex& regex, std::string_view pattern, TextError& error)
      : regex_(regex), pattern_(pattern), error_(error) {}

  bool parse() {
    Part whole;
    if (!parse_choice(whole, 0)) return false;
    if (at_ < pattern_.size()) return fail("a ) without its (", "( before it, or \\)", at_, at_ + 1);
    const std::uint16_t match = add({Regex::Op::Match, 0, 0, 0});
    if (is_full_) return fail_full();
    connect(whole, match);
    return regex_.finish(whole.is_empty ? match : whole.first);
  }

 private:
  // A stretch of nodes whose exits are open.
  struct Part {
    std::uint16_t first = 0;
    bool is_empty = true;
    std::vector<std::uint32_t> exits;  // node x 2, + 1 for `other`
  };

  bool fail(std::string found, std::string expected, std::size_t begin, std::size_t end) {
    error_ = {std::move(found), std::move(expected), begin, end};
    return false;
  }
  bool fail_full() {
    return fail("the pattern is too long", fmt::format("at most {} letters and signs", Regex::kMostNodes - 1), 0,
                pattern_.size());
  }

  std::uint16_t add(Regex::Node node) {
    if (regex_.nodes_.size() >= Regex::kMostNodes) {
      is_full_ = true;
      return 0;
    }
    regex_.nodes_.push_back(node);
    return static_cast<std::uint16_t>(regex_.nodes_.size() - 1);
  }
  void connect(const Part& part, std::uint16_t to) {
    for (const std::uint32_t exit : part.exits) {
      Regex::Node& node = regex_.nodes_[exit / 2];
      (exit % 2 == 0 ? node.out : node.other) = to;
    }
  }
  void append(Part& part, Part next) {
    if (next.is_empty) return;
    if (part.is_empty) {
      part = std::move(next);
      return;
    }
    connect(part, next.first);
    part.exits = std::move(next.exits);
  }
  Part single(Regex::Node node) {
    const std::uint16_t at = add(node);
    return {at, false, {at * 2U}};
  }
  Part bytes(const Regex::ByteSet& set) {
    const auto known = std::find(regex_.sets_.begin(), regex_.sets_.end(), set);
    const auto index = static_cast<std::size_t>(known - regex_.sets_.begin());
    if (known == regex_.sets_.end()) {
      if (index > UINT8_MAX) {
        is_full_ = true;
        return {};
      }
      regex_.sets_.push_back(set);
    }
    return single({Regex::Op::Bytes, static_cast<std::uint8_t>(index), 0, 0});
  }

  bool parse_choice(Part& made, std::size_t depth) {
    if (depth > kMostDepth) return fail("too many ( inside one another", "at most 32", at_, at_ + 1);
    if (!parse_sequence(made, depth)) return false;
    while (at_ < pattern_.size() && pattern_[at_] == '|') {
      ++at_;
      Part other;
      if (!parse_sequence(other, depth)) return false;
      const std::uint16_t split = add({Regex::Op::Split, 0, made.first, other.first});
      Part both{split, false, {}};
      for (const auto& [part, exit] : {std::pair(&made, 0U), {&other, 1U}}) {
        if (part->is_empty) {
          both.exits.push_back(split * 2U + exit);
        } else {
          both.exits.insert(both.exits.end(), part->exits.begin(), part->exits.end());
        }
      }
      made = std::move(both);
    }
    return true;
  }

  bool parse_sequence(Part& made, std::size_t depth) {
    while (at_ < pattern_.size() && pattern_[at_] != '|' && pattern_[at_] != ')') {
      if (!parse_repeated(made, depth)) return false;
    }
    return true;
  }

  // One atom with what says how often.
  bool parse_repeated(Part& sequence, std::size_t depth) {
    const std::size_t begin = at_;
    if (is_repeat(pattern_[at_])) {
      return fail(fmt::format("nothing before {} to repeat", pattern_[at_]),
                  fmt::format("\\{} for the sign itself", pattern_[at_]), at_, at_ + 1);
    }
    Part atom;
    if (!parse_atom(atom, depth)) return false;
    if (at_ == pattern_.size() || !is_repeat(pattern_[at_])) {
      append(sequence, std::move(atom));
      return !is_full_ || fail_full();
    }
    std::uint32_t least = pattern_[at_] == '+' ? 1 : 0;
    std::uint32_t most = pattern_[at_] == '?' ? 1 : UINT32_MAX;
    const std::size_t sign = at_;
    if (pattern_[at_++] == '{' && !parse_counts(least, most)) return false;
    if (at_ < pattern_.size() && pattern_[at_] == '?') ++at_;  // shortest first: the same texts match
    if (at_ < pattern_.size() && is_repeat(pattern_[at_])) {
      return fail("two repetitions after one another", "one, or ( ) around the first", sign, at_ + 1);
    }
    const std::size_t after = at_;
    // The atom is read again for each of its copies; the first one was read already.
    bool is_first = true;
    const auto next_copy = [&](Part& copy) {
      if (std::exchange(is_first, false)) {
        copy = std::move(atom);
        return true;
      }
      at_ = begin;
      return parse_atom(copy, depth);
    };
    for (std::uint32_t count = 0; count < least; ++count) {
      Part copy;
      if (!next_copy(copy)) return false;
      if (count + 1 == least && most == UINT32_MAX) make_loop(copy, true);
      append(sequence, std::move(copy));
      if (is_full_) return fail_full();
    }
    if (least == 0 && most == UINT32_MAX) {
      make_loop(atom, false);
      append(sequence, std::move(atom));
    } else if (most != UINT32_MAX) {
      for (std::uint32_t count = least; count < most; ++count) {
        Part copy;
        if (!next_copy(copy)) return false;
        if (!copy.is_empty) {
          const std::uint16_t split = add({Regex::Op::Split, 0, copy.first, 0});
          copy.first = split;
          copy.exits.push_back(split * 2U + 1);
        }
        append(sequence, std::move(copy));
        if (is_full_) return fail_full();
      }
    }
    at_ = after;
    return !is_full_ || fail_full();
  }

  void make_loop(Part& part, bool at_least_once) {
    if (part.is_empty) return;
    const std::uint16_t split = add({Regex::Op::Split, 0, part.first, 0});
    connect(part, split);
    if (!at_least_once) part.first = split;
    part.exits = {split * 2U + 1};
  }

  static Regex::ByteSet inverted(Regex::ByteSet set) {
    for (std::uint64_t& word : set.words) word = ~word;
    return set;
  }
  static void unite(Regex::ByteSet& set, const Regex::ByteSet& other) {
    for (std::size_t at = 0; at < set.words.size(); ++at) set.words[at] |= other.words[at];
  }
  static bool is_repeat(char sign) { return sign == '*' || sign == '+' || sign == '?' || sign == '{'; }

  bool parse_number(std::uint32_t& number) {
    const std::size_t begin = at_;
    number = 0;
    while (at_ < pattern_.size() && pattern_[at_] >= '0' && pattern_[at_] <= '9' && number <= kMostRepeats) {
      number = number * 10 + static_cast<std::uint32_t>(pattern_[at_++] - '0');
    }
    return at_ > begin;
  }

  bool parse_counts(std::uint32_t& least, std::uint32_t& most) {
    const std::size_t begin = at_ - 1;
    const bool has_least = parse_number(least);
    most = least;
    if (at_ < pattern_.size() && pattern_[at_] == ',') {
      ++at_;
      if (!parse_number(most)) most = UINT32_MAX;
    }
    const bool is_closed = at_ < pattern_.size() && pattern_[at_] == '}';
    if (is_closed) ++at_;
    const bool is_right = has_least && is_closed && least <= kMostRepeats && least <= most &&
                          (most == UINT32_MAX || most <= kMostRepeats);
    return is_right || fail("a { that is no repetition", "{2}, {2,} or {2,5} up to 255, or \\{", begin, at_);
  }

  bool parse_atom(Part& made, std::size_t depth) {
    if (++atoms_ > kMostAtoms) return fail_full();
    const std::size_t begin = at_;
    const char sign = pattern_[at_++];
    switch (sign) {
      case '(':
        if (pattern_.substr(at_).starts_with("?:")) at_ += 2;
        if (at_ < pattern_.size() && pattern_[at_] == '?') {
          return fail("(? is not known here", "( ) or (?: ) only", begin, at_ + 1);
        }
        if (!parse_choice(made, depth + 1)) return false;
        if (at_ == pattern_.size()) return fail("a ( without its )", ") after it, or \\(", begin, begin + 1);
        ++at_;
        return true;
      case '^':
        made = single({Regex::Op::Begin, 0, 0, 0});
        return true;
      case '$':
        made = single({Regex::Op::End, 0, 0, 0});
        return true;
      case '.':
        made = bytes(inverted({}));
        return true;
      case '[':
        return parse_set(made, begin);
      case '\\': {
        Regex::ByteSet set;
        if (!parse_escape(set)) return false;
        made = bytes(set);
        return true;
      }
      default: {
        Regex::ByteSet set;
        set.set(static_cast<unsigned char>(lower_letter(sign)));
        made = bytes(set);
        return true;
      }
    }
  }

  // After the backslash.
  bool parse_escape(Regex::ByteSet& set) {
    const std::size_t begin = at_ - 1;
    if (at_ == pattern_.size()) return fail("a \\ at the end", "\\\\ for the sign itself", begin, at_);
    const char sign = pattern_[at_++];
    Regex::ByteSet named;
    switch (lower_letter(sign)) {
      case 'd':
      case 'w':
        for (char digit = '0'; digit <= '9'; ++digit) named.set(static_cast<unsigned char>(digit));
        if (lower_letter(sign) == 'w') {
          for (char letter = 'a'; letter <= 'z'; ++letter) named.set(static_cast<unsigned char>(letter));
          named.set('_');
        }
        break;
      case 's':
        for (const char space : {' ', '\t', '\n', '\r', '\f', '\v'}) named.set(static_cast<unsigned char>(space));
        break;
      default:
        if ((lower_letter(sign) >= 'a' && lower_letter(sign) <= 'z') || (sign >= '0' && sign <= '9')) {
          return fail(fmt::format("\\{} is not known here", sign), "\\d, \\w, \\s, or \\ before a sign", begin, at_);
        }
        set.set(static_cast<unsigned char>(sign));
        return true;
    }
    unite(set, sign >= 'A' && sign <= 'Z' ? inverted(named) : named);
    return true;
  }

  bool parse_set(Part& made, std::size_t begin) {
    Regex::ByteSet set;
    const bool is_negated = at_ < pattern_.size() && pattern_[at_] == '^';
    if (is_negated) ++at_;
    bool is_first = true;
    while (at_ < pattern_.size() && (pattern_[at_] != ']' || is_first)) {
      is_first = false;
      const auto low = static_cast<unsigned char>(pattern_[at_]);
      if (low >= 0x80) return fail("a letter beyond ASCII inside [ ]", "( | ) instead", at_, at_ + 1);
      ++at_;
      if (low == '\\') {
        if (!parse_escape(set)) return false;
        continue;
      }
      unsigned char high = low;
      if (at_ + 1 < pattern_.size() && pattern_[at_] == '-' && pattern_[at_ + 1] != ']') {
        high = static_cast<unsigned char>(pattern_[at_ + 1]);
        at_ += 2;
        if (high < low || high >= 0x80) return fail("a range that ends before it begins", "as in [a-z]", at_ - 3, at_);
      }
      for (unsigned byte = low; byte <= high; ++byte) {
        set.set(static_cast<unsigned char>(lower_letter(static_cast<char>(byte))));
      }
    }
    if (at_ == pattern_.size()) return fail("a [ without its ]", "] after it, or \\[", begin, begin + 1);
    ++at_;
    made = bytes(is_negated ? inverted(set) : set);
    return true;
  }

  Regex& regex_;
  std::string_view pattern_;
  TextError& error_;
  std::size_t at_ = 0;
  std::uint32_t atoms_ = 0;
  bool is_full_ = false;
};

std::optional<Regex> Regex::make(std::string_view pattern, TextError& error) {
  Regex regex;
  if (!RegexParser(regex, pattern, error).parse()) return std::nullopt;
  return regex;
}

std::optional<Regex> Regex::literal(std::string_view text, TextError& error) {
  if (text.size() > kMostNodes - 2) {
    error = {"the text is too long", fmt::format("at most {} letters", kMostNodes - 2), 0, text.size()};
    return std::nullopt;
  }
  Regex regex;
  std::array<std::uint8_t, 256> known{};
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (known[byte] == 0) {
      regex.sets_.emplace_back().set(byte);
      known[byte] = static_cast<std::uint8_t>(regex.sets_.size());
    }
    const auto next = static_cast<std::uint16_t>(regex.nodes_.size() + 1);
    regex.nodes_.push_back({Op::Bytes, static_cast<std::uint8_t>(known[byte] - 1), next, 0});
  }
  regex.nodes_.push_back({Op::Match, 0, 0, 0});
  regex.finish(0);
  return regex;
}

// Bytes that no set tells apart are one class.
bool Regex::finish(std::uint16_t first) {
  first_ = first;
  for (const ByteSet& set : sets_) {
    std::array<std::uint8_t, 512> split{};  // the new class of (old class, in the set)
    std::array<bool, 512> is_known{};
    std::uint32_t count = 0;
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::size_t key = std::size_t{class_of_[byte]} * 2 + (set.test(byte) ? 1 : 0);
      if (!is_known[key]) {
        is_known[key] = true;
        split[key] = static_cast<std::uint8_t>(count++);
      }
      class_of_[byte] = split[key];
    }
    classes_ = count;
  }
  add(start_, first_, true);
  add(restart_, first_, false);
  return true;
}

// Only where a byte is taken and at the end are positions; splits and beginnings are passed through.
void Regex::add(Positions& into, std::uint16_t node, bool at_begin) const {
  std::array<std::uint16_t, kMostNodes + 1> waiting;
  std::size_t count = 0;
  waiting[count++] = node;
  while (count > 0) {
    const std::uint16_t at = waiting[--count];
    if (into.test(at)) continue;
    into.set(at);
    const Node& here = nodes_[at];
    // Each node is opened once, and a split puts two in its place: never more wait than there are nodes, plus one.
    if (here.op == Op::Split) {
      waiting[count++] = here.other;
      waiting[count++] = here.out;
    } else if (here.op == Op::Begin && at_begin) {
      waiting[count++] = here.out;
    }
  }
}

std::uint32_t Regex::number(const Positions& positions) {
  const auto known = std::find(states_.begin(), states_.end(), positions);
  if (known != states_.end()) return static_cast<std::uint32_t>(known - states_.begin());
  if (states_.size() >= kMostStates) {
    states_.clear();
    flags_.clear();
    next_.clear();
    ++generation_;
  }
  const auto made = static_cast<std::uint32_t>(states_.size());
  states_.push_back(positions);
  next_.insert(next_.end(), classes_, kUnknown);
  // What a match needs no byte for: through the end of the text, if there are such signs.
  Positions at_end = positions;
  std::uint8_t flags = 0;
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
      if (!at_end.test(at)) continue;
      if (nodes_[at].op == Op::Match) flags = static_cast<std::uint8_t>(flags | (positions.test(at) ? 3U : 2U));
      if (nodes_[at].op != Op::End || at_end.test(nodes_[at].out)) continue;
      add(at_end, nodes_[at].out, false);
      grows = true;
    }
  }
  flags_.push_back(flags);
  return made;
}

std::uint32_t Regex::make_step(std::uint32_t state, char byte) {
  Positions next = restart_;
  const Positions now = states_[state];
  const auto value = static_cast<unsigned char>(byte);
  for (std::size_t at = 0; at < nodes_.size(); ++at) {
    if (now.test(at) && nodes_[at].op == Op::Bytes && sets_[nodes_[at].set].test(value))
      add(next, nodes_[at].out, false);
  }
  const std::uint32_t generation = generation_;
  const std::uint32_t made = number(next);
  if (generation == generation_) next_[state * classes_ + class_of_[value]] = made;
  return made;
}

bool Regex::finds(std::string_view text) {
  std::uint32_t state = start();
  for (const char byte : text) {
    if (is_match(state)) return true;
    state = step(state, byte);
  }
  return is_match_at_end(state);
}

}  // namespace nns::model
