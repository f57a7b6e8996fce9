#pragma once

namespace nns::object {

class Interpreter;

/// Each gives some of the starting classes their methods; called once, when an interpreter is made.
void add_object_methods(Interpreter& interpreter);
void add_text_methods(Interpreter& interpreter);
void add_dict_methods(Interpreter& interpreter);
void add_list_methods(Interpreter& interpreter);
void add_iteration_methods(Interpreter& interpreter);

}  // namespace nns::object
