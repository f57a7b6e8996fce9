// A program, or the choices of a generator that writes one: it ends, with a result or with an exception of Python.
#include <string>
#include <string_view>

#include "core/object/operations.h"
#include "core/python/builtins/builtins.h"
#include "core/python/eval/run.h"

namespace {

// Writes programs by the grammar, one byte a choice; without bytes the shortest choices.
class Writer {
 public:
  Writer(const std::uint8_t* data, std::size_t size) : data_(data), end_(data + size) {}

  // Inside of a function, so that it may yield and return; after an exception the next statement is tried.
  std::string program() {
    std::string text =
        "class A:\n pass\ndef f(x, *y): return x\ndef main(a, b, c, g):\n self = A()\n B = type('B', (A, list), {})\n";
    while (data_ != end_ && text.size() < kLongest) {
      text += " try:\n" + statement(2) + " except Exception as e: pass\n";
    }
    return text + " return a\nfor _ in main([], 1, {}, iter('text')): pass\n";
  }

 private:
  static constexpr std::size_t kLongest = 4000;
  static constexpr int kDeepest = 6;

  unsigned choice(unsigned count) { return data_ == end_ ? 0 : *data_++ % count; }
  std::string_view name() {
    constexpr std::string_view kNames[] = {"a", "b", "c", "f", "g", "A", "B", "self"};
    return kNames[choice(8)];
  }
  std::string block(int depth) {
    std::string text = ":\n";
    for (unsigned left = choice(3) + 1; left > 0; --left) text += statement(depth + 1);
    return text;
  }

  std::string expression(int depth) {
    if (depth > kDeepest) return std::string(name());
    const auto part = [&] { return expression(depth + 1); };
    switch (choice(24)) {
      case 1:
        return std::to_string(choice(256));
      case 2:
        return std::to_string(choice(256)) + ".5";
      case 3:
        return "'" + std::string(choice(4), 'x') + "'";
      case 4:
        return "[" + part() + ", " + part() + "]";
      case 5:
        return "(" + part() + ", " + part() + ")";
      case 6:
        return "{" + part() + ": " + part() + "}";
      case 7: {
        constexpr std::string_view kOperators[] = {"+", "-", "*", "//", "%", "/", "**", "&", "|", "^", "<<", ">>", "@"};
        const std::string left = part();
        return "(" + left + " " + std::string(kOperators[choice(13)]) + " " + part() + ")";
      }
      case 8: {
        constexpr std::string_view kOperators[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};
        const std::string left = part();
        return "(" + left + " " + std::string(kOperators[choice(10)]) + " " + part() + ")";
      }
      case 9:
        return "(" + part() + " if " + part() + " else " + part() + ")";
      case 10:
        return "(" + part() + " and " + part() + ")";
      case 11:
        return "(not " + part() + ")";
      case 12:
        return "(lambda a, *b: " + part() + ")";
      case 13:
        return part() + "[" + part() + "]";
      case 14:
        return part() + "[" + part() + ":" + part() + ":" + part() + "]";
      case 15:
        return part() + "." + std::string(name());
      case 16:
        return std::string(name()) + "(" + part() + ")";
      case 17:
        return part() + "(*" + part() + ", **" + part() + ")";
      case 18:
        return "[" + part() + " for " + std::string(name()) + " in " + part() + "]";
      case 19:
        return "f'{" + std::string(name()) + "!r:>5}'";
      case 20: {
        constexpr std::string_view kCalls[] = {"len",  "repr", "sorted", "list", "tuple", "set",  "dict", "str",
                                               "iter", "next", "range",  "zip",  "map",   "hash", "type", "super"};
        return std::string(kCalls[choice(16)]) + "(" + part() + ")";
      }
      case 21: {
        constexpr std::string_view kMethods[] = {"append", "pop",  "insert", "sort",   "join",    "split",
                                                 "format", "keys", "items",  "update", "__add__", "__class__"};
        return part() + "." + std::string(kMethods[choice(12)]) + "(" + part() + ")";
      }
      case 22:
        return "(-" + part() + ")";
      case 23:
        return "(yield " + part() + ")";
      default:
        return std::string(name());
    }
  }

  std::string statement(int depth) {
    const std::string start(static_cast<std::size_t>(depth), ' ');
    const auto value = [&] { return expression(depth + 1); };
    if (depth > kDeepest) return start + "pass\n";
    switch (choice(18)) {
      case 1:
        return start + std::string(name()) + " = " + value() + "\n";
      case 2:
        return start + std::string(name()) + " += " + value() + "\n";
      case 3:
        return start + "if " + value() + block(depth);
      case 4:
        return start + "for " + std::string(name()) + " in " + value() + block(depth);
      case 5:
        return start + "while " + value() + block(depth);
      case 6:
        return start + "def " + std::string(name()) + "(a, b=1, *c, **self)" + block(depth);
      case 7:
        return start + "class " + std::string(name()) + "(" + value() + ")" + block(depth);
      case 8:
        return start + "class " + std::string(name()) + block(depth);
      case 9:
        return start + "try" + block(depth) + start + "except Exception as c" + block(depth) + start + "finally" +
               block(depth);
      case 10:
        return start + "return " + value() + "\n";
      case 11:
        return start + "raise " + value() + "\n";
      case 12:
        return start + "del " + std::string(name()) + "\n";
      case 13:
        return start + "a[" + value() + "] = " + value() + "\n";
      case 14:
        return start + "a." + std::string(name()) + " = " + value() + "\n";
      case 15:
        return start + "a, *b = " + value() + "\n";
      case 16:
        return start + "with " + value() + " as c" + block(depth);
      case 17:
        return start + "match " + value() + ":\n" + start + " case [a, *b]" + block(depth + 1) + start + " case _" +
               block(depth + 1);
      default:
        return start + value() + "\n";
    }
  }

  const std::uint8_t* data_;
  const std::uint8_t* end_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The first byte tells which of the two it is.
  if (size == 0) return 0;
  const std::string text = (data[0] & 1U) == 0 ? std::string(reinterpret_cast<const char*>(data + 1), size - 1)
                                               : Writer(data + 1, size - 1).program();
  nns::object::Interpreter interpreter;
  nns::python::Machine& machine = nns::python::Machine::of(interpreter);
  nns::python::add_builtins(machine);
  machine.streams.out = machine.streams.error = [](std::string_view) {};
  machine.limits = {.steps = 500, .depth = 60};
  const auto result = nns::python::run_program(machine, "fuzzed.py", text);
  if (!result.ok()) nns::python::traceback_text(machine, result.error());
  return 0;
}
