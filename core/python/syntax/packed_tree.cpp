#include "core/python/syntax/packed_tree.h"

#include <optional>
#include <unordered_map>

#include "core/base/hash.h"

// The bytes: the hash of the source's text; the number of texts and each one's length and bytes; the number of nodes,
// the root; then node by node what write() below says. Numbers are LEB128, signed ones zigzag. A node's children are
// told by how far back they stand: a parser adds them before it.
namespace nns::python {
namespace {

constexpr std::uint8_t kHasDetail = 0x80;
constexpr std::uint8_t kLastKind = [] {
  std::uint8_t count = 0;
#define NNS_NODE(kind) ++count;
#include "core/python/syntax/nodes.def"
#undef NNS_NODE
  return static_cast<std::uint8_t>(count - 1);
}();
static_assert(kLastKind < kHasDetail);

void put(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) out += static_cast<char>(number | 0x80U);
  out += static_cast<char>(number);
}

void put_signed(std::string& out, std::int64_t number) {
  put(out, (static_cast<std::uint64_t>(number) << 1U) ^ static_cast<std::uint64_t>(number >> 63U));
}

// Takes numbers from bytes; after the end, or a number of more than 64 bits, it has failed and gives zeros.
class PackedReader {
 public:
  explicit PackedReader(std::string_view bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t left() const { return bytes_.size() - at_; }

  std::uint8_t byte() {
    if (at_ == bytes_.size()) {
      failed_ = true;
      return 0;
    }
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }
  std::uint64_t number() {
    std::uint64_t read = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      read |= static_cast<std::uint64_t>(next & 0x7FU) << shift;
      if ((next & 0x80U) == 0) return read;
    }
    failed_ = true;
    return 0;
  }
  std::int64_t signed_number() {
    const std::uint64_t read = number();
    return static_cast<std::int64_t>(read >> 1U) ^ -static_cast<std::int64_t>(read & 1U);
  }
  std::string_view text(std::uint64_t size) {
    if (size > left()) {
      failed_ = true;
      return {};
    }
    const std::string_view read = bytes_.substr(at_, static_cast<std::size_t>(size));
    at_ += static_cast<std::size_t>(size);
    return read;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace

std::string pack_tree(const Tree& tree) {
  // 1. Most texts are names, which come again and again: each is kept once.
  std::unordered_map<std::string_view, std::uint64_t> places = {{std::string_view(), 0}};
  std::vector<std::string_view> texts;
  for (NodeId id = 0; id < tree.size(); ++id) {
    if (places.emplace(tree.text(id), texts.size() + 1).second) texts.push_back(tree.text(id));
  }
  std::string out;
  put(out, base::hash_text(tree.source().text()));
  put(out, texts.size());
  for (const std::string_view text : texts) {
    put(out, text.size());
    out += text;
  }
  // 2. The nodes.
  put(out, tree.size());
  put(out, tree.root());
  std::uint32_t previous_begin = 0;
  for (NodeId id = 0; id < tree.size(); ++id) {
    const Node& node = tree.node(id);
    out += static_cast<char>(static_cast<std::uint8_t>(node.kind) | (node.detail != 0 ? kHasDetail : 0));
    if (node.detail != 0) out += static_cast<char>(node.detail);
    put(out, node.child_count);
    for (const NodeId child : tree.children(id)) put(out, child == kNoNode ? 0 : id - child);
    put(out, places.at(tree.text(id)));
    put_signed(out, static_cast<std::int64_t>(node.span.begin) - previous_begin);
    put(out, node.span.end - node.span.begin);
    previous_begin = node.span.begin;
  }
  return out;
}

std::shared_ptr<const Tree> unpack_tree(Source source, std::string_view packed) {
  PackedReader in(packed);
  if (in.number() != base::hash_text(source.text()) || in.failed()) return nullptr;
  const std::uint64_t text_count = in.number();
  if (text_count > in.left()) return nullptr;
  std::vector<std::string> texts(1);
  texts.reserve(static_cast<std::size_t>(text_count) + 1);
  for (std::uint64_t i = 0; i < text_count; ++i) texts.emplace_back(in.text(in.number()));
  const std::uint64_t node_count = in.number(), root = in.number();
  if (in.failed() || node_count > in.left() || root >= node_count) return nullptr;
  std::vector<Node> nodes;
  std::vector<NodeId> edges;
  nodes.reserve(static_cast<std::size_t>(node_count));
  edges.reserve(static_cast<std::size_t>(node_count));
  const auto size = static_cast<std::int64_t>(source.text().size());
  std::int64_t begin = 0;
  for (std::uint64_t id = 0; id < node_count; ++id) {
    const std::uint8_t first = in.byte();
    const auto kind = static_cast<std::uint8_t>(first & ~kHasDetail);
    if (kind > kLastKind) return nullptr;
    Node node{.kind = static_cast<NodeKind>(kind), .span = {}};
    if ((first & kHasDetail) != 0) node.detail = in.byte();
    const std::uint64_t child_count = in.number();
    if (child_count > in.left()) return nullptr;
    node.first_child = static_cast<std::uint32_t>(edges.size());
    node.child_count = static_cast<std::uint32_t>(child_count);
    for (std::uint64_t i = 0; i < child_count; ++i) {
      const std::uint64_t back = in.number();
      if (back > id) return nullptr;
      edges.push_back(back == 0 ? kNoNode : static_cast<NodeId>(id - back));
    }
    const std::uint64_t text = in.number();
    begin += in.signed_number();
    const std::uint64_t length = in.number();
    if (in.failed() || text > text_count || begin < 0 || begin > size ||
        length > static_cast<std::uint64_t>(size - begin)) {
      return nullptr;
    }
    node.text = static_cast<std::uint32_t>(text);
    node.span = {static_cast<std::uint32_t>(begin),
                 static_cast<std::uint32_t>(begin + static_cast<std::int64_t>(length))};
    nodes.push_back(node);
  }
  if (!in.at_end()) return nullptr;
  return std::make_shared<const Tree>(std::move(source), std::move(nodes), std::move(edges), std::move(texts),
                                      static_cast<NodeId>(root));
}

}  // namespace nns::python
