#include "core/checkpoint/torch_script.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/checkpoint/describe_inferred.h"
#include "core/checkpoint/pickle_preview.h"

namespace nns::checkpoint {

namespace {

constexpr std::uint32_t kMostScriptRows = 4096;

class ScriptDescriber {
 public:
  ScriptDescriber(const PickledCheckpoint& document, std::uint32_t node, const ScriptClass& script)
      : document_(document), heap_(document.heap()), node_(node), script_(script) {}

  ObjectDescription run() {
    const PickleId value = document_.value_of_row[node_];
    description_.class_name = type_name(heap_, value);
    description_.is_module = script_.is_module();
    description_.repr = std::string(script_.text);
    const std::string python_name = python_class_name(description_.class_name);
    if (python_name != description_.class_name)
      add(AttributePlace::Item, "class in Python", "str", python_name, "The name before TorchScript made it unique.");
    add(AttributePlace::Item, "code", "str", std::string(script_.file), "The member of the archive that declares it.");

    const PickleId state = heap_.object(value).state;
    if (heap_.kind(state) == PickleKind::Dict) {
      const PickleId training = heap_.find(heap_.chain(state), "training");
      description_.training = training == kNone || heap_.as_bool(training);
      PickleId key = kNone;
      heap_.each(heap_.chain(state), [&](PickleId child) {
        if (key == kNone) {
          key = child;
          return true;
        }
        entry(key_text(heap_, key), child);
        key = kNone;
        return description_.attributes.size() < kMostScriptRows;
      });
    } else if (heap_.kind(state) == PickleKind::Tuple) {
      std::size_t index = 0;
      heap_.each(heap_.chain(state), [&](PickleId child) {
        const std::string name(script_.name_of_state(index));
        entry(name.empty() ? fmt::format("state[{}]", index) : name, child);
        if (name == "training") description_.training = heap_.as_bool(child);
        ++index;
        return description_.attributes.size() < kMostScriptRows;
      });
    }
    for (const ScriptMethod& method : script_.methods) {
      if (description_.attributes.size() >= kMostScriptRows) break;
      add(AttributePlace::Dict, std::string(method.name), "method", signature(method.text),
          "A method of the class; its code is below.");
    }
    return std::move(description_);
  }

 private:
  void add(AttributePlace place, std::string name, std::string type, std::string text, std::string_view why) {
    AttributeRow attribute;
    attribute.place = place;
    attribute.name = std::move(name);
    attribute.type = std::move(type);
    attribute.text = std::move(text);
    attribute.why = why;
    description_.attributes.push_back(std::move(attribute));
  }

  std::uint32_t row_of(std::string_view name, PickleId value) const {
    const ModuleTree& tree = document_.tree;
    for (std::uint32_t child = node_ + 1; child < tree.end[node_]; child = tree.end[child]) {
      if (document_.value_of_row[child] == value && tree.strings.view(tree.name[child]) == name) return child;
    }
    return kNone;
  }

  void entry(const std::string& name, PickleId value) {
    const ModuleTree& tree = document_.tree;
    const std::uint32_t row = heap_.is_none(value) ? kNone : row_of(name, value);
    const std::string_view declared = script_.type_of(name);
    std::string type = declared.empty() ? type_name(heap_, value) : std::string(declared);
    AttributePlace place = AttributePlace::Dict;
    std::string_view why = "An attribute that the class declares.";
    std::string text = preview(heap_, value);
    if (script_.is_parameter(name)) {
      place = AttributePlace::Parameters;
      why = "__parameters__ of the class names it.";
    } else if (script_.is_buffer(name)) {
      place = AttributePlace::Buffers;
      why = script_.lists_buffers ? "__buffers__ of the class names it."
                                  : "A name that buffers have; archives before 1.5 do not list them.";
    }
    if (row != kNone && tree.tensor[row] != kNone) {
      text = tensor_summary(document_, document_.tensors[tree.tensor[row]]);
    } else if (row != kNone && tree.kind[row] == NodeKind::Module) {
      place = AttributePlace::Modules;
      why = "A module: the class declares it with the module's class.";
      text = tree.strings.view(tree.class_name[row]);
    }
    add(place, name, std::move(type), std::move(text), why);
    description_.attributes.back().node = row;
  }

  /// The lines up to the colon, as one.
  static std::string signature(std::string_view text) {
    std::string line;
    bool is_space = false;
    for (const char c : text.substr(0, text.find(":\n"))) {
      if (c == ' ' || c == '\n' || c == '\r') {
        is_space = !line.empty();
        continue;
      }
      if (is_space) line += ' ';
      is_space = false;
      line += c;
    }
    return line;
  }

  const PickledCheckpoint& document_;
  const PickleHeap& heap_;
  std::uint32_t node_;
  const ScriptClass& script_;
  ObjectDescription description_;
};

}  // namespace

base::Result<bool> read_script_code(PickledCheckpoint& document, std::string_view root, std::uint32_t& next,
                                    const base::Budget& budget) {
  const ZipArchive& archive = *document.archive;
  const std::string folder = fmt::format("{}code/", root);
  while (next < archive.members().size()) {
    const ZipMember& member = archive.members()[next++];
    const std::string_view name = member.name;
    if (name.size() < folder.size() + 3 || name.substr(0, folder.size()) != folder ||
        name.substr(name.size() - 3) != ".py") {
      continue;
    }
    if (member.size > ScriptCode::kMaxText - document.code->size()) {
      document.notes.push_back(
          fmt::format("More than {} bytes of code: {} is not looked at, so modules of its classes "
                      "have no attributes by kind.",
                      ScriptCode::kMaxText, name));
      continue;
    }
    NNS_TRY_ASSIGN(const ZipBytes bytes, archive.read(next - 1, ScriptCode::kMaxText));
    std::string module(name.substr(folder.size(), name.size() - folder.size() - 3));
    std::replace(module.begin(), module.end(), '/', '.');
    document.code->add(std::string(name), module,
                       std::string(reinterpret_cast<const char*>(bytes.bytes.data()), bytes.bytes.size()));
    if (budget.spent()) return false;
  }
  return true;
}

ObjectDescription describe_script(const PickledCheckpoint& document, std::uint32_t node, const ScriptClass& script) {
  return ScriptDescriber(document, node, script).run();
}

}  // namespace nns::checkpoint
