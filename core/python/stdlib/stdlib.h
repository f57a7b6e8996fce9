#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/python/eval/machine.h"

namespace nns::python {

/// Makes the standard library importable: modules of ours in C++ and those that are written in Python.
void add_stdlib(Machine& machine);

/// What sys.argv holds.
void set_arguments(Machine& machine, const std::vector<std::string>& arguments);

/// What a program finds in os.environ, beside what it sets itself. Imports os.
PyResult<void> set_environment(Machine& machine, const std::vector<std::pair<std::string, std::string>>& variables);

/// A module of C++ that is filled when it is first imported.
struct NativeModule {
  std::string_view name;
  void (*fill)(Machine& machine, Dict& attributes);
};
std::vector<NativeModule> native_modules();
/// The modules of the standard library that there are, in C++ and in Python.
std::vector<std::string> stdlib_modules();

/// The parts of it.
void fill_math(Machine& machine, Dict& attributes);
/// gcd, factorial and their siblings.
void add_math_of_integers(Machine& machine, Dict& attributes);
void fill_sys(Machine& machine, Dict& attributes);
/// The rest of sys.
void add_sys_facts(Machine& machine, Dict& attributes);
void fill_time(Machine& machine, Dict& attributes);
void fill_gc(Machine& machine, Dict& attributes);
void fill_weakref(Machine& machine, Dict& attributes);
void fill_copy(Machine& machine, Dict& attributes);
void fill_collections(Machine& machine, Dict& attributes);
void fill_warnings(Machine& machine, Dict& attributes);
void fill_pickle(Machine& machine, Dict& attributes);
void fill_digests(Machine& machine, Dict& attributes);
void fill_entropy(Machine& machine, Dict& attributes);
void fill_zlib(Machine& machine, Dict& attributes);
void fill_unicodedata(Machine& machine, Dict& attributes);
void fill_turns(Machine& machine, Dict& attributes);

/// object.__reduce__ and object.__reduce_ex__, whose bodies are in the module copyreg.
void add_reduction(Machine& machine);
void fill_source(Machine& machine, Dict& attributes);
void fill_imports(Machine& machine, Dict& attributes);
void fill_regex(Machine& machine, Dict& attributes);

/// module.<name>(parameters) in C++.
void add_native(Machine& machine, Dict& attributes, std::string_view signature, object::NativeBody body);

}  // namespace nns::python
