#pragma once

#include "core/nn/module.h"

namespace nns::session {

/// torchvision's resnet18() on meta: its classes, names and attributes. 11,689,512 parameters.
/// Behaviour: torchvision/models/resnet.py.
object::PyResult<nn::Ref<nn::Module>> make_resnet18(object::Interpreter& interpreter);

/// Hugging Face's GPT2LMHeadModel of 124M on meta, with lm_head tied to wte. 124,439,808 parameters.
/// Behaviour: transformers/models/gpt2/modeling_gpt2.py.
object::PyResult<nn::Ref<nn::Module>> make_gpt2(object::Interpreter& interpreter);

/// A small network for 28 x 28 images, with values from seed 0, one of each special case of the registries (a None
/// slot, a buffer that is not persistent, a plain tensor attribute, a shared module, a tied weight), and hooks of every
/// kind.
object::PyResult<nn::Ref<nn::Module>> make_small_cnn(object::Interpreter& interpreter);

}  // namespace nns::session
