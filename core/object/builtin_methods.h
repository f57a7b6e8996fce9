#pragma once

namespace nns::object {

class Class;
class Interpreter;

/// Each gives some of the starting classes their methods; called once, when an interpreter is made.
void add_object_methods(Interpreter& interpreter);
void add_type_methods(Interpreter& interpreter);
void add_number_methods(Interpreter& interpreter);
void add_text_methods(Interpreter& interpreter);
void add_bytes_methods(Interpreter& interpreter);
void add_dict_methods(Interpreter& interpreter);
void add_list_methods(Interpreter& interpreter);
void add_set_methods(Interpreter& interpreter);
void add_range_methods(Interpreter& interpreter);
void add_iteration_methods(Interpreter& interpreter);

/// Gives a built-in container __len__, __contains__, __iter__, __repr__ and __hash__ (None where it is not hashable).
void add_container_methods(Class& cls, bool is_hashable);
/// Gives it __getitem__ and, where its items change, __setitem__ and __delitem__.
void add_item_methods(Class& cls, bool changes);
/// Gives a class __repr__ and __hash__ as default_repr and builtin_hash define them.
void add_value_methods(Class& cls);

}  // namespace nns::object
