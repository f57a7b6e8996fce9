#pragma once

#include "core/object/class.h"
#include "core/object/copy.h"
#include "core/tensor/tensor.h"

namespace nns::tensor {

/// Tensor.__copy__ and __deepcopy__. Behaviour: torch/_tensor.py and torch/nn/parameter.py.
void add_copies(object::Class& tensor_class);

/// The bytes of a storage, as a tensor that looks at it.
Ref<Tensor> bytes_of(const Ref<Storage>& storage);
/// A storage with the same bytes. Errors: those of Storage::try_allocate.
PyResult<Ref<Storage>> clone_storage(const Ref<Storage>& storage);
/// The copy of a storage for copy.deepcopy(), one for all that look at it: under its address in memo["torch"].
/// Errors: as clone_storage(). Behaviour: torch/storage.py, UntypedStorage.__deepcopy__.
PyResult<Ref<Storage>> deep_copied_storage(const Ref<Storage>& storage, const object::CopyMemo& memo);

}  // namespace nns::tensor
