#include "core/dynamo/size_symbols.h"

#include <algorithm>
#include <array>
#include <limits>

namespace nns::dynamo {

namespace {

// The near worlds are near, for sizes are often bounded (the length of a text by that of a mask), and on both sides;
// one that is far shows that there is a bound.
constexpr std::int64_t kFarStep = 10007;
constexpr std::array<std::int64_t, Symbols::kOwn> kOwnSteps = {1, 2, -1, -2};
constexpr std::int64_t kLargestDivisor = 128;

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

}  // namespace

std::size_t Symbols::add(Symbol symbol) {
  all_.push_back(std::move(symbol));
  return all_.size() - 1;
}

std::optional<std::size_t> Symbols::owner(std::size_t world) {
  if (world < own_world(0)) return std::nullopt;
  return (world - own_world(0)) / kOwn;
}

std::int64_t Symbols::number(std::size_t symbol, std::size_t world) const {
  const std::int64_t hint = all_[symbol].hint.is_int() ? all_[symbol].hint.as_int() : 0;
  if (world == kAbove) return hint + 1;
  if (world == kFar) return hint + kFarStep + 17 * static_cast<std::int64_t>(symbol);
  if (world == kBelow) return hint - 1;
  return owner(world) == symbol ? hint + kOwnSteps[(world - own_world(0)) % kOwn] : hint;
}

bool Symbols::is_possible(std::size_t symbol, std::size_t world) const {
  const Symbol& one = all_[symbol];
  if (!one.hint.is_int()) return true;
  const std::int64_t value = number(symbol, world);
  if (value < one.hint.as_int() && value < 2) return false;
  return value <= one.upper && (!one.is_dimension() || value >= one.lower);
}

Value Symbols::value(std::size_t symbol, std::size_t world) const {
  const Value& hint = all_[symbol].hint;
  const std::int64_t moved = number(symbol, world);
  if (hint.is_float()) return Value(hint.as_float() + static_cast<double>(moved));
  return hint.is_int() ? Value(moved) : hint;
}

std::vector<std::size_t> Symbols::dependencies(std::span<const std::optional<std::int64_t>> sizes) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < all_.size() && own_world(i) + kOwn <= sizes.size(); ++i) {
    const auto own = sizes.subspan(own_world(i), kOwn);
    if (std::any_of(own.begin(), own.end(), [&](const auto& one) { return one != sizes[0]; })) found.push_back(i);
  }
  return found;
}

std::optional<std::int64_t> Symbols::slope(std::span<const std::optional<std::int64_t>> sizes,
                                           std::size_t symbol) const {
  for (std::size_t i = 0; i < kOwn; ++i) {
    const auto& size = sizes[own_world(symbol) + i];
    if (!size) continue;
    const std::int64_t added = *size - *sizes[0];
    if (added % kOwnSteps[i] != 0) return std::nullopt;
    return added / kOwnSteps[i];
  }
  return std::nullopt;
}

std::optional<std::int64_t> Symbols::evaluate(const Polynomial& polynomial, std::size_t world) const {
  std::int64_t sum = 0;
  for (const Polynomial::Term& term : polynomial.terms) {
    std::int64_t product = term.factor;
    for (const std::size_t symbol : term.symbols) {
      if (__builtin_mul_overflow(product, number(symbol, world), &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return floor_div(sum, polynomial.divisor);
}

bool Symbols::holds(const Polynomial& polynomial, std::span<const std::optional<std::int64_t>> sizes) const {
  for (std::size_t world = 0; world < sizes.size(); ++world) {
    if (sizes[world] && evaluate(polynomial, world) != sizes[world]) return false;
  }
  return true;
}

std::optional<Polynomial> Symbols::fit(std::span<const std::optional<std::int64_t>> sizes) const {
  const std::vector<std::size_t> on = dependencies(sizes);
  const std::int64_t base = sizes[0].value_or(0);
  const auto checked = [&](Polynomial made) -> std::optional<Polynomial> {
    std::erase_if(made.terms, [](const Polynomial::Term& term) { return term.factor == 0; });
    if (!holds(made, sizes)) return std::nullopt;
    return made;
  };
  if (on.empty()) return checked({.terms = {{base, {}}}});
  // A sum: as much for each symbol, whatever the others are.
  std::optional<Polynomial> sum = Polynomial{.terms = {}};
  std::int64_t rest = base;
  for (const std::size_t one : on) {
    const std::optional<std::int64_t> step = slope(sizes, one);
    if (!step) sum = std::nullopt;
    if (!sum) break;
    sum->terms.push_back({*step, {one}});
    rest -= *step * number(one, 0);
  }
  if (sum) {
    sum->terms.push_back({rest, {}});
    if (auto found = checked(*sum)) return found;
  }
  // A product, of a symbol with itself, too.
  std::int64_t product = 1;
  for (const std::size_t one : on) product *= number(one, 0);
  if (product != 0 && base % product == 0) {
    if (auto found = checked({.terms = {{base / product, on}}})) return found;
  }
  if (on.size() == 1) {
    const std::int64_t hint = number(on[0], 0);
    if (hint != 0 && base % (hint * hint) == 0) {
      if (auto found = checked({.terms = {{base / (hint * hint), {on[0], on[0]}}}})) return found;
    }
    // (s + p) // q, as strides of a convolution give it: what p may be, by each world.
    for (std::int64_t q = 2; q <= kLargestDivisor; ++q) {
      std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
      for (std::size_t world = 0; world < sizes.size(); ++world) {
        if (!sizes[world]) continue;
        least = std::max(least, q * *sizes[world] - number(on[0], world));
        most = std::min(most, q * *sizes[world] - number(on[0], world) + q - 1);
      }
      if (least > most) continue;
      const std::int64_t p = std::clamp<std::int64_t>(0, least, most);
      if (auto found = checked({.terms = {{1, {on[0]}}, {p, {}}}, .divisor = q})) return found;
    }
  }
  // Two symbols and their product: s * (t + 1).
  const std::size_t joint = sizes[kAbove] ? kAbove : kBelow;
  if (on.size() == 2 && sizes[joint]) {
    const std::size_t s = on[0], t = on[1];
    const std::optional<std::int64_t> by_s = slope(sizes, s), by_t = slope(sizes, t);
    if (!by_s || !by_t) return std::nullopt;
    const std::int64_t step = joint == kAbove ? 1 : -1;
    const std::int64_t mixed = *sizes[joint] - base - step * (*by_s + *by_t);
    const std::int64_t of_s = *by_s - mixed * number(t, 0), of_t = *by_t - mixed * number(s, 0);
    const std::int64_t left = base - of_s * number(s, 0) - of_t * number(t, 0) - mixed * number(s, 0) * number(t, 0);
    if (auto found = checked({.terms = {{mixed, {s, t}}, {of_s, {s}}, {of_t, {t}}, {left, {}}}})) return found;
  }
  return std::nullopt;
}

}  // namespace nns::dynamo
