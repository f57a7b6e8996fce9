#include "core/session/samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace nns::session {
namespace {

using checkpoint::AttributePlace;
using checkpoint::Checkpoint;
using checkpoint::kNone;
using checkpoint::NodeKind;

std::unique_ptr<Checkpoint> opened(std::string_view name) {
  for (const Sample& sample : built_in_samples()) {
    if (sample.name != name) continue;
    auto made = sample.make();
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().found);
    return made.ok() ? std::move(made).value() : nullptr;
  }
  ADD_FAILURE() << "no sample is called " << name;
  return nullptr;
}

// The row at a path of names from the root, or kNone.
std::uint32_t row_at(const Checkpoint& document, std::initializer_list<std::string_view> path) {
  const auto& tree = document.tree;
  std::uint32_t row = 0;
  for (const std::string_view name : path) {
    std::uint32_t child = row + 1;
    while (child < tree.end[row] && tree.strings.view(tree.name[child]) != name) child = tree.end[child];
    if (child >= tree.end[row]) return kNone;
    row = child;
  }
  return row;
}

std::string_view class_at(const Checkpoint& document, std::initializer_list<std::string_view> path) {
  const std::uint32_t row = row_at(document, path);
  return row == kNone ? "(no row)" : document.tree.strings.view(document.tree.class_name[row]);
}

std::vector<std::string> tensor_names(const Checkpoint& document) {
  std::vector<std::string> names;
  for (const auto& entry : document.tensors) names.emplace_back(document.name(entry));
  return names;
}

// The names of the hooks of one dictionary, in firing order.
std::vector<std::string> hooks_of(const checkpoint::ObjectDescription& module, std::string_view dictionary) {
  std::vector<std::string> names;
  for (const auto& hook : module.hooks) {
    if (hook.dictionary == dictionary) names.push_back(hook.callable);
  }
  return names;
}

const checkpoint::AttributeRow* attribute(const checkpoint::ObjectDescription& module, std::string_view name) {
  const auto found = std::find_if(module.attributes.begin(), module.attributes.end(),
                                  [&](const checkpoint::AttributeRow& row) { return row.name == name; });
  return found == module.attributes.end() ? nullptr : &*found;
}

TEST(SampleResNet, HasTorchvisionsParametersNamesAndClasses) {
  const auto document = opened("resnet18");
  ASSERT_NE(document, nullptr);
  EXPECT_EQ(document->tree.parameters[0], 11'689'512U);
  EXPECT_EQ(class_at(*document, {}), "ResNet");
  EXPECT_EQ(class_at(*document, {"layer2", "0"}), "BasicBlock");
  EXPECT_EQ(class_at(*document, {"layer2", "0", "downsample", "0"}), "Conv2d");
  EXPECT_EQ(class_at(*document, {"layer1", "0", "downsample"}), "(no row)");
  const auto names = tensor_names(*document);
  EXPECT_EQ(names.size(), 122U);
  EXPECT_EQ(names.front(), "conv1.weight");
  EXPECT_EQ(names.back(), "fc.bias");
  EXPECT_NE(std::find(names.begin(), names.end(), "layer4.1.bn2.num_batches_tracked"), names.end());
  const auto root = document->describe(0);
  EXPECT_EQ(root.class_name, "torchvision.models.resnet.ResNet");
  EXPECT_NE(root.repr.find("(conv1): Conv2d(3, 64, kernel_size=(7, 7), stride=(2, 2), padding=(3, 3), bias=False)"),
            std::string::npos);
}

TEST(SampleResNet, HasNoValues) {
  const auto document = opened("resnet18");
  ASSERT_NE(document, nullptr);
  for (const auto& entry : document->tensors) {
    EXPECT_FALSE(entry.readable);
    EXPECT_EQ(document->storages[entry.storage].device, "meta");
  }
}

TEST(SampleGpt2, HasHuggingFacesNamesAndOneTiedWeight) {
  const auto document = opened("gpt2");
  ASSERT_NE(document, nullptr);
  EXPECT_EQ(document->tree.parameters[0], 124'439'808U);
  EXPECT_EQ(class_at(*document, {}), "GPT2LMHeadModel");
  EXPECT_EQ(class_at(*document, {"transformer"}), "GPT2Model");
  EXPECT_EQ(class_at(*document, {"transformer", "h", "11"}), "GPT2Block");
  EXPECT_EQ(class_at(*document, {"transformer", "h", "0", "attn"}), "GPT2Attention");
  EXPECT_EQ(class_at(*document, {"transformer", "h", "0", "attn", "c_attn"}), "Conv1D");
  EXPECT_EQ(class_at(*document, {"transformer", "h", "0", "mlp"}), "GPT2MLP");
  const std::uint32_t wte = row_at(*document, {"transformer", "wte", "weight"});
  const std::uint32_t lm_head = row_at(*document, {"lm_head", "weight"});
  ASSERT_NE(wte, kNone);
  ASSERT_NE(lm_head, kNone);
  const auto& tree = document->tree;
  EXPECT_EQ(document->tensors[tree.tensor[wte]].storage, document->tensors[tree.tensor[lm_head]].storage);
  EXPECT_NE(tree.flags[wte] & checkpoint::kShared, 0);
  EXPECT_NE(document->describe(row_at(*document, {"transformer", "h", "0"})).repr.find("Conv1D(nf=2304, nx=768)"),
            std::string::npos);
}

