#include "core/capture/graph_code.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>
#include <string>

#include "core/capture/texts.h"

namespace nns::capture {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Walks over code: brackets and quotes are known.
class Walk {
 public:
  /// Whether `c` stands outside of quotes; to be called for each letter in order.
  bool is_code(char c) {
    if (quote_ != 0) {
      if (is_escaped_) {
        is_escaped_ = false;
      } else if (c == '\\') {
        is_escaped_ = true;
      } else if (c == quote_) {
        quote_ = 0;
      }
      return false;
    }
    if (c == '\'' || c == '"') {
      quote_ = c;
      return false;
    }
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if (c == ')' || c == ']' || c == '}') --depth_;
    return true;
  }
  int depth() const { return depth_; }

 private:
  char quote_ = 0;
  bool is_escaped_ = false;
  int depth_ = 0;
};

/// Up to the first `stop` that lies in no brackets; all without one.
std::string_view part_before(std::string_view text, char stop) {
  Walk walk;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (walk.is_code(text[i]) && walk.depth() == 0 && text[i] == stop) return text.substr(0, i);
  }
  return text;
}

std::string_view unquoted(std::string_view text) {
  text = without_spaces(text);
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front()) {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

struct Operator {
  std::string_view sign, name;
};
// Longer ones first where one begins with another.
constexpr std::array<Operator, 19> kOperators = {{{" // ", "floordiv"},
                                                  {" ** ", "pow"},
                                                  {" << ", "lshift"},
                                                  {" >> ", "rshift"},
                                                  {" == ", "eq"},
                                                  {" != ", "ne"},
                                                  {" <= ", "le"},
                                                  {" >= ", "ge"},
                                                  {" + ", "add"},
                                                  {" - ", "sub"},
                                                  {" * ", "mul"},
                                                  {" / ", "truediv"},
                                                  {" % ", "mod"},
                                                  {" @ ", "matmul"},
                                                  {" < ", "lt"},
                                                  {" > ", "gt"},
                                                  {" & ", "and_"},
                                                  {" | ", "or_"},
                                                  {" ^ ", "xor"}}};

class GraphCodeReader {
 public:
  GraphCodeReader(std::string_view stage, FileTable& files) : stage_(stage), files_(files) {}

  void line(std::string_view whole) {
    const std::string_view text = without_spaces(whole);
    if (text.empty()) return;
    if (text.front() == '#') return comment(text);
    // "class X(torch.nn.Module):" ends at its bracket.
    if (text.starts_with("class ")) {
      return begin_class(text.substr(6, std::min(text.find('('), text.size()) - 6),
                         static_cast<std::size_t>(text.data() - whole.data()));
    }
    if (!signature_.empty() || text.starts_with("def forward(")) return signature(text);
    if (graphs_.empty() || is_over_) return;
    if (text.starts_with("return")) {
      std::string_view rest = text.substr(6);
      if (!rest.empty() && is_letter(rest.front())) return;
      Node* const node = add(Op::Output, "output");
      if (node != nullptr) {
        node->target = "output";
        rest = without_spaces(part_before(rest, ';'));
        if (rest.size() >= 2 && rest.front() == '(' && rest.back() == ')') rest = rest.substr(1, rest.size() - 2);
        node->arguments = rest;
        node->place = {};
        node->code.clear();
        use(*node, rest);
      }
      is_over_ = true;
      return;
    }
    assignment(without_spaces(part_before(text, ';')));
  }

  std::vector<Graph> take() {
    std::erase_if(graphs_, [](const Graph& graph) { return graph.nodes.empty(); });
    return std::move(graphs_);
  }

 private:
  // The class of a graph inside of another is indented below that one's forward.
  void begin_class(std::string_view name, std::size_t indent) {
    while (!around_.empty() && around_.back().indent >= indent) around_.pop_back();
    if (around_.size() >= kMostAround) return;
    const bool is_first = around_.empty() && graphs_.empty();
    around_.push_back(
        {indent, is_first ? stage_ : inner_stage(around_.empty() ? stage_ : around_.back().stage, cut(name))});
  }

  // "# File: PATH:LINE in FUNCTION, code: CODE": where what follows comes from.
  void comment(std::string_view text) {
    constexpr std::string_view kFile = "File: ", kCode = ", code: ";
    place_ = {};
    code_ = {};
    const std::size_t at = text.find(kFile);
    if (at == std::string_view::npos) return;
    text = text.substr(at + kFile.size());
    const std::size_t code = text.find(kCode);
    const std::string_view where = text.substr(0, code);
    const std::size_t in = where.rfind(" in ");
    const std::string_view file = where.substr(0, in);
    const std::size_t colon = file.rfind(':');
    if (colon == std::string_view::npos) return;
    std::uint32_t line = 0;
    std::from_chars(file.data() + colon + 1, file.data() + file.size(), line);
    if (line == 0) return;
    place_ = {files_.number(file.substr(0, colon)), line};
    if (code != std::string_view::npos) code_ = text.substr(code + kCode.size());
    files_.add_line(place_, code_);
  }

  // It may take several lines.
  void signature(std::string_view text) {
    signature_ += text;
    Walk walk;
    std::size_t open = std::string::npos, close = std::string::npos;
    for (std::size_t i = 0; i < signature_.size() && close == std::string::npos; ++i) {
      if (!walk.is_code(signature_[i])) continue;
      if (signature_[i] == '(' && open == std::string::npos) open = i;
      if (signature_[i] == ')' && walk.depth() == 0) close = i;
    }
    constexpr std::size_t kMost = 8U << 20U;
    if (close == std::string::npos && signature_.size() < kMost) return;
    begin_graph();
    std::string_view rest = std::string_view(signature_).substr(0, close).substr(open + 1);
    while (!rest.empty()) {
      const std::string_view one = part_before(rest, ',');
      rest = rest.substr(std::min(rest.size(), one.size() + 1));
      const std::string_view name = without_spaces(part_before(part_before(one, ':'), '='));
      if (name.empty() || name == "self" || name.front() == '*' || name == "/") continue;
      const std::string_view annotation =
          part_before(one, ':').size() < one.size() ? unquoted(one.substr(part_before(one, ':').size() + 1)) : "";
      Node* const node = add(Op::Placeholder, name);
      if (node == nullptr) continue;
      node->target = name;
      if (annotation != "torch.Tensor") node->example = annotation;
    }
    signature_.clear();
  }

  void begin_graph() {
    graphs_.emplace_back().stage = around_.empty() ? stage_ : around_.back().stage;
    known_.clear();
    place_ = {};
    code_.clear();
    is_over_ = false;
  }

  Node* add(Op op, std::string_view name) {
    Graph& graph = graphs_.back();
    if (graph.nodes.size() >= kMostNodes) {
      ++graph.left_out;
      return nullptr;
    }
    Node& node = graph.nodes.emplace_back();
    node.op = op;
    node.name = name;
    node.place = place_;
    node.code = code_;
    known_.insert_or_assign(node.name, static_cast<std::uint32_t>(graph.nodes.size() - 1));
    return &node;
  }

  // What of the code names a node becomes an input.
  void use(Node& node, std::string_view code) const {
    const auto self = static_cast<std::uint32_t>(graphs_.back().nodes.size() - 1);
    Walk walk;
    for (std::size_t i = 0; i < code.size();) {
      if (!walk.is_code(code[i]) || !is_letter(code[i])) {
        ++i;
        continue;
      }
      const std::size_t begin = i;
      while (i < code.size() && is_letter(code[i])) ++i;
      if (begin > 0 && code[begin - 1] == '.') continue;
      const auto found = known_.find(code.substr(begin, i - begin));
      if (found == known_.end() || found->second >= self) continue;
      // "memory_format = ..." is a name of the function's.
      const std::string_view behind = without_spaces(code.substr(i));
      if (behind.starts_with('=') && !behind.starts_with("==")) continue;
      bool is_new = true;
      for (const std::uint32_t input : node.inputs) is_new = is_new && input != found->second;
      if (is_new) node.inputs.push_back(found->second);
    }
  }

  void assignment(std::string_view text) {
    const std::string_view left = part_before(text, '=');
    if (left.size() >= text.size() || text.substr(left.size()).starts_with("==")) return;
    const std::string_view expression = without_spaces(text.substr(left.size() + 1));
    const std::string_view name = without_spaces(part_before(left, ':'));
    if (name.empty() || expression.empty() || expression == "None") return;
    for (const char c : name) {
      if (!is_letter(c)) return;
    }
    const std::string_view annotation =
        part_before(left, ':').size() < left.size() ? unquoted(left.substr(part_before(left, ':').size() + 1)) : "";
    // "l_x_ = L_x_" gives a placeholder its name.
    if (const auto renamed = known_.find(expression); renamed != known_.end()) {
      Node& node = graphs_.back().nodes[renamed->second];
      const std::uint32_t number = renamed->second;
      if (node.op == Op::Placeholder) node.name = name;
      known_.insert_or_assign(std::string(name), number);
      return;
    }
    Node* const node = add(Op::CallFunction, name);
    if (node == nullptr) return;
    node->example = annotation;
    tell(*node, expression);
    use(*node, expression);
  }

  /// What is called with what.
  void tell(Node& node, std::string_view expression) const {
    // The first bracket, and whether its end is the end.
    Walk walk;
    std::size_t open = std::string_view::npos;
    char bracket = 0;
    bool is_whole = false;
    for (std::size_t i = 0; i < expression.size(); ++i) {
      const int before = walk.depth();
      if (!walk.is_code(expression[i])) continue;
      if (before == 0 && walk.depth() == 1 && open == std::string_view::npos) {
        open = i;
        bracket = expression[i];
      } else if (before == 1 && walk.depth() == 0) {
        is_whole = i + 1 == expression.size();
        if (!is_whole) break;
      }
    }
    const std::string_view head = without_spaces(expression.substr(0, open));
    const auto is_path = [](std::string_view path) {
      for (const char c : path) {
        if (!is_letter(c) && c != '.') return false;
      }
      return !path.empty();
    };
    if (open == std::string_view::npos && head.starts_with("self.") && is_path(head)) {
      node.op = Op::GetAttr;
      node.target = head.substr(5);
      return;
    }
    if (open != std::string_view::npos && is_whole && is_path(head)) {
      const std::string_view inside = expression.substr(open + 1, expression.size() - open - 2);
      if (bracket == '[') {
        node.target = "operator.getitem";
        node.arguments = fmt::format("{}, {}", head, inside);
        return;
      }
      const std::size_t dot = head.find('.');
      node.arguments = inside;
      if (dot != std::string_view::npos && head.substr(0, dot) == "self") {
        node.op = Op::CallModule;
        node.target = head.substr(5);
      } else if (dot != std::string_view::npos && known_.contains(head.substr(0, dot))) {
        node.op = Op::CallMethod;
        node.target = head.substr(dot + 1);
        node.arguments =
            inside.empty() ? std::string(head.substr(0, dot)) : fmt::format("{}, {}", head.substr(0, dot), inside);
      } else {
        node.target = head;
      }
      return;
    }
    node.arguments = expression;
    if (expression.front() == '-' || expression.front() == '~') {
      node.target = expression.front() == '-' ? "operator.neg" : "operator.invert";
      node.arguments = expression.substr(1);
      return;
    }
    for (const Operator& one : kOperators) {
      const std::size_t at = expression.find(one.sign);
      if (at == std::string_view::npos) continue;
      node.target = fmt::format("operator.{}", one.name);
      node.arguments = fmt::format("{}, {}", expression.substr(0, at), expression.substr(at + one.sign.size()));
      return;
    }
    const std::size_t dot = expression.rfind('.');
    if (dot != std::string_view::npos && is_path(expression)) {
      node.target = "getattr";
      node.arguments = fmt::format("{}, '{}'", expression.substr(0, dot), expression.substr(dot + 1));
      return;
    }
    node.target = expression.substr(0, 64);
  }

  std::string stage_;
  FileTable& files_;
  std::vector<Graph> graphs_;
  std::map<std::string, std::uint32_t, std::less<>> known_;
  struct Around {
    std::size_t indent;
    std::string stage;
  };
  static constexpr std::size_t kMostAround = 64;
  std::vector<Around> around_;
  std::string signature_;
  Place place_;
  std::string code_;
  bool is_over_ = false;
};

}  // namespace

std::vector<Graph> read_graph_code(std::string_view text, std::string_view stage, FileTable& files) {
  GraphCodeReader reader(stage, files);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    reader.line(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return reader.take();
}

}  // namespace nns::capture
