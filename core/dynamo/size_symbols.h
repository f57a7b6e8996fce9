#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/dynamo/expression.h"
#include "core/dynamo/graph.h"

namespace nns::dynamo {

/// A number that is no constant in what is compiled: a size or stride of an argument, a number that was another one at
/// an earlier call, or one that only the values of a tensor tell.
struct Symbol {
  enum class Kind : std::uint8_t { Size, Stride, Number, OfValues };
  Kind kind = Kind::Number;
  /// "s77". Behaviour: torch/fx/experimental/symbolic_shapes.py, ShapeEnv._generate_unique_id.
  std::string name = {};
  /// Null: OfValues.
  const Source* source = nullptr;
  /// What it is in the call that is compiled.
  Value hint = {};
  Node* node = nullptr;
  std::shared_ptr<const Expression> expression = {};
  /// Of a size or stride: what compiled code takes. 0 and 1 are always constants.
  std::int64_t lower = 2, upper = kUnbounded;
  /// torch._dynamo.mark_dynamic asked for it: it must not become a constant.
  bool is_demanded = false;
  /// Equal sizes are one symbol.
  bool is_duck = false;
  static constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

  bool is_dimension() const { return kind == Kind::Size || kind == Kind::Stride; }
};

/// A sum of products of symbols, rounded down to a multiple where a size was divided.
struct Polynomial {
  struct Term {
    std::int64_t factor = 0;
    std::vector<std::size_t> symbols = {};
  };
  std::vector<Term> terms = {};
  std::int64_t divisor = 1;
};

/// The symbols of one attempt, and the worlds in which shapes are tried.
///
/// Nothing here computes with formulas of ops. Each op runs on examples in several worlds: in world 0 all symbols are
/// what they are in this call, in the others some have other values. What comes out differently depends on them, and
/// how is found by fitting a polynomial; what fails, or comes out as something else, holds a symbol to its value.
/// Differs: ShapeEnv derives relations by sympy. Those that no polynomial tells (a size that must be a multiple of
/// another) make a constant of the size here.
class Symbols {
 public:
  /// World 1 adds one to all symbols, world 2 much, world 3 takes one away; each symbol has four worlds of its own.
  static constexpr std::size_t kAbove = 1, kFar = 2, kBelow = 3, kJoint = 3, kOwn = 4;

  std::size_t add(Symbol symbol);
  std::vector<Symbol>& all() { return all_; }
  const std::vector<Symbol>& all() const { return all_; }
  std::size_t world_count() const { return all_.empty() ? 1 : own_world(all_.size()); }
  /// The symbol whose world it is; none: world 0, or one of all.
  static std::optional<std::size_t> owner(std::size_t world);
  static std::size_t own_world(std::size_t symbol) { return 1 + kJoint + kOwn * symbol; }
  Value value(std::size_t symbol, std::size_t world) const;
  /// Whether a symbol may be what it is in that world: compiled code takes it, and it is no 0 or 1 where it was none.
  bool is_possible(std::size_t symbol, std::size_t world) const;

  /// How a size follows from the symbols that has `sizes[w]` in world w (none: not known there). None: no polynomial
  /// gives them.
  std::optional<Polynomial> fit(std::span<const std::optional<std::int64_t>> sizes) const;
  /// The symbols on which such a size depends.
  std::vector<std::size_t> dependencies(std::span<const std::optional<std::int64_t>> sizes) const;

 private:
  std::int64_t number(std::size_t symbol, std::size_t world) const;
  /// What one step of a symbol adds; none: it is not known, or differs from step to step.
  std::optional<std::int64_t> slope(std::span<const std::optional<std::int64_t>> sizes, std::size_t symbol) const;
  std::optional<std::int64_t> evaluate(const Polynomial& polynomial, std::size_t world) const;
  bool holds(const Polynomial& polynomial, std::span<const std::optional<std::int64_t>> sizes) const;
  std::vector<Symbol> all_;
};

}  // namespace nns::dynamo
