#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/object/interpreter.h"

namespace nns::python {

class Frame;

/// Is told how a program runs: frame by frame, statement by statement, and which objects it may have changed.
/// Everything runs inside of the operation that it reports: it must be quick, must not run code of the program and
/// must not keep an object alive. Frames that ran already when the observation began are met in the middle.
class ExecutionObserver {
 public:
  virtual ~ExecutionObserver() = default;

  /// A frame was put on top. Its parameters are bound at its first statement, not yet now.
  virtual void on_enter(const Frame& frame) = 0;
  /// A generator's frame was put back on top, where it stood.
  virtual void on_resume(const Frame& frame) = 0;
  /// The frame on top is about to run the statement that begins with that instruction, or the next turn of the loop
  /// whose head it is.
  virtual void on_statement(const Frame& frame, std::uint32_t instruction) = 0;
  /// The frame on top is about to leave with that value.
  virtual void on_return(const Frame& frame, const object::Value& value) = 0;
  /// The same for a generator that can be resumed.
  virtual void on_yield(const Frame& frame, const object::Value& value) = 0;
  /// An exception passes the frame on top, at the instruction that it runs.
  virtual void on_raise(const Frame& frame, const object::PyError& error) = 0;
  /// The frame on top goes; after on_return, or because of an exception.
  virtual void on_leave(const Frame& frame) = 0;
  /// The frame on top bound or unbound that name in `names`, a module's or class's.
  virtual void on_name(const Frame& frame, object::Dict& names, object::Name name) = 0;
  /// An instruction wrote that attribute of an object. `name` is one of the code that runs; `slot`: where in the
  /// instance's own dict it probably lies.
  virtual void on_attribute(const object::Value& holder, object::Name name, std::size_t slot) = 0;
  /// An instruction wrote that item of an object.
  virtual void on_item(const object::Value& holder, const object::Value& key) = 0;
  /// An instruction wrote into that object.
  virtual void on_write(const object::Value& holder) = 0;
  /// Something that is no function of the program was called and has returned.
  virtual void on_native_call(const object::Value& callee, std::span<const object::Value> positional,
                              std::span<const object::Keyword> keywords) = 0;
};

}  // namespace nns::python
