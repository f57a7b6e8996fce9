#include "core/session/hook_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/object/operations.h"
#include "core/session/module_description.h"
#include "core/session/training_messages.h"

namespace nns::session {

namespace wire = live::wire;

using object::Interpreter;
using object::PyResult;
using object::Ref;
using object::Value;

namespace {

/// A table that was changed by hand tells nothing: it is looked at this often.
constexpr auto kBetweenLooks = std::chrono::seconds(1);
/// The text of what passed is made anew at most this often.
constexpr auto kBetweenTexts = std::chrono::milliseconds(100);
constexpr std::size_t kMostParts = 8;

/// "(32, 784)"; of several their texts.
void append_shape(std::string& text, const Value& value, int depth) {
  if (const auto* tensor = value.as<tensor::Tensor>()) {
    text += '(';
    for (std::size_t axis = 0; axis < tensor->shape().size(); ++axis)
      text += fmt::format("{}{}", axis == 0 ? "" : ", ", tensor->shape()[axis]);
    text += tensor->shape().size() == 1 ? ",)" : ")";
    return;
  }
  const auto append_all = [&](std::span<const Value> items) {
    for (std::size_t i = 0; i < std::min(items.size(), kMostParts); ++i) {
      if (i > 0) text += ", ";
      append_shape(text, items[i], depth + 1);
    }
    if (items.size() > kMostParts) text += fmt::format(", … {} more", items.size() - kMostParts);
  };
  constexpr int kDeepest = 3;
  if (const auto* tuple = value.as<object::Tuple>(); tuple != nullptr && depth < kDeepest) {
    append_all(tuple->items());
  } else if (const auto* list = value.as<object::List>(); list != nullptr && depth < kDeepest) {
    append_all(list->items());
  } else {
    text += value.is_none() ? std::string_view("None") : std::string_view("…");
  }
}

std::string shapes_of(const Value& value) {
  std::string text;
  append_shape(text, value, 0);
  return text.empty() ? "nothing" : text;
}

/// What goes in and what comes out, of the arguments that a hook at this point gets behind its module.
std::string passed(wire::HookPoint point, std::span<const Value> given) {
  switch (point) {
    case wire::HookPoint::Forward:
      return shapes_of(given[0]) + " \xE2\x86\x92 " + shapes_of(given[1]);
    case wire::HookPoint::FullBackward:
      return shapes_of(given[1]) + " \xE2\x86\x92 " + shapes_of(given[0]);
    case wire::HookPoint::ForwardPre:
    case wire::HookPoint::FullBackwardPre:
      break;
  }
  return shapes_of(given[0]);
}

std::string_view signature_of(wire::HookPoint point) {
  switch (point) {
    case wire::HookPoint::ForwardPre:
      return "hook_of_a_viewer(module, args)";
    case wire::HookPoint::Forward:
      return "hook_of_a_viewer(module, args, output)";
    case wire::HookPoint::FullBackwardPre:
      return "hook_of_a_viewer(module, grad_output)";
    case wire::HookPoint::FullBackward:
      break;
  }
  return "hook_of_a_viewer(module, grad_input, grad_output)";
}

PyResult<Ref<autograd::RemovableHandle>> register_at(nn::Module& module, wire::HookPoint point, Value hook) {
  switch (point) {
    case wire::HookPoint::ForwardPre:
      return module.register_forward_pre_hook(std::move(hook));
    case wire::HookPoint::Forward:
      return module.register_forward_hook(std::move(hook));
    case wire::HookPoint::FullBackwardPre:
      return module.register_full_backward_pre_hook(std::move(hook));
    case wire::HookPoint::FullBackward:
      break;
  }
  return module.register_full_backward_hook(std::move(hook));
}

}  // namespace

HookWatch::~HookWatch() { stop(); }

void HookWatch::stop() {
  if (channel_ != nullptr) channel_->observe(nullptr);
  channel_ = nullptr;
  calls_.clear();
}

void HookWatch::look_at(const train::ModuleTable& table, std::vector<std::uint32_t> modules) {
  modules_ = std::move(modules);
  if (modules_.empty()) return stop();
  is_changed_ = true;
  events::Channel& channel = table.modules()[modules_[0]].module->interpreter().events();
  // A recording observes, too, from the beginning of its interpreter: then only what viewers added counts itself.
  if (channel_ != nullptr || channel.watched()) return;
  channel_ = &channel;
  channel.observe(this);
}

void HookWatch::on_event(const events::Event& event) {
  if (const auto* fired = std::get_if<events::HookFired>(&event)) {
    ++calls_[fired->hook_id];
    is_changed_ = true;
  } else if (std::holds_alternative<events::HookRegistered>(event) ||
             std::holds_alternative<events::HookRemoved>(event)) {
    is_changed_ = true;
  }
}

base::Result<void> HookWatch::add(const train::ModuleTable& table, std::uint32_t number, wire::HookPoint point) {
  if (number >= table.modules().size()) {
    return training_refused(fmt::format("module {}", number),
                            table.modules().empty() ? "a model that was called; there is none yet"
                                                    : fmt::format("a number below {}", table.modules().size()));
  }
  const Ref<nn::Module>& module = table.modules()[number].module;
  const auto seen = std::make_shared<Seen>();
  Interpreter& in = module->interpreter();
  const Value hook(in.function(signature_of(point), [seen, point](Interpreter&, std::span<const Value> given) {
    ++seen->calls;
    const Clock::time_point now = Clock::now();
    if (seen->text.empty() || now - seen->at >= kBetweenTexts) {
      seen->text = passed(point, given.subspan(1));
      seen->at = now;
    }
    return PyResult<Value>(Value());
  }));
  auto handle = register_at(*module, point, hook);
  if (!handle.ok()) return training_refused(handle.error().message(), "a hook that this module takes");
  const auto id = static_cast<std::uint64_t>(handle.value()->id());
  added_.insert_or_assign(id, Added{module, std::move(handle).value(), seen});
  is_changed_ = true;
  return {};
}

base::Result<void> HookWatch::remove(const train::ModuleTable& table, std::uint32_t number, std::uint64_t id) {
  const auto found = added_.find(id);
  if (found == added_.end() || table.find(found->second.module.get()) != number) {
    return training_refused(fmt::format("hook {} of module {}", id, number),
                            "a hook that a viewer added and nobody removed");
  }
  found->second.handle->remove();
  added_.erase(found);
  is_changed_ = true;
  return {};
}

bool HookWatch::is_due() const { return is_looking() && (is_changed_ || Clock::now() - looked_ >= kBetweenLooks); }

std::optional<live::Bytes> HookWatch::tell(const train::ModuleTable& table, std::uint64_t step) {
  looked_ = Clock::now();
  is_changed_ = false;
  std::vector<Row> rows;
  for (const std::uint32_t number : modules_) {
    if (number >= table.modules().size()) continue;
    for (checkpoint::HookRow& hook : hooks_of(*table.modules()[number].module)) {
      Row row{.module = number, .hook = std::move(hook)};
      if (const auto added = added_.find(row.hook.id); added != added_.end()) {
        row.is_added = true;
        row.calls = added->second.seen->calls;
        row.seen = added->second.seen->text;
      } else if (channel_ != nullptr) {
        const auto calls = calls_.find(static_cast<std::int64_t>(row.hook.id));
        row.calls = calls == calls_.end() ? 0 : calls->second;
      }
      rows.push_back(std::move(row));
    }
  }
  if (is_told_ && rows == told_) return std::nullopt;
  flatbuffers::FlatBufferBuilder builder(1024);
  std::vector<flatbuffers::Offset<wire::TrainingHook>> hooks;
  for (const Row& row : rows) {
    const auto dictionary = builder.CreateString(row.hook.dictionary);
    const auto kind = builder.CreateString(row.hook.kind);
    const auto callable = builder.CreateString(row.hook.callable);
    const auto seen = builder.CreateString(row.seen);
    hooks.push_back(wire::CreateTrainingHook(builder, row.module, dictionary, kind, row.hook.id, callable, row.calls,
                                             seen, row.is_added));
  }
  told_ = std::move(rows);
  is_told_ = true;
  const auto all = builder.CreateVector(hooks);
  return live::finish_message(builder, wire::CreateTrainingHooks(builder, document_, table.version(), step, all));
}

}  // namespace nns::session
