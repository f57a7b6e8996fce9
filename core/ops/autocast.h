#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/tensor/tensor.h"

namespace nns::ops {

struct OpInfo;
enum class OpId : std::uint16_t;

/// What autocast does with the arguments of an op. Behaviour: aten/src/ATen/autocast_mode.h, CastPolicy.
enum class CastPolicy : std::uint8_t {
  None,
  Lower,     ///< all floating tensors become those of the mode's dtype
  Float32,   ///< all become float32
  SetDtype,  ///< the op is asked to compute in float32, unless a dtype is given
  Promote,   ///< all become the widest among them
  Refused,   ///< binary_cross_entropy on cuda
};

/// The state of torch.autocast, which is one for each kind of device. Threads: that of the interpreter.
/// Behaviour: aten/src/ATen/autocast_mode.cpp.
class Autocast {
 public:
  struct Mode {
    std::string_view device_type;
    bool is_enabled;
    tensor::DType dtype;
    bool operator==(const Mode&) const = default;
  };
  using Modes = std::array<Mode, 10>;
  const Modes& modes() const { return modes_; }

  /// Null: a kind of device for which there is no autocast.
  Mode* mode(std::string_view device_type);
  void enable(Mode& mode, bool is_enabled);
  /// Whether any op may be cast now.
  bool is_active() const { return enabled_ != 0 && suspended_ == 0; }

  /// Casts of parameters are kept until the outermost context is left.
  bool caches = true;
  int nesting = 0;
  /// The kind of device that tensors without bytes stand for, as where a frame is traced on them; empty: for none.
  std::string_view meta_device_type;
  void clear_cache() { cache_.clear(); }

  /// Ops called while one of these lives are not cast.
  class Suspended {
   public:
    explicit Suspended(Autocast& autocast) : autocast_(autocast) { ++autocast_.suspended_; }
    ~Suspended() { --autocast_.suspended_; }
    Suspended(const Suspended&) = delete;
    Suspended& operator=(const Suspended&) = delete;

   private:
    Autocast& autocast_;
  };

  /// What is to be done with these arguments of an op, or of a function of torch.nn.functional that is made of several.
  struct Casting {
    CastPolicy policy = CastPolicy::None;
    const Mode* mode = nullptr;
    explicit operator bool() const { return policy != CastPolicy::None; }
  };
  Casting casting_of(OpId op, std::span<const object::Value> args) const;
  Casting casting_of(std::string_view function, std::span<const object::Value> args) const;

  /// The arguments, cast. `info`: of the op, for SetDtype. Casts are recorded for the gradient.
  /// Errors: RuntimeError  of a tensor that has neither the mode's dtype nor float32; of Refused.
  tensor::PyResult<std::vector<object::Value>> cast(object::Interpreter& interpreter, const Casting& casting,
                                                    const OpInfo* info, std::span<const object::Value> args);

 private:
  struct CachedCast {
    object::Ref<tensor::Tensor> source, made;
  };
  bool lies_on(const tensor::Tensor& tensor, std::string_view device_type) const;
  bool is_eligible(const tensor::Tensor& tensor, std::string_view device_type) const;
  const Mode* mode_for(std::span<const object::Value> args) const;
  tensor::PyResult<object::Value> cast_one(object::Interpreter& interpreter, const Mode& mode, tensor::DType to,
                                           const object::Value& value);

  // Behaviour: the dtypes at the head of autocast_mode.cpp.
  Modes modes_{{{"cpu", false, tensor::DType::BFloat16},
                {"cuda", false, tensor::DType::Float16},
                {"xpu", false, tensor::DType::Float16},
                {"mps", false, tensor::DType::Float16},
                {"hpu", false, tensor::DType::BFloat16},
                {"xla", false, tensor::DType::BFloat16},
                {"mtia", false, tensor::DType::Float16},
                {"maia", false, tensor::DType::BFloat16},
                {"ipu", false, tensor::DType::Float16},
                {"privateuseone", false, tensor::DType::Float16}}};
  int enabled_ = 0, suspended_ = 0;
  std::unordered_map<const tensor::Tensor*, CachedCast> cache_;
};

/// torch.is_autocast_enabled and its siblings, by which torch.amp is written.
void add_autocast_functions(object::Interpreter& interpreter);

}  // namespace nns::ops
