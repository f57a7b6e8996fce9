#include "core/python/syntax/packed_tree.h"

#include <gtest/gtest.h>

#include <random>

#include "core/python/packages/packages.h"
#include "core/python/stdlib/sources.h"
#include "core/python/stdlib/trees.h"
#include "core/python/syntax/parser.h"

namespace nns::python {
namespace {

constexpr std::string_view kProgram = R"(
@decorated(1, key=[*xs])
class Net(Base, metaclass=Meta):
    """What it is: \x41 ü."""
    async_ = 0x_FF + 1e3j

    def forward(self, x, /, *args, scale: float = -1.5, **rest) -> "Net":
        with open(f"{x!r:>{self.width}}") as file, lock:
            return [y for y in x if y is not None] or (yield)


match point:
    case Point(x=0, y=[_, *others]) | {"k": 1, **more} if others:
        del a[1:2, ...]
    case _:
        raise ValueError from None
)";

void expect_same(const Tree& a, const Tree& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(a.root(), b.root());
  EXPECT_EQ(a.source().name(), b.source().name());
  EXPECT_EQ(a.source().text(), b.source().text());
  for (NodeId id = 0; id < a.size(); ++id) {
    ASSERT_EQ(a.kind(id), b.kind(id)) << id;
    ASSERT_EQ(a.node(id).detail, b.node(id).detail) << id;
    ASSERT_EQ(a.text(id), b.text(id)) << id;
    ASSERT_EQ(a.span(id).begin, b.span(id).begin) << id;
    ASSERT_EQ(a.span(id).end, b.span(id).end) << id;
    const auto of_a = a.children(id), of_b = b.children(id);
    ASSERT_TRUE(std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end())) << id;
  }
}

std::shared_ptr<const Tree> parsed(std::string_view text) {
  const Parsed made = parse("net.py", std::string(text));
  EXPECT_FALSE(made.error) << made.error->message;
  return made.tree;
}

TEST(PackedTree, IsTheTreeThatWasPacked) {
  const auto tree = parsed(kProgram);
  const auto unpacked = unpack_tree(Source("net.py", std::string(kProgram)), pack_tree(*tree));
  ASSERT_NE(unpacked, nullptr);
  expect_same(*unpacked, *tree);
}

TEST(PackedTree, OfAnotherTextIsRefused) {
  const std::string packed = pack_tree(*parsed("x = 1\n"));
  EXPECT_EQ(unpack_tree(Source("net.py", "x = 2\n"), packed), nullptr);
  EXPECT_NE(unpack_tree(Source("net.py", "x = 1\n"), packed), nullptr);
}

TEST(PackedTree, CutBytesAreRefused) {
  const std::string packed = pack_tree(*parsed(kProgram));
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_EQ(unpack_tree(Source("net.py", std::string(kProgram)), std::string_view(packed).substr(0, size)), nullptr)
        << size;
  }
  EXPECT_EQ(unpack_tree(Source("net.py", std::string(kProgram)), packed + '\0'), nullptr);
}

TEST(PackedTree, ChangedBytesLeadNowhereOutside) {
  const std::string packed = pack_tree(*parsed(kProgram));
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string changed = packed;
    for (int i = 0; i < 3; ++i) changed[random() % changed.size()] = static_cast<char>(random());
    const auto tree = unpack_tree(Source("net.py", std::string(kProgram)), changed);
    if (tree == nullptr) continue;
    for (NodeId id = 0; id < tree->size(); ++id) {
      EXPECT_LE(tree->span(id).end, kProgram.size());
      EXPECT_LE(tree->span(id).begin, tree->span(id).end);
      EXPECT_GE(tree->text(id).size(), 0U);
      for (const NodeId child : tree->children(id)) EXPECT_TRUE(child == kNoNode || child < id);
    }
  }
}

TEST(PackedTree, EachModuleOfOursHasItsOwn) {
  using namespace stdlib_sources;
#ifdef __EMSCRIPTEN__
  EXPECT_TRUE(kPyDataclassesPyTree.empty()) << "the page parses instead of loading the bytes";
#else
  EXPECT_NE(unpack_tree(Source("<dataclasses>", std::string(kPyDataclassesPy)), kPyDataclassesPyTree), nullptr);
  EXPECT_EQ(unpack_tree(Source("<dataclasses>", std::string(kPyDataclassesPy)), kPyFunctoolsPyTree), nullptr);
#endif
  // Whatever is imported is what parsing its text gives.
  Interpreter in;
  Machine& machine = Machine::of(in);
  add_python(machine);
  for (const char* module :
       {"dataclasses", "typing", "numpy", "einops", "torch", "torch.nn.parallel", "torchvision.ops"}) {
    const PyResult<Value> imported = machine.import_module(module, 0, nullptr);
    ASSERT_TRUE(imported.ok()) << module << ": " << imported.error().message();
  }
  std::size_t compared = 0;
  for (const auto& [name, tree] : machine.sources) {
    const Parsed again = parse(std::string(name), std::string(tree->source().text()));
    ASSERT_FALSE(again.error) << name;
    expect_same(*tree, *again.tree);
    ++compared;
  }
  EXPECT_GT(compared, 60U);
}

}  // namespace
}  // namespace nns::python
