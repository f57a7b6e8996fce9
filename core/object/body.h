#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace nns::object {

template <class Signature>
class Body;

/// What a function of ours runs. A lambda without captures adds no code but its own, which counts where there are
/// thousands of them (std::function adds six functions and a type name to each); captures are shared by all copies.
/// Lifetime: as long as its captures.
template <class Result, class... Args>
class Body<Result(Args...)> {
 public:
  Body() = default;
  template <class F>
  requires(!std::same_as<F, Body> && std::is_invocable_r_v<Result, const F&, Args...>) Body(F function) {
    if constexpr (std::is_empty_v<F> && std::default_initializable<F>) {
      call_ = [](const void*, Args... args) -> Result { return F{}(std::forward<Args>(args)...); };
    } else {
      captures_ = std::make_shared<F>(std::move(function));
      call_ = [](const void* captures, Args... args) -> Result {
        return (*static_cast<const F*>(captures))(std::forward<Args>(args)...);
      };
    }
  }

  explicit operator bool() const { return call_ != nullptr; }
  /// Must hold: there is one.
  Result operator()(Args... args) const { return call_(captures_.get(), std::forward<Args>(args)...); }

 private:
  Result (*call_)(const void* captures, Args... args) = nullptr;
  std::shared_ptr<const void> captures_;
};

}  // namespace nns::object
