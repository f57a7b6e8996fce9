#include "core/recorder/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_set>
#include <variant>

#include "core/nn/module.h"
#include "core/object/function.h"

namespace nns::recorder {

namespace {

using object::Value;
using python::Code;
using python::Frame;
using trace::EventKind;
using trace::kNone;

// Parameters that nothing was seen to touch are looked at now and then all the same.
constexpr std::uint64_t kStatementsBetweenLooks = 0xFF;

// What is seen of an int that a Shown does not hold: the largest number, which is that of no text.
constexpr std::uint64_t kNoText = UINT32_MAX;

// What C++ does to parameters that are none of its arguments.
bool changes_parameters(std::string_view name) {
  constexpr std::array<std::string_view, 8> kNames = {"backward", "step",      "zero_grad", "load_state_dict",
                                                      "copy_",    "broadcast", "apply",     "clip_grad_norm_"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// Built-in functions that write into none of their arguments.
bool changes_nothing(std::string_view name) {
  static const std::unordered_set<std::string_view> kNames = {
      "abs",       "all",     "any",        "bin",         "bool",      "callable", "chr",        "dict.get",
      "dict.keys", "divmod",  "dict.items", "dict.values", "enumerate", "filter",   "float",      "format",
      "getattr",   "hasattr", "hash",       "hex",         "id",        "int",      "isinstance", "issubclass",
      "iter",      "len",     "list.count", "list.index",  "list.copy", "max",      "min",        "oct",
      "ord",       "pow",     "print",      "range",       "repr",      "reversed", "round",      "sorted",
      "str",       "sum",     "super",      "tuple",       "type",      "vars",     "zip",        "dict.copy"};
  return name.starts_with("str.") || kNames.contains(name);
}

// Modules that nnscope brings along have names like "<torch.distributed>".
bool is_library(std::string_view file) {
  return file.starts_with('<') && !file.starts_with("<console") && file != "<string>" && file != "<stdin>";
}

}  // namespace

Recorder::Recorder(python::Machine& machine, trace::Trace& trace)
    : machine_(machine), trace_(trace), objects_(machine.interpreter(), trace), is_recording_(true) {
  machine_.observe(this);
  machine_.interpreter().events().observe(this);
}

Recorder::~Recorder() { stop(); }

void Recorder::stop() {
  if (!is_recording_) return;
  is_recording_ = false;
  steps_when_full_ = machine_.steps();
  machine_.observe(nullptr);
  machine_.interpreter().events().observe(nullptr);
}

void Recorder::end() {
  if (is_recording_) {
    objects_.look_at_parameters();
    stop();
  }
  trace_.end(machine_.steps() - steps_when_full_);
}

namespace {

std::uint64_t long_int() { return trace::Shown::of(trace::Shown::Kind::Literal, kNoText).bits(); }

}  // namespace

inline Recorder::Seen Recorder::seen(const Value& value) {
  if (value.is_float()) return trace::Shown::number(value.as_float()).bits();
  if (value.is_int()) {
    return trace::Shown::fits(value.as_int()) ? trace::Shown::integer(value.as_int()).bits() : long_int();
  }
  if (value.is_object()) {
    const auto address = reinterpret_cast<std::uintptr_t>(value.object());
    return trace::Shown::of(trace::Shown::Kind::Object, address / alignof(object::Object)).bits();
  }
  if (value.is_bool()) return trace::Shown::of(trace::Shown::Kind::Bool, value.as_bool() ? 1 : 0).bits();
  return trace::Shown::of(value.is_none() ? trace::Shown::Kind::None : trace::Shown::Kind::Absent).bits();
}

const Recorder::KnownCode& Recorder::code_of(const Code& code) {
  const KnownCode*& recent = recent_codes_[(reinterpret_cast<std::uintptr_t>(&code) >> 5U) % kRecent];
  if (recent != nullptr && recent->code.get() == &code) [[likely]]
    return *recent;
  if (const auto known = codes_.find(&code); known != codes_.end()) return *(recent = &known->second);
  const python::Source& source = code.tree->source();
  auto [file, is_new] = files_.emplace(code.tree.get(), 0);
  if (is_new) {
    file->second = trace_.add_file(std::string(source.name()), std::string(source.text()), is_library(source.name()));
  }
  trace::Code told;
  told.file = file->second;
  told.name = code.name;
  told.qualified_name = code.qualified_name;
  told.first_line = code.node == python::kNoNode ? 1 : code.first_line();
  told.is_function = code.is_function;
  told.parameters = static_cast<std::uint32_t>(code.parameter_count());
  for (const object::Name name : code.locals) told.slots.emplace_back(name.view());
  for (std::size_t i = 0; i < code.cells.size(); ++i) {
    told.slots.emplace_back(code.cells[i].view());
    // A parameter that inner functions use lives in its cell.
    if (code.cell_parameters[i] >= 0) told.slots[static_cast<std::size_t>(code.cell_parameters[i])].clear();
  }
  for (const object::Name name : code.free) told.slots.emplace_back(name.view());
  for (const python::Span& span : code.spans) told.positions.push_back({span.begin, span.end});
  const trace::CodeId id = trace_.add_code(std::move(told));
  KnownCode known{object::Ref<Code>(const_cast<Code*>(&code)), id, StoredSlots(code), code.has_cells};
  return *(recent = &codes_.emplace(&code, std::move(known)).first->second);
}

Recorder::Effect Recorder::effect_of(const object::NativeFunction& function) {
  const std::uint64_t id = machine_.interpreter().id_of(function);
  KnownEffect& recent = recent_effects_[id % kRecent];
  if (recent.function != id) {
    const std::string_view name = function.qualified_name();
    recent = {id, changes_nothing(name)                 ? Effect::None
                  : name == "list.append"               ? Effect::Appends
                  : name == "list.pop"                  ? Effect::Pops
                  : name == "list.insert"               ? Effect::Inserts
                  : changes_parameters(function.name()) ? Effect::Parameters
                                                        : Effect::Any};
  }
  return recent.effect;
}

std::uint32_t Recorder::scope_of(object::Dict& names) {
  const std::uint64_t id = machine_.interpreter().id_of(names);
  if (id == recent_scope_id_) return recent_scope_;
  const auto [scope, is_new] = scopes_.emplace(id, 0);
  if (is_new) {
    highest_scope_id_ = std::max(highest_scope_id_, id);
    scope->second = trace_.add_scope();
    look_at_names(names, scope->second);
  }
  recent_scope_id_ = id;
  recent_scope_ = scope->second;
  return recent_scope_;
}

const std::uint32_t* Recorder::scope_if_known(const object::Dict& dict) const {
  const std::uint64_t id = machine_.interpreter().id_of(dict);
  if (id > highest_scope_id_) return nullptr;
  const auto found = scopes_.find(id);
  return found == scopes_.end() ? nullptr : &found->second;
}

void Recorder::look_at_names(object::Dict& names, std::uint32_t scope) {
  std::size_t at = 0;
  while (const object::Dict::Entry* entry = names.next(at)) {
    const auto* const key = entry->key.as<object::Str>();
    if (key != nullptr && !key->view().starts_with("__")) {
      trace_.write_name(scope, trace_.add_text(key->view()), objects_.shown(entry->value));
    }
  }
  // Names that are no more there.
  const trace::Scope& written = trace_.scope(scope);
  for (std::size_t i = 0; i < written.entries.size(); ++i) {
    const trace::TextId name = written.entries[i].name;
    const object::Name known = machine_.interpreter().find_name(trace_.text(name));
    if (!known || !names.contains(known)) trace_.write_name(scope, name, {});
  }
}

void Recorder::set_caller(trace::Frame& told) const {
  told.entered = trace_.next();
  if (stack_.empty()) return;
  const Active& caller = stack_.back();
  told.parent = caller.id;
  // A call may stand in the middle of a statement.
  told.call_instruction = caller.frame == nullptr ? caller.instruction : caller.frame->instruction();
}

Recorder::Active& Recorder::add(const Frame& frame) {
  const Code& code = *frame.code;
  const KnownCode& known = code_of(code);
  trace::Frame told;
  told.code = known.id;
  set_caller(told);
  std::size_t slots = 0;
  if (frame.names) {
    told.scope = scope_of(*frame.names);
  } else {
    slots = code.locals.size() + code.cells.size() + code.free.size();
  }
  const trace::FrameId id = trace_.add_frame(told, slots);
  stack_.push_back({.frame = &frame,
                    .id = id,
                    .first_seen = seen_.size(),
                    .first_slot = trace_.frame(id).first_slot,
                    .code = &known});
  stack_.back().depth = depth();
  seen_.resize(seen_.size() + slots, trace::Shown().bits());
  return stack_.back();
}

Recorder::Active& Recorder::active_below(const Frame& frame) {
  // Calls of modules that ended by something that told nothing go with what stood on them.
  for (std::size_t i = stack_.size(); i-- > 0;) {
    if (stack_[i].frame != &frame) continue;
    while (stack_.size() > i + 1) {
      seen_.resize(stack_.back().first_seen);
      stack_.pop_back();
    }
    return stack_.back();
  }
  return add(frame);
}

inline Recorder::Active& Recorder::active(const Frame& frame) {
  if (!stack_.empty() && stack_.back().frame == &frame) [[likely]]
    return stack_.back();
  return active_below(frame);
}

[[gnu::always_inline]] inline void Recorder::look_at_slot(const Active& at, std::uint32_t slot, const Value& value) {
  const Seen now = seen(value);
  Seen& before = seen_[at.first_seen + slot];
  if (now == before && (now != long_int() || is_same_long_int(at, slot, value))) return;
  before = now;
  // Numbers, which most locals are, are shown without asking what is known of them.
  const bool is_number = value.is_float() || (value.is_int() && now != long_int());
  trace_.write_slot(at.first_slot, slot, is_number ? trace::Shown::from_bits(now) : objects_.shown(value));
}

bool Recorder::is_same_long_int(const Active& at, std::uint32_t slot, const Value& value) {
  return trace_.histories().content(trace_.slot(trace_.frame(at.id), slot)) == objects_.shown(value);
}

inline void Recorder::look_at_slots(const Frame& frame, Active& at) {
  if (at.is_looked_at_whole) return look_at_all_slots(frame, at);
  for (const std::uint32_t i : at.code->stored.behind(at.instruction)) look_at_slot(at, i, frame.slots[i]);
  if (at.code->has_cells) look_at_cells(frame, at);
}

void Recorder::look_at_all_slots(const Frame& frame, Active& at) {
  if (frame.names) return;
  const auto locals = static_cast<std::uint32_t>(frame.code->locals.size());
  for (std::uint32_t i = 0; i < locals; ++i) look_at_slot(at, i, frame.slots[i]);
  at.is_looked_at_whole = false;
  if (at.code->has_cells) look_at_cells(frame, at);
}

void Recorder::look_at_cells(const Frame& frame, const Active& at) {
  const Code& code = *frame.code;
  const auto locals = static_cast<std::uint32_t>(code.locals.size());
  const auto slots = locals + static_cast<std::uint32_t>(code.cells.size() + code.free.size());
  for (std::uint32_t i = locals; i < slots; ++i) {
    // Cells are made after the frame is.
    if (!frame.slots[i].is_object()) continue;
    look_at_slot(at, i, static_cast<const python::Cell*>(frame.slots[i].object())->value);
  }
}

inline void Recorder::push(EventKind kind, const Active& at, std::uint16_t depth, std::uint32_t payload) {
  if (!trace_.push({kind, depth, at.id, at.instruction, payload})) [[unlikely]]
    stop();
}

void Recorder::push(EventKind kind, const Active& at, std::uint32_t payload) { push(kind, at, depth(), payload); }

void Recorder::on_enter(const Frame& frame) {
  const Active& at = add(frame);
  push(EventKind::Call, at);
}

std::uint64_t Recorder::generator_id(const Frame& frame) const {
  return frame.generator == nullptr ? 0 : machine_.interpreter().id_of(*frame.generator);
}

void Recorder::on_resume(const Frame& frame) {
  const auto found = sleeping_.find(&frame);
  if (found != sleeping_.end() && found->second.generator == generator_id(frame)) {
    found->second.active.first_seen = seen_.size();
    stack_.push_back(found->second.active);
    stack_.back().depth = depth();
    seen_.insert(seen_.end(), found->second.seen.begin(), found->second.seen.end());
    sleeping_.erase(found);
    push(EventKind::Resume, stack_.back());
    return;
  }
  if (found != sleeping_.end()) sleeping_.erase(found);
  on_enter(frame);
}

void Recorder::on_statement(const Frame& frame, std::uint32_t instruction) {
  Active& at = active(frame);
  look_at_slots(frame, at);
  at.instruction = instruction;
  changes_.clear();
  if ((trace_.next() & kStatementsBetweenLooks) == 0) [[unlikely]]
    objects_.look_at_parameters();
  push(EventKind::Statement, at, at.depth, kNone);
}

void Recorder::on_return(const Frame& frame, const Value& value) {
  Active& at = active(frame);
  look_at_slots(frame, at);
  const trace::Shown returned = objects_.shown(value);
  trace_.frame_to_change(at.id).returned = returned;
  push(EventKind::Return, at);
}

void Recorder::on_yield(const Frame& frame, const Value& value) {
  look_at_slots(frame, active(frame));
  const Active at = stack_.back();
  static_cast<void>(objects_.shown(value));
  push(EventKind::Yield, at);
  Sleeping& asleep = sleeping_[&frame];
  asleep.generator = generator_id(frame);
  asleep.active = at;
  asleep.seen.assign(seen_.begin() + static_cast<std::ptrdiff_t>(at.first_seen), seen_.end());
  seen_.resize(at.first_seen);
  if (!stack_.empty() && stack_.back().frame == &frame) stack_.pop_back();
}

void Recorder::on_raise(const Frame& frame, const object::PyError& error) {
  Active& at = active(frame);
  look_at_slots(frame, at);
  at.instruction = frame.instruction();
  at.is_looked_at_whole = true;
  const std::string text =
      error.message().empty() ? std::string(error.type()) : fmt::format("{}: {}", error.type(), error.message());
  push(EventKind::Raise, at, trace_.add_value_text(text));
}

void Recorder::on_leave(const Frame& frame) {
  if (!sleeping_.empty()) sleeping_.erase(&frame);
  for (std::size_t i = stack_.size(); i-- > 0;) {
    if (stack_[i].frame != &frame) continue;
    for (std::size_t j = i; j < stack_.size(); ++j) trace_.frame_to_change(stack_[j].id).left = trace_.next();
    seen_.resize(stack_[i].first_seen);
    stack_.resize(i);
    return;
  }
}

void Recorder::on_name(const Frame&, object::Dict& names, object::Name name) {
  const std::uint32_t scope = scope_of(names);
  if (name.view().starts_with("__")) return;
  const Value* const value = names.find_raw(name);
  trace_.write_name(scope, objects_.text(name), value == nullptr ? trace::Shown() : objects_.shown(*value));
}

trace::EventId Recorder::since_change(const Value& holder) const {
  if (!holder.is_object()) return trace_.next();
  const trace::ObjectId id = objects_.known(*holder.object());
  const auto found = std::find_if(changes_.begin(), changes_.end(), [id](const Change& c) { return c.object == id; });
  return found == changes_.end() ? trace_.next() : found->event;
}

void Recorder::on_write(const Value& holder) {
  objects_.look_again(holder, since(holder));
  // globals()['name'] = value.
  if (auto* const dict = holder.as<object::Dict>()) {
    if (const std::uint32_t* const scope = scope_if_known(*dict)) look_at_names(*dict, *scope);
    objects_.look_at_owner(*dict, trace_.next());
  }
}

void Recorder::on_attribute(const Value& holder, object::Name name, std::size_t slot) {
  objects_.look_at_attribute(holder, name, slot, since(holder));
}

void Recorder::on_item(const Value& holder, const Value& key) {
  auto* const dict = holder.as<object::Dict>();
  if (dict != nullptr && scope_if_known(*dict) != nullptr) return on_write(holder);
  objects_.look_at_item(holder, key, trace_.next());
  if (dict != nullptr) objects_.look_at_owner(*dict, trace_.next());
}

void Recorder::on_native_call(const Value& callee, std::span<const Value> positional,
                              std::span<const object::Keyword> keywords) {
  bool is_about_parameters = nn::as_module(callee) != nullptr;
  if (const auto* const function = callee.as<object::NativeFunction>()) {
    const Effect effect = effect_of(*function);
    if (effect == Effect::None) return;
    if (!positional.empty() && keywords.empty()) {
      const std::span<const Value> arguments = positional.subspan(1);
      if (effect == Effect::Appends) return objects_.look_at_end(positional[0], trace_.next());
      if (effect == Effect::Pops && objects_.look_at_removed(positional[0], arguments, trace_.next())) return;
      if (effect == Effect::Inserts && objects_.look_at_inserted(positional[0], arguments, trace_.next())) return;
    }
    is_about_parameters = is_about_parameters || effect == Effect::Parameters;
  } else if (const auto* const method = callee.as<object::BoundMethod>()) {
    on_write(method->self());
  }
  for (const Value& value : positional) {
    if (!value.is_object()) continue;
    is_about_parameters = is_about_parameters || value.object()->kind() == object::ObjectKind::Module;
    on_write(value);
  }
  for (const object::Keyword& keyword : keywords) on_write(keyword.value);
  if (is_about_parameters) objects_.look_at_parameters();
}

void Recorder::push_object_event(EventKind kind, const trace::ObjectEvent& event) {
  if (stack_.empty()) return;
  const bool is_first = std::none_of(changes_.begin(), changes_.end(),
                                     [&](const Change& change) { return change.object == event.object; });
  if (is_first && event.object != kNone) changes_.push_back({event.object, trace_.next()});
  push(kind, stack_.back(), trace_.add_object_event(event));
}

/// From one kind of event to its row.
struct Recorder::EventWriter {
  Recorder& to;

  trace::ObjectId object(const events::Subject& subject) const { return to.objects_.of_event(subject); }
  trace::TextId text(std::string_view text) const { return to.trace_.add_text(text); }

  void operator()(const events::AttributeSet& e) const {
    to.push_object_event(EventKind::AttributeSet, {object(e.subject), kNone, text(e.name), text(e.value_class),
                                                   static_cast<std::int64_t>(e.place)});
  }
  void operator()(const events::AttributeDeleted& e) const {
    to.push_object_event(EventKind::AttributeDeleted,
                         {object(e.subject), kNone, text(e.name), kNone, static_cast<std::int64_t>(e.place)});
  }
  void operator()(const events::RegistryChanged& e) const {
    to.push_object_event(EventKind::RegistryChanged, {object(e.subject), text(e.registry), text(e.name), kNone,
                                                      static_cast<std::int64_t>(e.change)});
  }
  void operator()(const events::HookRegistered& e) const {
    to.push_object_event(EventKind::HookRegistered, {object(e.subject), text(e.table), kNone, kNone, e.hook_id});
  }
  void operator()(const events::HookRemoved& e) const {
    to.push_object_event(EventKind::HookRemoved, {kNone, text(e.table), kNone, kNone, e.hook_id});
  }
  void operator()(const events::HookFired& e) const {
    to.push_object_event(EventKind::HookFired, {object(e.subject), text(e.table), kNone, kNone, e.hook_id});
  }
  void operator()(const events::CallEntered& e) const {
    if (to.stack_.empty()) return;
    trace::Frame frame;
    frame.kind = trace::FrameKind::ModuleCall;
    to.set_caller(frame);
    frame.object = object(e.subject);
    const trace::FrameId id = to.trace_.add_frame(frame, 0);
    to.stack_.push_back({.id = id, .first_seen = to.seen_.size()});
    to.stack_.back().depth = to.depth();
    to.push(EventKind::ModuleCall, to.stack_.back(),
            to.trace_.add_object_event({frame.object, kNone, kNone, kNone, 0}));
  }
  void operator()(const events::CallLeft& e) const {
    // Calls that are not on top ended by an exception that told nothing of them.
    const trace::ObjectId which = object(e.subject);
    for (std::size_t i = to.stack_.size(); i-- > 0;) {
      if (to.stack_[i].frame != nullptr || to.trace_.frame(to.stack_[i].id).object != which) continue;
      to.push(EventKind::ModuleReturn, to.stack_[i],
              to.trace_.add_object_event({which, kNone, kNone, kNone, e.raised ? 1 : 0}));
      for (std::size_t j = i; j < to.stack_.size(); ++j) {
        to.trace_.frame_to_change(to.stack_[j].id).left = to.trace_.next();
      }
      to.seen_.resize(to.stack_[i].first_seen);
      to.stack_.resize(i);
      return;
    }
  }
};

void Recorder::on_event(const events::Event& event) { std::visit(EventWriter{*this}, event); }

}  // namespace nns::recorder
