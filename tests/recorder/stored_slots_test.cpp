#include "core/recorder/stored_slots.h"

#include <gtest/gtest.h>

#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"
#include "core/recorder/recorder.h"

namespace nns::tests {
namespace {

using object::Value;
using python::Frame;

/// Passes everything on to a recorder, and looks at each statement whether the recording has every local of the frame
/// as it is: those that the recorder did not look at, too.
class Checked final : public python::ExecutionObserver {
 public:
  explicit Checked(const std::string& text) : recorder_(machine(), trace_) {
    python::add_python(machine());
    machine().streams.out = [](std::string_view) {};
    machine().observe(this);
    const auto loaded = python::load_module(machine(), {"checked", false, "checked.py", text});
    machine().observe(nullptr);
    EXPECT_TRUE(loaded.ok()) << loaded.error().message();
  }

  int compared() const { return compared_; }

  void on_statement(const Frame& frame, std::uint32_t instruction) override {
    recorder_.on_statement(frame, instruction);
    compare(frame);
  }
  void on_return(const Frame& frame, const Value& value) override {
    recorder_.on_return(frame, value);
    compare(frame);
  }
  void on_yield(const Frame& frame, const Value& value) override { recorder_.on_yield(frame, value); }
  void on_enter(const Frame& frame) override { recorder_.on_enter(frame); }
  void on_resume(const Frame& frame) override { recorder_.on_resume(frame); }
  void on_raise(const Frame& frame, const object::PyError& error) override { recorder_.on_raise(frame, error); }
  void on_leave(const Frame& frame) override { recorder_.on_leave(frame); }
  void on_name(const Frame& frame, object::Dict& names, object::Name name) override {
    recorder_.on_name(frame, names, name);
  }
  void on_attribute(const Value& holder, object::Name name, std::size_t slot) override {
    recorder_.on_attribute(holder, name, slot);
  }
  void on_item(const Value& holder, const Value& key) override { recorder_.on_item(holder, key); }
  void on_write(const Value& holder) override { recorder_.on_write(holder); }
  void on_native_call(const Value& callee, std::span<const Value> positional,
                      std::span<const object::Keyword> keywords) override {
    recorder_.on_native_call(callee, positional, keywords);
  }

 private:
  python::Machine& machine() { return python::Machine::of(interpreter_); }

  void compare(const Frame& frame) {
    if (frame.names) return;
    const trace::Event& event = trace_.event(trace_.size() - 1);
    const trace::Frame& told = trace_.frame(event.frame);
    for (std::size_t i = 0; i < frame.code->locals.size(); ++i) {
      const trace::Shown shown = trace_.histories().content(trace_.slot(told, static_cast<std::uint32_t>(i)));
      const std::string where = frame.code->name + " line " + std::to_string(trace_.line_of(event)) + ", " +
                                std::string(frame.code->locals[i].view());
      const Value& value = frame.slots[i];
      EXPECT_EQ(shown.is_absent(), value.is_absent()) << where;
      if (!value.is_int()) continue;
      ++compared_;
      EXPECT_TRUE(shown == trace::Shown::integer(value.as_int())) << where;
    }
  }

  object::Interpreter interpreter_;
  trace::Trace trace_;
  recorder::Recorder recorder_;
  int compared_ = 0;
};

TEST(StoredSlots, NoLocalIsMissedWhateverThePath) {
  const Checked checked(R"(
def loops(n):
    total = 0
    for i in range(n):
        for j in range(i):
            if j == 2:
                total += 1
                continue
            if j == 4:
                break
            total += j
        else:
            total -= 1
        k = i
    else:
        last = total
    while (m := total % 5) and n:
        n -= 1
        total += m
    return total

def failures(n):
    for i in range(n):
        try:
            a = i
            if i % 3 == 0:
                raise ValueError(i)
            b = 10 // (i - 4)
        except ValueError as error:
            c = error.args[0]
        except ZeroDivisionError:
            d = i
            e = f = d + 1
        else:
            g = b
        finally:
            h = i
    try:
        try:
            del a
            a
        finally:
            p = 5
    except UnboundLocalError:
        q = 6
    return h

class Quiet:
    def __enter__(self):
        return 5
    def __exit__(self, *parts):
        return True

def contexts():
    with Quiet() as a, Quiet() as b:
        c = a + b
        raise KeyError(c)
    d = 1
    return d

def patterns(value):
    match value:
        case [a, b, *rest]:
            x = a + b
        case {'k': y, **others}:
            z = y
        case int(w) if (v := w + 1) > 3:
            u = v
        case _:
            t = 0
    (p, (q, r)), *s = (1, (2, 3)), 4, 5
    return p if (o := q) else r

def numbers(n):
    for i in range(n):
        got = yield i
        kept = i if got is None else got
    end = n

def sent():
    source = numbers(4)
    first = next(source)
    second = source.send(10)
    third = next(source)
    rest = [a for a in source]
    total = sum(b * c for b in range(3) for c in range(2))
    return (lambda one, two=total: one + two)(first)

loops(9)
failures(9)
contexts()
for value in ([1, 2, 3], {'k': 1}, 7, 1, 'x'):
    patterns(value)
sent()
)");
  EXPECT_GT(checked.compared(), 500);
}

}  // namespace
}  // namespace nns::tests
