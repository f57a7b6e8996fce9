#pragma once

#include "core/object/instance.h"
#include "core/tensor/tensor.h"

// torch.Generator.
namespace nns::ops {

/// torch.Generator: a stream of its own, or the interpreter's; of the CPU or of a GPU.
class GeneratorObject final : public object::Instance {
 public:
  explicit GeneratorObject(object::Class& cls) : Instance(cls) {}
  tensor::Generator& generator() { return is_default ? tensor::TensorLibrary::of(interpreter()).generator : own_; }
  bool is_default = false;
  tensor::Device device = tensor::Device::Cpu;

 private:
  tensor::Generator own_;
};

/// The generator that was given, or the interpreter's, to draw on `device`.
/// Errors: RuntimeError  it is one of another device: "Expected a 'cuda' device type for generator but found 'cpu'".
object::PyResult<tensor::Generator*> generator_of(object::Interpreter& interpreter, const object::Value& given,
                                                  tensor::Device device);

/// The class and what speaks to the interpreter's generators: torch.default_generator, manual_seed, seed, initial_seed,
/// get_rng_state, set_rng_state.
/// Behaviour: torch/csrc/Generator.cpp, torch/random.py; aten/src/ATen/{CPUGeneratorImpl,cuda/CUDAGeneratorImpl}.cpp.
void add_generator_class(object::Interpreter& interpreter);

}  // namespace nns::ops
