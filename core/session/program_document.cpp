#include "core/session/program_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "core/checkpoint/tree_builder.h"
#include "core/object/operations.h"
#include "core/session/describe_module.h"

namespace nns::session {
namespace {

using checkpoint::kNone;
using checkpoint::NodeKind;
using nn::Module;
using nn::Registry;
using object::Dict;
using object::Value;
using tensor::Tensor;

base::Error told_error(const object::PyError& error, const std::string& title) {
  return base::Error{.found = fmt::format("{}: {}", error.type(), error.message()),
                     .expected = "a model whose modules have been initialised",
                     .where = title,
                     .offset = std::nullopt};
}

class ProgramDocument final : public checkpoint::Checkpoint {
 public:
  LiveModel model;
  /// The module of each row; null for rows of other kinds.
  std::vector<Module*> module_of_row;

  checkpoint::ObjectDescription describe(std::uint32_t node) const override {
    if (Module* module = module_of_row[node]) return describe_module(*this, node, *module);
    return describe_leaf(*this, node);
  }
};

/// Walks the modules and writes rows, tensors and storages.
class Teller {
 public:
  Teller(ProgramDocument& document) : document_(document), builder_(document.tree.strings) {}

  base::Result<void> run() {
    Module& root = *document_.model.root;
    builder_.set_class(0, root.type().name());
    modules_.push_back(&root);
    NNS_TRY(tell(root, 0, ""));
    std::vector<std::uint32_t> rows;
    NNS_TRY(copy_values());
    NNS_TRY(builder_.finish(checkpoint::SiblingOrder::Registration, document_, &rows));
    document_.module_of_row.assign(rows.size(), nullptr);
    for (std::size_t i = 0; i < rows.size(); ++i) document_.module_of_row[rows[i]] = modules_[i];
    return {};
  }

 private:
  base::Result<void> tell(Module& module, std::uint32_t row, const std::string& path) {
    open_.push_back(&module);
    const std::pair<Registry, NodeKind> kinds[] = {{Registry::Parameters, NodeKind::Parameter},
                                                   {Registry::Buffers, NodeKind::Buffer}};
    for (const auto& [registry, kind] : kinds) {
      auto members = module.required_registry(registry);
      if (!members.ok()) return told_error(members.error(), document_.title);
      for (std::size_t at = 0; const Dict::Entry* entry = (*members)->next(at);) {
        add_member(row, path, name_of(entry->key), entry->value, kind);
      }
    }
    Dict& attributes = module.dict();
    for (std::size_t at = 0; const Dict::Entry* entry = attributes.next(at);) {
      if (entry->value.as<Tensor>() != nullptr) {
        add_member(row, path, name_of(entry->key), entry->value, NodeKind::Tensor);
      }
    }
    auto children = module.required_registry(Registry::Modules);
    if (!children.ok()) return told_error(children.error(), document_.title);
    for (std::size_t at = 0; const Dict::Entry* entry = (*children)->next(at);) {
      const std::string_view name = name_of(entry->key);
      Module* child = entry->value.as<Module>();
      if (child == nullptr) {
        add_value(row, name, "None");
      } else if (std::find(open_.begin(), open_.end(), child) != open_.end()) {
        add_value(row, name, fmt::format("{}, which this module is inside", child->type().name()));
      } else {
        const std::uint32_t child_row = add_row(row, name, NodeKind::Module, child);
        builder_.set_class(child_row, child->type().name());
        NNS_TRY(tell(*child, child_row, nn::joined_path(path, name)));
      }
    }
    open_.pop_back();
    return {};
  }

  static std::string_view name_of(const Value& key) {
    const object::Str* text = key.as<object::Str>();
    return text == nullptr ? std::string_view("?") : text->view();
  }

  std::uint32_t add_row(std::uint32_t parent, std::string_view name, NodeKind kind, Module* module) {
    const std::uint32_t row = builder_.add(parent, name, kind);
    if (row == modules_.size()) modules_.push_back(module);
    return row;
  }

