#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/checkpoint/elements.h"
#include "core/checkpoint/module_rules.h"
#include "core/nn/module.h"
#include "core/object/operations.h"
#include "core/session/answers.h"
#include "core/session/program_document.h"
#include "tests/session/link.h"
#include "tests/support/open_document.h"

namespace nns::session {
namespace {

using namespace std::string_view_literals;

using checkpoint::AttributePlace;
using checkpoint::AttributeRow;
using checkpoint::Checkpoint;
using checkpoint::kNone;
using checkpoint::NodeKind;
using checkpoint::ObjectDescription;
using nn::Module;
using object::Ref;
using object::Value;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A model in the making. Declared first: it outlives what a test holds of it.
class World {
 public:
  object::Interpreter& in() { return *program_->interpreter; }

  Ref<Module> module(const std::string& class_name = "Module") {
    auto& library = nn::NnLibrary::of(in());
    if (class_name == "Module") return Module::make(in());
    if (classes_[class_name] == nullptr) {
      classes_[class_name] = &in().define_class({.name = class_name, .module = "demo", .bases = {library.module}});
    }
    return Module::make(in(), classes_[class_name]);
  }
  Ref<tensor::Tensor> parameter(const tensor::Dims& shape, tensor::Device device = tensor::Device::Cpu) {
    return tensor::make_parameter(in(), *tensor::zeros(in(), shape, tensor::DType::Float32, device)).value();
  }
  Ref<tensor::Tensor> zeros(const tensor::Dims& shape) { return tensor::zeros(in(), shape); }
  Value function(const std::string& signature) {
    return in().function(signature, [](object::Interpreter&, nn::Args) -> object::PyResult<Value> { return Value(); });
  }

  std::unique_ptr<Checkpoint> document(Ref<Module> root) {
    program_->root = std::move(root);
    auto made = make_program_document("model", program_);
    if (!made.ok()) {
      ADD_FAILURE() << made.error().message();
      return nullptr;
    }
    EXPECT_EQ(tests::tree_fault(**made), "");
    return std::move(made).value();
  }

