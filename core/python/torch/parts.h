#pragma once

#include "core/python/eval/machine.h"

namespace nns::python {

// The parts of the module torch that have a file of their own here.

/// Makes the modules below torch that are written in Python importable.
void add_python_modules(Machine& machine);
/// The names of theirs that a program sees without importing them: torch.save, torch.utils.data. Must hold: the modules
/// of C++ are there.
void fill_lazy_names(Machine& machine);

/// torch.UntypedStorage, what tensors say of theirs, and torch._C._rebuild_tensor.
void fill_storage(Interpreter& interpreter);

/// torch._C.PyTorchFileReader and PyTorchFileWriter: the archives that torch.save writes.
void fill_archives(Interpreter& interpreter);

/// torch._C._distributed_c10d: process groups, stores, the reducer of DistributedDataParallel.
void fill_distributed(Machine& machine);

/// torch.layout, torch._C._sparse and what tensors say of their layout.
void fill_sparse(Interpreter& interpreter);

/// Methods of Tensor whose bodies are written in Python.
void fill_python_methods(Interpreter& interpreter);

/// A function of ours in a module, with Python's way of matching arguments.
void add_module_function(Interpreter& interpreter, std::string_view module, std::string_view signature,
                         object::NativeBody body);

/// torch.cuda as far as it asks the device.
void fill_cuda(Interpreter& interpreter);

/// torch._C._profiler_start and what goes with it: the ops, walks backward, steps and named ranges of a program.
void fill_profiling(Machine& machine);

/// torch._C._record_ops: the ops of a program as it calls them.
void fill_op_recording(Interpreter& interpreter);

/// How tensors, dtypes, devices and generators are taken apart for pickles.
void fill_reductions(Interpreter& interpreter);

}  // namespace nns::python