  void add_value(std::uint32_t parent, std::string_view name, std::string_view text) {
    const std::uint32_t row = add_row(parent, name, NodeKind::Value, nullptr);
    builder_.set_preview(row, text);
  }

  void add_member(std::uint32_t parent, const std::string& path, std::string_view name, const Value& value,
                  NodeKind kind) {
    const Tensor* tensor = value.as<Tensor>();
    if (tensor == nullptr) return add_value(parent, name, "None");
    const std::uint32_t row = add_row(parent, name, kind, nullptr);
    builder_.set_tensor(row, static_cast<std::uint32_t>(document_.tensors.size()));
    checkpoint::TensorEntry entry;
    entry.name = document_.tree.strings.intern(nn::joined_path(path, name));
    entry.storage = storage_of(*tensor);
    entry.dims = static_cast<std::uint32_t>(document_.dims.size());
    entry.rank = static_cast<std::uint8_t>(tensor->ndim());
    entry.dtype = tensor->dtype();
    entry.readable = !tensor->is_meta();
    entry.is_parameter = tensor->is_parameter();
    entry.requires_grad = tensor->requires_grad();
    entry.storage_offset = static_cast<std::uint64_t>(tensor->offset());
    entry.numel = static_cast<std::uint64_t>(tensor->numel());
    entry.nbytes = tensor->nbytes();
    for (const tensor::Dims& part : {tensor->shape(), tensor->strides()}) {
      document_.dims.insert(document_.dims.end(), part.begin(), part.end());
    }
    document_.tensors.push_back(entry);
  }

  std::uint32_t storage_of(const Tensor& tensor) {
    const tensor::Storage* storage = tensor.storage().get();
    const auto [at, is_new] = numbers_.emplace(storage, static_cast<std::uint32_t>(document_.storages.size()));
    if (is_new) {
      checkpoint::Storage entry;
      entry.nbytes = storage->bytes();
      entry.device = tensor::device_name(storage->device());
      entry.located = storage->device() == tensor::Device::Cpu;
      document_.storages.push_back(std::move(entry));
      storages_.push_back(storage);
    }
    return at->second;
  }

  // One source in memory holds the values of all storages on cpu, one after the other.
  base::Result<void> copy_values() {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < storages_.size(); ++i) {
      if (storages_[i]->data() == nullptr) continue;
      document_.storages[i].offset = total;
      total += (storages_[i]->bytes() + 15U) & ~std::uint64_t{15};
    }
    constexpr std::uint64_t kMost = std::uint64_t{1} << 30U;
    if (total > kMost) {
      return base::Error{.found = fmt::format("a model with {} bytes of values", total),
                         .expected = fmt::format("at most {}", kMost),
                         .where = document_.title,
                         .offset = std::nullopt};
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(total));
    for (std::size_t i = 0; i < storages_.size(); ++i) {
      if (storages_[i]->data() == nullptr) continue;
      std::memcpy(bytes.data() + document_.storages[i].offset, storages_[i]->data(),
                  static_cast<std::size_t>(storages_[i]->bytes()));
    }
    // A model on meta alone has no bytes, so no source either.
    document_.files.push_back({.name = "memory",
                               .size = total,
                               .source = total == 0 ? nullptr : base::make_memory_source("memory", std::move(bytes))});
    return {};
  }

  ProgramDocument& document_;
  checkpoint::TreeBuilder builder_;
  /// By rows of the builder.
  std::vector<Module*> modules_;
  /// The modules from the root to the one that is being told.
  std::vector<const Module*> open_;
  std::unordered_map<const tensor::Storage*, std::uint32_t> numbers_;
  std::vector<const tensor::Storage*> storages_;
};

}  // namespace

base::Result<std::unique_ptr<checkpoint::Checkpoint>> tell_program(LiveModel model, std::string title) {
  auto document = std::make_unique<ProgramDocument>();
  document->format = "program";
  document->title = std::move(title);
  document->model = std::move(model);
  NNS_TRY(Teller(*document).run());
  return base::Result<std::unique_ptr<checkpoint::Checkpoint>>(std::move(document));
}

}  // namespace nns::session