 private:
  std::shared_ptr<Program> program_ = std::make_shared<Program>(std::make_unique<object::Interpreter>(), nullptr);
  std::map<std::string, object::Class*> classes_;
};

void set(const Ref<Module>& module, std::string_view name, const Value& value) {
  const auto written = module->setattr(name, value);
  ASSERT_TRUE(written.ok()) << written.error().message();
}

std::vector<std::string> names(const ObjectDescription& object, AttributePlace place, int depth) {
  std::vector<std::string> found;
  for (const AttributeRow& row : object.attributes) {
    if (row.place == place && row.depth == depth) found.push_back(row.name);
  }
  return found;
}

const AttributeRow& line(const ObjectDescription& object, std::string_view name) {
  for (const AttributeRow& row : object.attributes) {
    if (row.name == name) return row;
  }
  ADD_FAILURE() << "no line is called " << name;
  static const AttributeRow kNoLine;
  return kNoLine;
}

std::vector<std::string> callables(const ObjectDescription& object, std::string_view dictionary) {
  std::vector<std::string> found;
  for (const checkpoint::HookRow& row : object.hooks) {
    if (row.dictionary == dictionary) found.push_back(row.callable);
  }
  return found;
}

TEST(ModuleDescriptionDict, HasTheKeysOfInitInOrderThenPlainAttributes) {
  World world;
  const auto net = world.module("Net");
  set(net, "width", Value(3));
  const auto document = world.document(net);
  const ObjectDescription object = document->describe(0);
  std::vector<std::string> keys;
  for (const AttributeRow& row : object.attributes) {
    EXPECT_EQ(row.depth, 0) << row.name;
    EXPECT_FALSE(row.why.empty()) << row.name;
    keys.push_back(row.name);
  }
  EXPECT_THAT(keys, ElementsAre("training", "_parameters", "_buffers", "_non_persistent_buffers_set",
                                "_backward_pre_hooks", "_backward_hooks", "_is_full_backward_hook", "_forward_hooks",
                                "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks",
                                "_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks",
                                "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks", "_modules", "width"));
  for (std::size_t at = 0; at < nn::kRegistryCount; ++at) {
    const checkpoint::ModuleKey& rule = checkpoint::module_keys()[at];
    EXPECT_EQ(rule.name, nn::registry_key(static_cast<nn::Registry>(at)));
    EXPECT_EQ(object.attributes[at].type, rule.type) << rule.name;
    EXPECT_EQ(object.attributes[at].text, rule.text) << rule.name;
    EXPECT_EQ(object.attributes[at].place, rule.place) << rule.name;
  }
  EXPECT_EQ(line(object, "width").text, "3");
  EXPECT_THAT(line(object, "width").why, HasSubstr("rule 6"));
  EXPECT_FALSE(object.inferred);
  EXPECT_TRUE(object.is_module);
}

TEST(ModuleDescriptionDict, ShowsWhatPythonWroteIntoIt) {
  World world;
  const auto net = world.module();
  set(net, "scale", world.zeros({2}));
  set(net, "blocks", world.in().list({Value(world.module())}));
  set(net, "text", world.in().text("two\nlines"));
  std::vector<Value> many(1000, Value(1));
  set(net, "many", world.in().list(std::move(many)));
  net->dict().set(world.in().intern("hidden"), world.module());
  const auto document = world.document(net);
  const ObjectDescription object = document->describe(0);
  EXPECT_THAT(line(object, "scale").why, HasSubstr("plain tensor"));
  EXPECT_EQ(line(object, "scale").text, "float32 [2]");
  EXPECT_THAT(line(object, "blocks").why, HasSubstr("ModuleList"));
  EXPECT_EQ(line(object, "text").text, "'two\\nlines'");
  EXPECT_EQ(line(object, "many").text, "1000 items");
  EXPECT_THAT(line(object, "hidden").why, HasSubstr("past Module.__setattr__"));
  EXPECT_EQ(document->tree.size(), 1U);
}

TEST(ModuleDescriptionRegistries, AnEntryStandsBelowItsRegistryAndLeadsToItsRow) {
  World world;
  const auto net = world.module("Net");
  set(net, "weight", world.parameter({2, 3}));
  ASSERT_TRUE(net->register_buffer("mean"sv, world.zeros({3})).ok());
  ASSERT_TRUE(net->register_buffer("cache"sv, world.zeros({4}), false).ok());
  set(net, "child", world.module("Block"));
  const auto document = world.document(net);
  EXPECT_EQ(tests::tree_text(*document), ": Net\n  weight\n  mean\n  cache\n  child: Block\n");
  const ObjectDescription object = document->describe(0);
  EXPECT_THAT(names(object, AttributePlace::Parameters, 1), ElementsAre("weight"));
  EXPECT_THAT(names(object, AttributePlace::Buffers, 1), ElementsAre("mean", "cache"));
  EXPECT_THAT(names(object, AttributePlace::Modules, 1), ElementsAre("child"));
  EXPECT_EQ(line(object, "_buffers").text, "2 entries");
  EXPECT_EQ(line(object, "_non_persistent_buffers_set").text, "{'cache'}");
  EXPECT_EQ(line(object, "weight").type, "Parameter");
  EXPECT_EQ(line(object, "weight").text, "float32 [2, 3], requires_grad=True");
  EXPECT_THAT(line(object, "weight").why, HasSubstr("rule 1"));
  EXPECT_EQ(line(object, "weight").node, tests::find_row(*document, "weight"));
  EXPECT_EQ(line(object, "cache").node, tests::find_row(*document, "cache"));
  EXPECT_EQ(line(object, "child").node, tests::find_row(*document, "child"));
  EXPECT_EQ(line(object, "child").type, "Block");
  EXPECT_THAT(line(object, "mean").why, HasSubstr("register_buffer put it into _buffers"));
  EXPECT_THAT(line(object, "cache").why, HasSubstr("persistent=False"));
}

TEST(ModuleDescriptionRegistries, NoneKeepsItsNameAsAValueRow) {
  World world;
  const auto net = world.module();
  ASSERT_TRUE(net->register_parameter("bias"sv, Value()).ok());
  ASSERT_TRUE(net->register_buffer("running_mean"sv, Value()).ok());
  ASSERT_TRUE(net->add_module("downsample"sv, Value()).ok());
  const auto document = world.document(net);
  const ObjectDescription object = document->describe(0);
  ASSERT_EQ(document->tree.size(), 4U);
  for (const char* name : {"bias", "running_mean", "downsample"}) {
    const std::uint32_t row = tests::find_row(*document, name);
    ASSERT_NE(row, kNone) << name;
    EXPECT_EQ(document->tree.kind[row], NodeKind::Value);
    EXPECT_EQ(document->tree.strings.view(document->tree.preview[row]), "None");
    EXPECT_EQ(line(object, name).node, row);
    EXPECT_EQ(line(object, name).text, "None");
    EXPECT_EQ(document->describe(row).class_name, "NoneType");
  }
  EXPECT_THAT(line(object, "bias").why, HasSubstr("rule 2"));
  EXPECT_THAT(line(object, "running_mean").why, HasSubstr("rule 5"));
  EXPECT_THAT(line(object, "downsample").why, HasSubstr("rule 4"));
}

TEST(ModuleDescriptionHooks, StandInFiringOrder) {
  World world;
  const auto net = world.module();
  ASSERT_TRUE(net->register_forward_hook(world.function("first(module, args, output)")).ok());
  ASSERT_TRUE(net->register_forward_hook(world.function("second(module, args, kwargs, output)"),
                                         {.with_kwargs = true, .always_call = true})
                  .ok());
  ASSERT_TRUE(net->register_forward_hook(world.function("early(module, args, output)"), {.prepend = true}).ok());
  ASSERT_TRUE(net->register_forward_pre_hook(world.function("before(module, args)")).ok());
  ASSERT_TRUE(net->register_full_backward_hook(world.function("after_grad(module, i, o)")).ok());
  ASSERT_TRUE(net->register_load_state_dict_pre_hook(world.function("migrate(module, *args)")).ok());
  ASSERT_TRUE(net->register_state_dict_post_hook(world.function("rename(module, *args)")).ok());
  nn::register_module_forward_hook(world.in(), world.function("everywhere(module, args, output)"));
  const auto document = world.document(net);
  const ObjectDescription object = document->describe(0);
  EXPECT_THAT(callables(object, "_forward_hooks"), ElementsAre("early", "first", "second"));
  EXPECT_THAT(callables(object, "_forward_pre_hooks"), ElementsAre("before"));
  EXPECT_THAT(callables(object, "_load_state_dict_pre_hooks"), ElementsAre("migrate"));
  ASSERT_EQ(object.hooks.size(), 7U);
  EXPECT_EQ(object.hooks[0].kind, "full backward hook");
  EXPECT_EQ(object.hooks[0].id, 4U);
  EXPECT_EQ(object.hooks[1].id, 2U);
  EXPECT_FALSE(object.hooks[1].with_kwargs);
  EXPECT_EQ(object.hooks[3].kind, "forward hook, with kwargs, always called");
  EXPECT_TRUE(object.hooks[3].with_kwargs);
  EXPECT_TRUE(object.hooks[3].always_call);
  EXPECT_EQ(object.hooks[5].kind, "state_dict post-hook");
  EXPECT_EQ(object.hooks[6].kind, "load_state_dict pre-hook, with module");
  EXPECT_THAT(names(object, AttributePlace::Hooks, 1), ElementsAre("4", "2", "0", "1", "3", "6", "5"));
  EXPECT_EQ(line(object, "_is_full_backward_hook").text, "True");
  EXPECT_EQ(line(object, "_forward_hooks_with_kwargs").text, "OrderedDict({1: True})");
  EXPECT_EQ(line(object, "2").text, "early");
  EXPECT_THAT(line(object, "2").why, HasSubstr("register_forward_hook"));
}

TEST(ModuleDescriptionHooks, ARemovedOneIsGone) {
  World world;
  const auto net = world.module();
  auto handle = net->register_forward_hook(world.function("first(module, args, output)"));
  ASSERT_TRUE(handle.ok());
  handle.value()->remove();
  EXPECT_THAT(world.document(net)->describe(0).hooks, IsEmpty());
}

TEST(ModuleDescription, TellsClassOrderTrainingAndText) {
  World world;
  const auto net = world.module("Net");
  set(net, "child", world.module("Block"));
  ASSERT_TRUE(net->train(false).ok());
  const auto document = world.document(net);
  const ObjectDescription object = document->describe(0);
  EXPECT_EQ(object.class_name, "demo.Net");
  EXPECT_THAT(object.mro, ElementsAre("demo.Net", "torch.nn.modules.module.Module", "object"));
  EXPECT_FALSE(object.training);
  EXPECT_EQ(object.repr, "Net(\n  (child): Block()\n)");
}

TEST(ModuleDescription, BeforeInitThereIsNothing) {
  World world;
  const auto net = object::make<Module>(*nn::NnLibrary::of(world.in()).module);
  const auto document = world.document(net);
  const ObjectDescription object = document->describe(0);
  EXPECT_THAT(object.attributes, IsEmpty());
  EXPECT_THAT(object.repr, HasSubstr("AttributeError"));
}

TEST(ModuleDescription, ATextThatFailsIsTold) {
  World world;
  auto& cls =
      world.in().define_class({.name = "Shy", .module = "demo", .bases = {nn::NnLibrary::of(world.in()).module}});
  cls.def("extra_repr(self)", [](object::Interpreter& in, nn::Args) -> object::PyResult<Value> {
    return object::value_error(in, "not today");
  });
  const auto net = Module::make(world.in(), &cls);
  EXPECT_EQ(world.document(net)->describe(0).repr, "<repr() raised ValueError: not today>");
}

TEST(ProgramDocumentTensors, HaveTheirValuesWhereTheyAre) {
  World world;
  const auto net = world.module();
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  const auto base = tensor::from_values(world.in(), {2, 3}, values);
  set(net, "first", world.parameter({5}));
  ASSERT_TRUE(net->register_buffer("turned"sv, tensor::transpose(*base, 0, 1)).ok());
  const auto document = world.document(net);
  const auto* entry = tests::find_tensor(*document, "turned");
  ASSERT_NE(entry, nullptr);
  EXPECT_THAT(document->shape(*entry), ElementsAre(3, 2));
  EXPECT_THAT(document->stride(*entry), ElementsAre(1, 3));
  EXPECT_EQ(document->storages[entry->storage].device, "cpu");
  EXPECT_TRUE(has_values(*document, *entry));
  auto source = element_source(*document, static_cast<std::uint32_t>(entry - document->tensors.data()));
  ASSERT_TRUE(source.ok()) << source.error().message();
  ASSERT_TRUE(source->check().ok());
  std::vector<double> read(6);
  ASSERT_TRUE(checkpoint::read_values(*source, 0, read).ok());
  EXPECT_THAT(read, ElementsAre(1, 4, 2, 5, 3, 6));
  // What is written later is seen, and the source may outlive the document's other users.
  tensor::fill_(*base, 7);
  ASSERT_TRUE(checkpoint::read_values(*source, 0, read).ok());
  EXPECT_EQ(read[3], 7);
}

TEST(ProgramDocumentTensors, OnMetaHaveAShapeButNoValues) {
  World world;
  const auto net = world.module();
  set(net, "weight", world.parameter({1000000, 1000000}, tensor::Device::Meta));
  const auto document = world.document(net);
  const auto* entry = tests::find_tensor(*document, "weight");
  ASSERT_NE(entry, nullptr);
  EXPECT_FALSE(has_values(*document, *entry));
  EXPECT_FALSE(entry->readable);
  EXPECT_TRUE(entry->is_parameter);
  EXPECT_TRUE(entry->requires_grad);
  EXPECT_EQ(document->storages[entry->storage].device, "meta");
  EXPECT_EQ(document->tree.parameters[0], 1000000000000U);
  EXPECT_EQ(document->tree.bytes[0], 4000000000000U);
  EXPECT_THAT(document->files, IsEmpty());
  EXPECT_FALSE(document->storage_bytes(entry->storage).ok());
  const ObjectDescription object = document->describe(entry->node);
  EXPECT_EQ(object.class_name, "torch.nn.parameter.Parameter");
  EXPECT_THAT(object.repr, HasSubstr("device='meta'"));
  EXPECT_THAT(object.mro, ElementsAre("torch.nn.parameter.Parameter", "torch.Tensor", "torch._C.TensorBase", "object"));
}

TEST(ProgramDocumentTotals, CountTiedTensorsAndSharedModulesOnce) {
  World world;
  const auto net = world.module("Net");
  const auto left = world.module("Block");
  const auto right = world.module("Block");
  const auto tied = world.parameter({10});
  set(left, "weight", tied);
  set(right, "weight", tied);
  set(right, "bias", world.parameter({3}));
  ASSERT_TRUE(right->register_buffer("mean"sv, world.zeros({2})).ok());
  set(net, "left", left);
  set(net, "right", right);
  set(net, "again", right);
  const auto document = world.document(net);
  const auto& tree = document->tree;
  EXPECT_EQ(tree.parameters[0], 13U);
  EXPECT_EQ(tree.bytes[0], 4U * 15U);
  EXPECT_EQ(tree.parameters[tests::find_row(*document, "right")], 13U);
  EXPECT_EQ(tree.parameters[tests::find_row(*document, "again")], 13U);
  EXPECT_NE(tree.flags[tests::find_row(*document, "left/weight")] & checkpoint::kShared, 0);
  EXPECT_NE(tree.flags[tests::find_row(*document, "again/bias")] & checkpoint::kShared, 0);
  EXPECT_NE(tests::find_tensor(*document, "again.bias"), nullptr);
  constexpr std::uint8_t kBoth = checkpoint::kRepeatedParameter | checkpoint::kRepeatedBytes;
  EXPECT_EQ(tree.flags[tests::find_row(*document, "left/weight")] & kBoth, 0) << "counted here";
  EXPECT_EQ(tree.flags[tests::find_row(*document, "right/weight")] & kBoth, kBoth) << "counted above";
  EXPECT_EQ(tree.flags[tests::find_row(*document, "right/bias")] & kBoth, 0);
}

TEST(ProgramDocumentTotals, CountTwoParametersOverOneStorageTwice) {
  World world;
  const auto net = world.module();
  const auto first = world.parameter({10});
  set(net, "first", first);
  set(net, "second", tensor::make_parameter(world.in(), *first).value());
  const auto document = world.document(net);
  EXPECT_EQ(document->tree.parameters[0], 20U);  // sum(p.numel() for p in parameters()): two objects
  EXPECT_EQ(document->tree.bytes[0], 40U);
}

TEST(ProgramDocumentTree, KeepsTheOrderOfRegistration) {
  World world;
  const auto net = world.module();
  for (const char* name : {"10", "2", "1"}) set(net, name, world.module("Block"));
  EXPECT_EQ(tests::tree_text(*world.document(net)), ": Module\n  10: Block\n  2: Block\n  1: Block\n");
}

TEST(ProgramDocumentTree, GivesRepeatedBlocksOneStructure) {
  World world;
  const auto net = world.module();
  for (const char* name : {"0", "1", "2"}) {
    const auto block = world.module("Block");
    set(block, "weight", world.parameter({4, name[0] == '2' ? 5 : 4}));
    set(net, name, block);
  }
  const auto document = world.document(net);
  const auto structure = [&](const char* name) { return document->tree.structure[tests::find_row(*document, name)]; };
  EXPECT_EQ(structure("0"), structure("1"));
  EXPECT_NE(structure("0"), structure("2"));
}

TEST(ProgramDocumentTree, EndsWhereAModuleContainsItself) {
  World world;
  const auto net = world.module("Net");
  const auto child = world.module("Block");
  set(net, "child", child);
  set(child, "parent", net);
  const auto document = world.document(net);
  ASSERT_EQ(document->tree.size(), 3U);
  EXPECT_EQ(document->tree.kind[2], NodeKind::Value);
  EXPECT_EQ(document->notes.size(), 1U);
  EXPECT_EQ(document->describe(2).class_name, "demo.Net");
  EXPECT_THAT(document->describe(0).repr, HasSubstr("RecursionError"));
}

TEST(ProgramDocumentTree, EndsWhereSharingWouldMultiplyRows) {
  World world;
  auto below = world.module("Leaf");
  set(below, "weight", world.parameter({1}));
  for (int level = 0; level < 40; ++level) {
    const auto above = world.module("Block");
    set(above, "left", below);
    set(above, "right", below);
    below = above;
  }
  const auto document = world.document(below);
  EXPECT_LT(document->tree.size(), 200000U);
  EXPECT_EQ(document->tree.parameters[0], 1U);
  EXPECT_EQ(document->notes.size(), 1U);
}

TEST(ProgramDocumentTree, EndsWhereModulesAreNestedTooDeeply) {
  World world;
  auto below = world.module();
  for (int level = 0; level < 5000; ++level) {
    const auto above = world.module();
    set(above, "m", below);
    below = above;
  }
  const auto document = world.document(below);
  EXPECT_EQ(document->tree.size(), 1001U);
  EXPECT_EQ(document->notes.size(), 1U);
}

TEST(ProgramDocumentInHost, IsOpenedAsASample) {
  Sample sample{.name = "tiny", .title = "Tiny", .about = "Three numbers.", .make = [] {
                  auto interpreter = std::make_unique<object::Interpreter>();
                  auto net = Module::make(*interpreter);
                  EXPECT_TRUE(net->register_buffer("mean"sv, tensor::ones(*interpreter, {3})).ok());
                  return make_program_document("Tiny",
                                               std::make_shared<Program>(std::move(interpreter), std::move(net)));
                }};
  tests::Link link({sample});
  link.viewer->send(live::open_sample(1, "tiny"));
  link.run();
  EXPECT_EQ(link.state(1), live::wire::JobState::Finished);
  link.viewer->send(live::inspect_tensor(2, 1, 0, true));
  link.run();
  EXPECT_EQ(link.state(2), live::wire::JobState::Finished);
}

}  // namespace
}  // namespace nns::session