TEST(SampleGpt2, BlocksAreAlike) {
  const auto document = opened("gpt2");
  ASSERT_NE(document, nullptr);
  const auto& structure = document->tree.structure;
  EXPECT_EQ(structure[row_at(*document, {"transformer", "h", "0"})],
            structure[row_at(*document, {"transformer", "h", "11"})]);
  EXPECT_NE(document->describe(row_at(*document, {"transformer", "h"})).repr.find("(0-11): 12 x GPT2Block("),
            std::string::npos);
}

TEST(SampleCnn, FiresItsHooksInTheOrderOfTheirTables) {
  const auto document = opened("small_cnn");
  ASSERT_NE(document, nullptr);
  const auto root = document->describe(0);
  EXPECT_TRUE(root.is_module);
  EXPECT_EQ(hooks_of(root, "_forward_pre_hooks"), (std::vector<std::string>{"count_images", "normalise_pixels"}));
  EXPECT_EQ(hooks_of(root, "_forward_hooks"),
            (std::vector<std::string>{"check_for_nan", "record_logits", "stop_timer"}));
  EXPECT_EQ(hooks_of(root, "_backward_pre_hooks"), (std::vector<std::string>{"start_gradient_timer"}));
  EXPECT_EQ(hooks_of(root, "_backward_hooks"), (std::vector<std::string>{"log_gradient_norm"}));
  EXPECT_EQ(hooks_of(root, "_state_dict_pre_hooks"), (std::vector<std::string>{"flush_statistics"}));
  EXPECT_EQ(hooks_of(root, "_state_dict_hooks"), (std::vector<std::string>{"note_what_was_saved"}));
  EXPECT_EQ(hooks_of(root, "_load_state_dict_pre_hooks"), (std::vector<std::string>{"look_for_old_names"}));
  EXPECT_EQ(hooks_of(root, "_load_state_dict_post_hooks"), (std::vector<std::string>{"report_missing_keys"}));
  for (const auto& hook : root.hooks) {
    EXPECT_EQ(hook.with_kwargs, hook.callable == "normalise_pixels") << hook.callable;
    EXPECT_EQ(hook.always_call, hook.callable == "stop_timer") << hook.callable;
  }
  // Ids count registrations, so the prepended hook has the larger one.
  const auto id_of = [&root](std::string_view name) {
    const auto found = std::find_if(root.hooks.begin(), root.hooks.end(),
                                    [&](const checkpoint::HookRow& hook) { return hook.callable == name; });
    return found == root.hooks.end() ? 0 : found->id;
  };
  EXPECT_GT(id_of("check_for_nan"), id_of("record_logits"));
}

TEST(SampleCnn, ShowsWhereEachNameSitsAndWhy) {
  const auto document = opened("small_cnn");
  ASSERT_NE(document, nullptr);
  const auto root = document->describe(0);
  ASSERT_GE(root.attributes.size(), 17U);
  EXPECT_EQ(root.attributes[0].name, "training");
  EXPECT_EQ(root.attributes[1].name, "_parameters");
  const auto* temperature = attribute(root, "temperature");
  ASSERT_NE(temperature, nullptr);
  EXPECT_EQ(temperature->place, AttributePlace::Parameters);
  EXPECT_EQ(temperature->text, "None");
  const auto* pixel_mean = attribute(root, "pixel_mean");
  ASSERT_NE(pixel_mean, nullptr);
  EXPECT_EQ(pixel_mean->place, AttributePlace::Buffers);
  EXPECT_EQ(pixel_mean->text, "float32 [1], not persistent");
  const auto* prior = attribute(root, "class_prior");
  ASSERT_NE(prior, nullptr);
  EXPECT_EQ(prior->place, AttributePlace::Dict);
  EXPECT_EQ(prior->type, "Tensor");
  const auto conv2 = document->describe(row_at(*document, {"conv2"}));
  const auto* bias = attribute(conv2, "bias");
  ASSERT_NE(bias, nullptr);
  EXPECT_EQ(bias->text, "None");
  EXPECT_EQ(conv2.mro, (std::vector<std::string>{"torch.nn.modules.conv.Conv2d", "torch.nn.modules.conv._ConvNd",
                                                 "torch.nn.modules.module.Module", "object"}));
}

TEST(SampleCnn, HasValuesThatCanBeRead) {
  const auto document = opened("small_cnn");
  ASSERT_NE(document, nullptr);
  const std::uint32_t row = row_at(*document, {"bn1", "running_var"});
  ASSERT_NE(row, kNone);
  EXPECT_EQ(document->tree.kind[row], NodeKind::Buffer);
  const auto& entry = document->tensors[document->tree.tensor[row]];
  EXPECT_TRUE(entry.readable);
  auto bytes = document->storage_bytes(entry.storage);
  ASSERT_TRUE(bytes.ok());
  ASSERT_EQ((*bytes)->size(), 32U);
  std::vector<std::byte> read(32);
  ASSERT_TRUE((*bytes)->read(0, read).ok());
  float first = 0;
  std::memcpy(&first, read.data(), sizeof first);
  EXPECT_EQ(first, 1.0F);
}

TEST(SampleCnn, CountsTiedAndSharedThingsOnce) {
  const auto document = opened("small_cnn");
  ASSERT_NE(document, nullptr);
  // conv1 80, bn1 16, conv2 1152, fc 784 * 32 + 32, head 320 (tied with prototypes).
  EXPECT_EQ(document->tree.parameters[0], 80U + 16U + 1152U + 784U * 32U + 32U + 320U);
  EXPECT_EQ(class_at(*document, {"act"}), "ReLU");
  EXPECT_EQ(class_at(*document, {"act2"}), "ReLU");
}

}  // namespace
}  // namespace nns::session
