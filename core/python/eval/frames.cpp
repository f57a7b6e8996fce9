// Frames: how they begin, and where their memory is.
#include <fmt/format.h>

#include <algorithm>

#include "core/object/operations.h"
#include "core/python/eval/coroutines.h"
#include "core/python/eval/machine.h"
#include "core/python/eval/quick_frames.h"
#include "core/python/eval/quick_operators.h"

namespace nns::python {
namespace {

// Each nested run lies on the stack of C++.
constexpr int kMostNestedRuns = 250;

}  // namespace

void ValueStack::go_to(std::size_t chunk) {
  if (current_ < chunks_.size()) chunks_[current_].used = static_cast<std::size_t>(next_ - begin_);
  current_ = chunk;
  begin_ = chunks_[chunk].values.get();
  next_ = begin_ + chunks_[chunk].used;
  end_ = begin_ + chunks_[chunk].size;
}

Value* ValueStack::allocate_elsewhere(std::size_t count) {
  // What is too large for a chunk that is free takes its place.
  std::size_t chunk = chunks_.empty() || next_ == begin_ ? current_ : current_ + 1;
  if (chunk < chunks_.size() && chunks_[chunk].size < count) chunks_.resize(chunk);
  if (chunk == chunks_.size()) {
    const std::size_t size = std::max(kChunk, count);
    chunks_.push_back({std::make_unique<Value[]>(size), size, 0});
  }
  if (chunk == current_) {
    begin_ = nullptr;
    next_ = nullptr;
  }
  go_to(chunk);
  return std::exchange(next_, next_ + count);
}

void Machine::drop_frame() { leave(); }

Frame* Machine::new_frame() { return std::make_unique<Frame>().release(); }

Machine::~Machine() {
  interpreter_.on_warning = nullptr;
  drop_threads();
  while (free_frames_ != nullptr) delete std::exchange(free_frames_, free_frames_->back);
}

void Machine::make_cells(Frame& frame) {
  const Code& code = *frame.code;
  Value* const cells = frame.slots + code.locals.size();
  for (std::size_t i = 0; i < code.cells.size(); ++i) {
    Value start = Value::absent();
    if (const std::int32_t parameter = code.cell_parameters[i]; parameter >= 0) {
      start = frame.slots[static_cast<std::size_t>(parameter)];
    }
    cells[i] = object::make<Cell>(*classes.cell, std::move(start));
  }
  for (std::size_t i = 0; i < code.free.size(); ++i) cells[code.cells.size() + i] = frame.function->closure[i];
}

Frame* Machine::enter(const Ref<Code>& code, Ref<Dict> globals, Ref<Dict> name_dict) {
  Frame* frame = push_frame(*code, 0);
  frame->own_code = code;
  frame->own_globals = std::move(globals);
  frame->globals = frame->own_globals.get();
  frame->names = std::move(name_dict);
  if (observer_ != nullptr) [[unlikely]]
    observer_->on_enter(*frame);
  return frame;
}

void Machine::leave_generator() {
  Frame* const frame = frame_;
  frame_ = frame->back;
  --depth_;
  Generator& generator = *frame->generator;
  handled_ = std::exchange(frame->outer_handled, Value());
  generator.is_running_ = false;
  // The frame goes with its values; what they free may ask the generator, which has ended then.
  const std::unique_ptr<Frame> ended = std::move(generator.frame_);
}

PyResult<Value> Machine::enter_function(Function& function, std::span<const Value> positional,
                                        std::span<const object::Keyword> keywords) {
  if (depth_ >= limits.depth) return interpreter_.recursion_error();
  const Code& code = function.code();
  // Exactly the positional parameters: the common case.
  const bool as_given =
      keywords.empty() && positional.size() == code.positional_count && code.parameter_count() == code.positional_count;
  if (!code.is_generator) {
    Frame* frame = enter(Ref<Function>(&function), 0);
    if (as_given) {
      std::copy(positional.begin(), positional.end(), frame->slots);
    } else if (PyResult<void> bound = function.bind_arguments(positional, keywords, frame->slots); !bound.ok()) {
      leave();
      return std::move(bound).error();
    }
    make_cells(*frame);
    if (frame_compiler != nullptr) [[unlikely]] {
      if (std::optional<PyResult<Value>> done = frame_compiler->offer(*frame)) return *std::move(done);
    }
    return Value::absent();
  }
  auto frame = std::make_unique<Frame>();
  frame->code = function.code_reference().get();
  frame->function = Ref<Function>(&function);
  frame->globals = &function.globals();
  frame->own_slots = std::make_unique<Value[]>(code.slot_count());
  frame->slots = frame->own_slots.get();
  for (std::size_t i = 0; i < code.locals.size(); ++i) frame->slots[i] = Value::absent();
  if (as_given)
    std::copy(positional.begin(), positional.end(), frame->slots);
  else
    NNS_TRY(function.bind_arguments(positional, keywords, frame->slots));
  make_cells(*frame);
  frame->top = frame->stack();
  frame->next = code.instructions.data();
  if (!code.is_async) return Value(object::make<Generator>(*classes.generator, std::move(frame)));
  const bool yields = code.has_yield;
  auto body = object::make<Generator>(*classes.coroutine_body, std::move(frame));
  if (yields) return Value(object::make<AsyncGenerator>(*classes.async_generator, std::move(body)));
  return Value(object::make<Coroutine>(*classes.coroutine, std::move(body)));
}

std::string Machine::place() const {
  if (frame_ == nullptr) return "sys:1";
  const Code& code = *frame_->code;
  return fmt::format("{}:{}", code.tree->source().name(), code.line_of(frame_->instruction()));
}

Value Machine::frame_view(std::int64_t depth) {
  std::vector<const Frame*> all;
  for (const Frame* at = frame_; at != nullptr; at = at->back) all.push_back(at);
  if (depth < 0 || depth >= static_cast<std::int64_t>(all.size())) return Value::absent();
  Value view;
  for (std::size_t i = all.size(); i-- > static_cast<std::size_t>(depth);) {
    view = object::make<FrameView>(*classes.frame, Ref<Code>(all[i]->code), all[i]->instruction(),
                                   Ref<Dict>(all[i]->globals), view);
  }
  return view;
}

PyResult<Value> Machine::run_frame(const PyError* thrown) {
  if (nested_runs_ >= kMostNestedRuns) {
    leave();
    return interpreter_.recursion_error();
  }
  frame_->exit = FrameExit::Leave;
  ++nested_runs_;
  PyResult<Value> result = run(thrown);
  --nested_runs_;
  return result;
}

PyResult<Value> Machine::call(Function& function, const object::Arguments& arguments) {
  const Ref<Function> alive(&function);
  NNS_TRY_ASSIGN(Value generator, enter_function(function, arguments.positional, arguments.keywords));
  if (!generator.is_absent()) return generator;
  return run_frame();
}

PyResult<Value> Machine::run_module(const Ref<Code>& code, Ref<Dict> globals, Ref<Dict> name_dict) {
  Frame* frame = enter(code, std::move(globals), std::move(name_dict));
  make_cells(*frame);
  return run_frame();
}

void Machine::begin_module(const Ref<Code>& code, Ref<Dict> globals, Ref<Dict> name_dict) {
  begun_ = enter(code, std::move(globals), std::move(name_dict));
  make_cells(*begun_);
  begun_->exit = FrameExit::Leave;
}

std::optional<PyResult<Value>> Machine::go_on(const std::function<bool()>& is_slice_over, bool at_every_statement) {
  is_slice_over_ = &is_slice_over;
  look_around_ = at_every_statement ? 0 : kOften;
  look_at_statements();
  ++nested_runs_;
  PyResult<Value> result = run(begun_, nullptr);
  --nested_runs_;
  look_around_ = kRarely;
  look_at_statements();
  is_slice_over_ = nullptr;
  if (result.ok() && result.value().is_absent()) return std::nullopt;
  begun_ = nullptr;
  return result;
}

void Machine::abandon() {
  if (begun_ == nullptr) return;
  Frame* const below = begun_->back;
  while (frame_ != below) leave();
  handled_ = Value();
  begun_ = nullptr;
}

PyResult<Value> Machine::run_class_body(Function& function, Ref<Dict> name_dict) {
  if (depth_ >= limits.depth) return interpreter_.recursion_error();
  const Ref<Function> alive(&function);
  Frame* frame = enter(alive, 0, std::move(name_dict));
  make_cells(*frame);
  return run_frame();
}

void Machine::wake(Generator& generator, FrameExit exit) {
  Frame& frame = *generator.frame_;
  generator.is_started_ = generator.is_running_ = true;
  frame.exit = exit;
  frame.back = frame_;
  frame.outer_handled = handled_;
  if (!generator.handled_.is_none()) handled_ = std::exchange(generator.handled_, Value());
  ++depth_;
  frame_ = &frame;
  if (observer_ != nullptr) [[unlikely]]
    observer_->on_resume(frame);
}

void Machine::suspend() {
  Frame& frame = *frame_;
  Generator& generator = *frame.generator;
  generator.handled_ = handled_.is(frame.outer_handled) ? Value() : handled_;
  handled_ = std::exchange(frame.outer_handled, Value());
  generator.is_running_ = false;
  --depth_;
  frame_ = std::exchange(frame.back, nullptr);
}

PyResult<Value> Machine::resume(Generator& generator, const Value& sent, const PyError* raised) {
  const Ref<Generator> alive(&generator);
  if (generator.is_running_) {
    return object::value_error(interpreter_, "{} already executing", generator.kind_name());
  }
  if (generator.frame_ == nullptr) {
    if (generator.kind() == Generator::Kind::Coroutine) {
      return object::runtime_error(interpreter_, "cannot reuse already awaited coroutine");
    }
    if (raised != nullptr) return *raised;
    generator.result_ = Value();
    return Value::absent();
  }
  if (!generator.is_started_ && raised == nullptr && !sent.is_none()) {
    return object::type_error(interpreter_, "can't send non-None value to a just-started {}", generator.kind_name());
  }
  if (depth_ >= limits.depth || nested_runs_ >= kMostNestedRuns) return interpreter_.recursion_error();
  Frame& frame = *generator.frame_;
  if (raised == nullptr && generator.is_started_) *frame.top++ = sent;
  // An exception that comes before the first instruction is one of the first line.
  if (raised != nullptr && !generator.is_started_) ++frame.next;
  wake(generator, FrameExit::Leave);
  ++nested_runs_;
  PyResult<Value> result = run(raised);
  --nested_runs_;
  // Ended by return: there is no frame any more.
  if (result.ok() && generator.frame_ == nullptr) return Value::absent();
  return result;
}

}  // namespace nns::python
