#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>

#include "core/dynamo/body.h"
#include "core/dynamo/compiled_frame.h"
#include "core/dynamo/size_symbols.h"
#include "core/dynamo/variable.h"
#include "core/object/iterator.h"
#include "core/object/operators.h"
#include "core/ops/autocast.h"

namespace nns::dynamo {

using python::Function;
using python::Instruction;
using python::Machine;
using python::Opcode;

class Engine;

/// Runs the instructions of one frame on trackers and builds a graph of what it does with tensors.
/// Behaviour: torch/_dynamo/symbolic_convert.py, class InstructionTranslator.
/// Functions that give a Variable* give null where they failed; failure() tells why.
class Translator {
 public:
  Translator(Engine& engine, const FrameStart& start, Speculation& speculation);
  ~Translator();

  /// Traces until the frame ends or cannot go on; null with a failure.
  std::shared_ptr<CompiledFrame> run();
  Failure& failure() { return failure_; }

  // The trackers. variable_*.cpp, builder.cpp
  Variable* constant(Value value);
  Variable* text(std::string_view value) { return constant(in_.text(value)); }
  Variable* list(std::vector<Variable*> items);
  Variable* tuple(std::vector<Variable*> items);
  Variable* dict();
  Variable* iterator(std::function<Variable*()> next);
  Variable* iterator_over(std::vector<Variable*> items);
  Variable* lazy(Value value, const Source* source);
  /// The tracker of a value that exists, with the guards that looking at it needs.
  Variable* build(const Value& value, const Source* source);
  /// What a lazy tracker stands for.
  Variable* real(Variable* variable);
  /// A value of the tracker that holds while the frame is compiled; Absent: it has none.
  Value constant_value(Variable* variable);
  bool is_constant(Variable* variable) { return !constant_value(variable).is_absent(); }
  Class& type_of(Variable& variable);
  /// The value by which a dict or set knows it.
  Value key_of(Variable& variable);

 private:
  friend class Engine;
  // builder.cpp
  Variable* build_tensor(const Value& value, const Source* source);
  Variable* build_container(const Value& value, const Source* source);
  Variable* build_function(const Value& value, const Source* source);
  Variable* register_attribute(const Value& value, const std::string& key_base, const std::string& key,
                               const Source* source);
  Variable* track(const Value& value, Variable* variable);
  bool is_dynamic(const Value& module);
  Variable* duplicate(Variable* known, const Source* source);
  std::string table_key(const std::string& name);

  // numbers.cpp: numbers that are no constants.
  bool becomes_number(const Value& value, const Source* source);
  Variable* build_number(const Value& value, const Source* source);
  Variable* number_of(Node& node, const Value& hint, std::shared_ptr<const Expression> expression);
  /// The number itself, which compiled code then holds to; Absent: only a tensor's values tell, with a failure.
  Value specialize(Variable& number);
  std::shared_ptr<const Expression> expression_of(Variable* variable);
  /// Null without a failure: they are no numbers.
  Variable* number_operation(const Value& function, const std::string& name, std::span<Variable* const> args);
  Variable* item_of(Variable* tensor);
  Node& placeholder_of(const Value& value, const Source* source);
  void guard_expression(const std::shared_ptr<const Expression>& expression, const Value& value);

  // worlds.cpp
  /// What something is in each world, from 0 on. Absent: the same as in world 0; None: not known. One: always the same.
  using Worlds = std::vector<Value>;
  Value value_in(const Node& node, std::size_t world);
  std::vector<std::optional<std::int64_t>> sizes_in_worlds(
      const std::function<std::optional<std::int64_t>(const tensor::Tensor&)>& read, const Node& node);
  void hold(const std::vector<std::size_t>& symbols);
  void bound(const std::vector<std::size_t>& symbols);
  bool is_cut_far(const Worlds& results) const;
  /// The symbols on which the value of a node depends.
  std::vector<std::size_t> symbols_of(const Node& node) const;

  // sizes.cpp
  FreeDimensions free_dimensions(tensor::Tensor& tensor, const Source* source);
  void limit_marked(Symbol& symbol, tensor::Tensor& tensor, std::size_t dimension);
  std::string symbol_name(const Source& source);
  std::size_t add_symbol(Symbol symbol);
  std::size_t dimension_symbol(Symbol::Kind kind, const Source* source, std::int64_t hint, bool is_demanded,
                               bool is_duck);
  Variable* number_of_symbol(std::size_t index);
  Symbol* symbol_of(const std::shared_ptr<const Expression>& expression);
  std::vector<std::optional<std::size_t>> name_sizes(tensor::Tensor& tensor, const Source* source, TensorFacts& facts,
                                                     FreeDimensions& free);
  void size_example(Node& node, tensor::Tensor& tensor, const Source* source, const FreeDimensions& free,
                    const std::vector<std::optional<std::size_t>>& symbols);
  std::shared_ptr<const Expression> expression_of(const Polynomial& polynomial);
  std::string type_text(const Node& node);
  Variable* size_of(Variable* self, std::size_t dimension);
  Variable* shape_of(Variable* self);
  Variable* measure(Variable* self, const char* method,
                    const std::function<std::optional<std::int64_t>(const tensor::Tensor&)>& read,
                    std::optional<std::int64_t> argument);
  void note_size_read(Variable* self);
  std::optional<bool> known_comparison(std::string_view name, Variable* a, Variable* b);
  bool narrow(const Expression& expression, bool is_true);
  bool is_of_sizes(const Expression& expression) const;
  std::shared_ptr<const Expression> opposite(const std::shared_ptr<const Expression>& expression);
  void bound_slices(Variable* tensor, Variable* key);
  void guard_ranges();

  // guards
  void guard(GuardKind kind, const Source* source);
  void guard(Guard guard);
  void guard_type(const Source* source, const Value& value);
  void guard_id(GuardKind kind, const Source* source, const Value& value);
  void guard_constant(GuardKind kind, const Source* source, const Value& value);
  void guard_length(const Source* source, std::size_t length, const Value& value);
  void guard_key(GuardKind kind, const Source* source, const Value& key);
  void guard_absent(const Source* source, std::string_view attribute);
  void guard_keys(Variable& dict);
  bool skips_guards_of(const Source* source) const;

  // failures
  Variable* unsupported(BreakReason reason);
  Variable* unsupported(std::string type, std::string context, std::string explanation, std::vector<std::string> hints);
  Variable* unsupported_builtin(std::string_view name, std::span<Variable* const> args, bool has_keywords);
  Variable* raise(Variable* exception);
  Variable* raise(object::ErrorKind kind, std::string_view text);
  Variable* raise(const PyError& error);
  Variable* raise_key_error(Variable* key);
  Variable* raise_stop(Variable* walker);
  bool is_exception(const Variable& exception, object::ErrorKind kind) const;
  Variable* restart_unspecialized(const Value& module);
  bool has_failed() const { return failure_.kind != Failure::Kind::None; }

  // nodes.cpp: what goes into the graph.
  using Arguments = std::span<Variable* const>;
  struct KeywordArgument {
    Name name;
    Variable* value;
  };
  using Keywords = std::span<const KeywordArgument>;
  bool as_argument(Variable* variable, Argument& out);
  static bool holds_number(const Variable& variable);
  static bool tuple_of_numbers(const Variable& variable);
  /// A constant tuple as trackers of its items; what is none as it is.
  Variable* tuple_of_constants(Variable* variable);
  Value fake_value(const Argument& argument, std::size_t world = 0);
  using NamedArguments = std::vector<std::pair<std::string, Argument>>;
  using FakeRun =
      std::function<PyResult<Value>(std::span<const Value> positional, std::span<const object::Keyword> keywords)>;
  /// What `run` gives for arguments without contents, in each world. Symbols that it has to know become constants: then
  /// the attempt has failed.
  PyResult<Worlds> run_on_fakes(const std::vector<Argument>& positional, const NamedArguments& named,
                                const FakeRun& run);
  Variable* call_torch(const Value& function, std::string target, std::string name, Arguments args, Keywords keywords);
  // user_containers.cpp: instances of the program's classes that derive from dict and list.
  /// Which of them such a class derives from; Null: it is none.
  VariableKind user_container_kind(const Class& cls) const;
  Variable* build_user_container(const Value& value, const Source* source);
  /// What such an object holds, if its class writes none of these methods itself; else, and of others, the object.
  Variable* plain_of(Variable* object, std::initializer_list<Name> methods) const;
  /// A method that such an object has from dict or list.
  Variable* call_contents_method(Variable* object, std::string_view name, Arguments args, Keywords keywords,
                                 bool& is_known);
  Variable* build_module(const Value& value, const Source* source);
  Variable* build_compiled_module(const Value& value, const Source* source);
  Variable* build_unspecialized(const Value& value, const Source* source, bool is_fsdp);
  // arrays.cpp: ndarrays, which are tensors in the graph.
  /// Tensor.numpy().
  Variable* array_of(Variable* tensor, Arguments args, Keywords keywords);
  /// torch.from_numpy and torch.as_tensor of an ndarray; null without a failure: it is none.
  Variable* tensor_of_array(std::string_view name, Arguments args, Keywords keywords);
  /// Fails: what is asked of an ndarray is not followed.
  Variable* untraced_array(std::string_view what);
  // unknown_sizes.cpp
  static bool takes_unknown_size(const std::vector<Argument>& positional, const NamedArguments& named);
  /// Fails: what is asked depends on how large such a tensor is.
  Variable* unknown_size(std::string_view what);
  /// An example of what an op gives whose size only values tell; null: it is none, or none that is known.
  Ref<tensor::Tensor> example_of_unknown_size(std::string_view target, const std::vector<Argument>& positional,
                                              const NamedArguments& named);
  void assert_unknown_sizes();
  // data_dependence.cpp
  /// False after unsupported(): only values tell what the op gives, or which shape that has.
  bool is_known_without_values(std::string_view target, const std::vector<Argument>& positional,
                               const NamedArguments& named);
  /// The shapes of the tensors that are given as out=.
  static std::vector<tensor::Dims> out_shapes(const NamedArguments& named);
  /// False after unsupported(): what is given as out= has another size now, or is not contiguous.
  bool may_write_out(const NamedArguments& named, const std::vector<tensor::Dims>& before, std::string_view name,
                     const std::string& call);
  /// Fails: the op gives a number, or a truth, that only values tell.
  Variable* data_dependent(std::string_view op);
  /// The mask that items are taken with; null: they are taken otherwise.
  static const Argument* mask_of(std::string_view target, const std::vector<Argument>& positional);
  static const Argument* mask_of_write(std::string_view target, const std::vector<Argument>& positional);
  /// Arguments of setitem that write all of the tensor: a mask tells nothing of shapes.
  std::vector<Value> written_whole(std::span<const Value> arguments);
  // tensor_methods.cpp: what is more than a node of the graph.
  Variable* tensor_method(Variable* self, std::string_view name, Arguments args, Keywords keywords);
  Variable* size_query(Variable* self, std::string_view name, Arguments args, Keywords keywords = {});
  static bool is_inplace_view(std::string_view method);
  Variable* unsupported_tensor_call(std::string_view name, Arguments args, Keywords keywords,
                                    std::vector<std::string> hints);
  Variable* list_of_numbers(Variable* self);
  Variable* change_requires_grad(Variable* self, Variable* given);
  bool keeps_new_leaves(std::span<const Node* const> outputs);
  Variable* untraced_repr(Variable& of);
  Variable* register_tensor_hook(Variable* self, std::string_view method, Arguments args);
  /// A text of which some parts are tensors. formats.cpp
  Variable* format(std::string text, Arguments args, Keywords keywords);
  /// A text as a part of one that is formatted.
  static std::string as_format(const Variable& text);
  // tensor_attributes.cpp
  Variable* tensor_attribute(Variable* self, Name name);
  bool store_tensor_attribute(Variable* self, Name name, Variable* value);
  bool store_tensor_data(Variable* self, Variable* value);
  // variable_text.cpp: as the texts of breaks show trackers.
  std::string shown(Variable* variable);
  std::string shown(Arguments args, char bracket);
  std::string shown(Keywords keywords);
  Variable* call_tensor_method(Variable* self, Name name, Arguments args, Keywords keywords);
  Variable* call_module_node(Variable* module, Arguments args, Keywords keywords);
  Node& add_node(Node::Op op, std::string target, std::string name);
  /// The same in the frame's own graph, also while the body of a higher-order operator is traced.
  Node& add_root_node(Node::Op op, std::string target, std::string name);
  /// Writes down which line asks for the node.
  void locate(Node& node) const;
  Variable* wrap_result(Node& node, const Worlds& results);
  Variable* tensor_of(Node& node, const Ref<tensor::Tensor>& fake);
  // modes.cpp
  void set_grad_mode(bool mode);
  /// A call of torch._C._set_grad_enabled, also where nothing changes.
  void add_grad_mode(bool mode);
  void set_mode(const Variable& context, bool mode);
  /// Enters what a Context stands for, as the frame that is traced and in the graph. False with a failure.
  bool enter_mode(Variable& context);
  bool leave_mode(Variable& context);
  void enter_inference_mode(Variable& context);
  void leave_inference_mode(Variable& context);
  /// The function that runs another inside of a context.
  Variable* decorated(Variable& context, Variable* function);
  Variable* call_decorated(const Value& value, Arguments args, Keywords keywords);
  /// The Context that a call of such a class makes.
  Variable* context_of(Variable& given, Arguments args, Keywords keywords);
  Variable* autocast_of(Variable& given, Arguments args, Keywords keywords);
  Variable* autocast_with(std::span<const Value> values, const Source* source);
  // nodes.cpp
  /// The modules around what runs now. Of a GraphModule's code: those that its nodes were traced in.
  ModuleStack stack_now();
  bool holds_tensor(Variable* variable, int depth = 0);

  // bodies.cpp: graphs of their own, which higher-order operators run.
  /// The node of the graph that is built now which stands for one of a graph around it; null with a failure.
  const Node* node_here(const Node& node);
  Argument argument_of(const Node& node);
  /// False with a failure: it gives something that no graph does, writes to what is not its own, or cannot be followed.
  bool trace_body(Body& body, const std::function<Variable*()>& run);
  static Node& placeholder_for(Graph& graph, const Node& node, std::string name);
  bool flatten(Variable* value, std::vector<Variable*>& leaves);
  /// A value of the structure of `like`, with other leaves.
  Variable* unflatten(Variable* like, std::span<Variable* const> leaves, std::size_t& at);
  bool has_same_structure(Variable* a, Variable* b);
  void note_write(Variable& written);
  BreakReason unsafe_effect(std::string context) const;
  /// Gives both bodies the same inputs: those of both, then those of the first alone, then those of the second.
  std::vector<const Node*> share_inputs(Body& a, Body& b);
  /// Ends the graph of a body: what it takes and gives is known then.
  void close_body(Body& body);
  /// A get_attr of it in the graph around; null with a
  /// failure.
  Node* install_body(Body& body, const std::string& name);
  /// What the operator gives whose node this is: of the structure that the body's function gave.
  Variable* result_of(Node& node, Body& body);
  Node& item_node(const Node& node, std::size_t place, const Node& inner);
  // higher_order.cpp: the operators.
  Variable* call_higher_order(std::string_view target, Arguments args, Keywords keywords, bool& is_known);
  Variable* call_checkpoint(Arguments args, Keywords keywords);
  Variable* call_cond(Arguments args, Keywords keywords);
  Variable* uncaptured(std::string_view name);
  void note_operator(std::string_view name);
  // custom_functions.cpp: torch.autograd.Function.
  static bool is_custom_function(const Class& cls);
  Variable* call_custom_function(Variable* cls, Arguments args, Keywords keywords);
  Variable* run_forward(CustomCall& made, Arguments args);
  bool trace_backward(CustomCall& made, Body& backward, std::span<Variable* const> results);
  Variable* custom_function_operator(CustomCall& made, Arguments args);
  Node& operator_node(const std::string& name);

  // attributes.cpp
  Variable* load_attribute(Variable* object, Name name);
  Variable* object_attribute(Variable* object, Name name);
  Variable* own_attribute(Variable* object, Name name, bool& is_found);
  /// A function that is written in Python; `source`: how a guard reaches it.
  Variable& function_of(const Value& function, const Source* source = nullptr);
  Variable* method_of(Variable* self, Variable* function, const Source* source = nullptr);
  /// What a staticmethod or classmethod holds.
  Variable* wrapped_function(const Value& function);
  Variable* bind_class_attribute(Variable* object, const Value& found, Name name, std::int64_t depth);
  Variable* module_registry_attribute(Variable* object, Name name);
  Variable* hooks_attribute(Variable* object, Name name);
  Variable* specialized_attribute(Variable* module, Name name);
  Variable* class_attribute(Variable* cls, Name name);
  Variable* super_attribute(Variable* super, Name name);
  Variable* function_attribute(Variable* function, Name name);
  Variable* new_function_attribute(Variable* function, std::string_view name);
  Variable* exception_attribute(Variable* exception, std::string_view name);
  bool is_data_descriptor(const Value& found) const;
  Variable* has_attribute(Variable* object, Name name);
  bool store_attribute(Variable* object, Name name, Variable* value);
  bool plain_store(Variable* object, Name name, Variable* value);
  Variable* pending(Variable* object, Name name);
  /// What class_lookup() found for a class and a name, which stays while a frame is traced.
  struct Found {
    Value value = Value::absent();
    std::int64_t depth = 0;
    Variable* library = nullptr;
  };
  const Value* class_lookup(Class& cls, Name name, std::int64_t& depth, Variable** library);
  const Value* library_lookup(Class& cls, Name name, std::int64_t& depth, Variable*& library);
  static const Value* plain_class_lookup(Class& cls, Name name, std::int64_t& depth);
  bool has_hooks(const Value& module, bool backward_only = false);

  // calls.cpp
  Variable* call(Variable* callee, Arguments args, Keywords keywords);
  Variable* call_method(Variable* object, Name name, Arguments args, Keywords keywords = {});
  Variable* inline_call(Variable* function, Arguments args, Keywords keywords);
  bool bind_arguments(Variable* function, Arguments args, Keywords keywords, std::vector<Variable*>& slots);
  // logging_calls.cpp
  void read_log_settings();
  Value logging_function(const Variable& callee) const;
  /// A call of a function that a program has named as one that only tells what happens.
  Variable* logged_call(Variable* callee, Arguments args, Keywords keywords, bool& is_known);
  // marked_functions.cpp
  Variable* forbidden_call(const Value& function);
  Value value_now(Variable* argument);
  PyResult<Value> real_value(const Node& wanted);
  /// Calls it while the frame is compiled: what it gives is a constant of the graph.
  Variable* call_for_constant(const Value& function, Arguments args, Keywords keywords);
  Variable* call_class(Variable* cls, Arguments args, Keywords keywords);
  Variable* call_object(Variable* object, Arguments args, Keywords keywords);
  Variable* call_module(Variable* module, Arguments args, Keywords keywords);
  Variable* call_specialized(Variable* module, Arguments args, Keywords keywords);
  Variable* call_specialized_method(Variable* module, Name name, Arguments args, Keywords keywords);
  Variable* call_builtin(Variable* function, Arguments args, Keywords keywords);
  /// torch_functions.cpp: functions of torch that are no nodes.
  Variable* answered_by_tracer(std::string_view target, Arguments args, Keywords keywords, bool& is_known);
  static bool is_op_of_torch(const Class& cls);
  Variable* call_op(Variable* op, Arguments args, Keywords keywords);
  Variable* returned_no_tensor(std::string_view type, std::string_view target);
  Variable* skipped_builtin(std::string_view module, std::string_view name);
  Variable* unsupported_method(Variable* self, std::string_view name);
  Variable* call_bound_builtin(Variable* method, Arguments args, Keywords keywords);
  Variable* call_python_builtin(std::string_view name, Variable* function, Arguments args, Keywords keywords,
                                bool& is_known);
  Variable* call_container_method(Variable* self, std::string_view name, Arguments args, Keywords keywords,
                                  bool& is_known);
  Variable* number_in(Variable* of, std::string_view name);
  Variable* extreme_of(std::string_view name, Variable* a, Variable* b);
  Variable* find_in_sequence(Variable* self, std::string_view name, Arguments args);
  int is_last_asked(Arguments args, Keywords keywords, std::size_t before);
  Variable* call_dict_method(Variable* self, std::string_view name, Arguments args, Keywords keywords, bool& is_known);
  Variable* call_constant(const Value& function, Arguments args, Keywords keywords);
  /// The values of arguments that are constants; false: one is none, or a failure.
  bool constant_arguments(Arguments args, Keywords keywords, std::vector<Value>& positional,
                          std::vector<object::Keyword>& named);
  /// random.random() and its like. numbers.cpp
  Variable* call_random(Variable* function, Arguments args, Keywords keywords);
  bool initialize_lazy(const Value& module, Arguments args, Keywords keywords);
  bool fake_argument(Variable* given, Value& made);
  void guard_forward(Variable* module);
  struct StackMark {
    bool is_pushed = false;
    ModuleStack before = {};
  };
  StackMark push_module(Variable* module);
  void pop_module(const StackMark& mark);
  // class_calls.cpp
  Variable* make_instance(Variable* cls, Arguments args, Keywords keywords);
  static bool is_enum_class(const Class& metaclass);
  Variable* new_object(Variable& cls, Arguments args, Keywords keywords);
  Variable* allocate(Class& cls, Arguments args);
  Variable* allocate_by(Variable* function, Variable* cls, Arguments args, Keywords keywords);
  Variable* initialize(Variable* object, Arguments args, Keywords keywords, bool has_own_new);
  // object_protocol.cpp
  Variable* call_protocol_builtin(std::string_view name, Arguments args, Keywords keywords, bool& is_known);
  Variable* local_names(const TracedFrame& frame);
  Variable* handled_exception(std::string_view name);
  Variable* copy_of(Variable* value, bool is_deep, std::map<const Variable*, Variable*>& done);
  Variable* call_named_tuple(const Value& function, Arguments args, Keywords keywords);
  // patterns.cpp
  Variable* match_keys(Variable* subject, Variable* keys);
  Variable* match_class(Variable* subject, Variable* cls, Variable* names, std::size_t positional);
  Variable* library_function(std::string_view cls, std::string_view name);
  Variable* unpack_children(Variable* module);
  /// `is_stock`: torch's own __getitem__ is meant, whatever the class says.
  Variable* specialized_item(Variable* module, Variable* key, bool is_stock = false);

  // operations.cpp
  Variable* binary(object::BinaryOperator op, Variable* a, Variable* b, bool in_place);
  Variable* compare(std::uint32_t op, Variable* a, Variable* b);
  Variable* unary(std::uint32_t op, Variable* a);
  Variable* get_item(Variable* container, Variable* key);
  bool set_item(Variable* container, Variable* key, Variable* value);
  bool delete_item(Variable* container, Variable* key);
  Variable* contains(Variable* container, Variable* item);
  Variable* identical(Variable* a, Variable* b);
  Variable* try_operator(Variable* self, Variable* other, Name method);
  Variable* no_such_operation(object::BinaryOperator op, Variable* a, Variable* b, bool in_place);
  /// Whether the class of an object has such a method.
  bool has_special(Variable* object, std::string_view name);
  // comparisons.cpp
  Variable* equal(Variable* a, Variable* b);
  Variable* user_equal(Variable* a, Variable* b);
  Variable* plain_equal(Variable* a, Variable* b);
  Variable* unknown_comparison();
  Variable* compare_sequences(object::BinaryOperator op, Variable* a, Variable* b);
  bool check_hashable(Variable* key, bool is_of_set);
  bool is_same_key(Variable& a, Variable& b);
  // sorting.cpp
  int is_less(Variable* a, Variable* b);
  bool sort_items(std::vector<Variable*>& items, Variable* key, Variable* reverse);
  Variable* call_min_max(std::string_view name, Arguments args, const std::vector<Variable*>& items, Variable* key,
                         Variable* otherwise);
  Variable* reverse_walk(Variable* value);
  Variable* check_same_length(const std::vector<Variable*>& walkers, std::size_t ended, std::string_view what);
  // set_methods.cpp
  std::ptrdiff_t find_in_set(Variable& set, Variable* item);
  bool add_to_set(Variable& set, Variable* item);
  Variable* set_operation(object::BinaryOperator op, Variable* a, Variable* b, bool in_place);
  Variable* compare_sets(object::BinaryOperator op, Variable* a, Variable* b);
  Variable* call_set_method(Variable* self, std::string_view name, Arguments args, bool& is_known);
  // dict_views.cpp
  Variable* dict_view(Variable* dict, std::string_view what);
  Variable* dict_entry(Variable* dict, std::string_view what, std::size_t at);
  Variable* walk_dict(Variable* dict, const std::string& what);
  Variable* as_set(Variable* value, bool takes_all = false);
  Variable* set_of(const std::vector<Variable*>& items);
  Variable* view_contains(Variable* view, Variable* item);
  Variable* length(Variable* value);
  /// Whether it is true: 1, 0; -1 failed; 2: only a tensor's values tell.
  int truth(Variable* value);
  Variable* iterate(Variable* value);
  bool items_of(Variable* value, std::vector<Variable*>& items);
  Variable* next_of(Variable* walker);
  bool is_end(Variable* item) const { return item == nullptr && !has_failed(); }
  // texts.cpp
  Variable* string_of(Variable* value, bool is_repr);
  Variable* exception_text(Variable* value, bool is_repr);
  Variable* format_value(Variable* value, Variable* specification);
  Variable* format_text(Variable* self, Arguments args, Keywords keywords);
  Variable* format_percent(Variable* self, Variable* values);
  /// The value of a dict of constants; Absent: it is none.
  Value dict_of_constants(Variable* dict);
  Value folded_value(Variable* value);
  Variable* dict_from_keys(Variable& cls, Arguments args);
  void mutate(Variable& variable) {
    if (!bodies_.empty()) note_write(variable);
    if (!variable.is_new) note_mutated(variable);
  }
  void note_mutated(Variable& variable);
  std::ptrdiff_t find_key(Variable& dict, Variable& key);

  // steps.cpp
  enum class Step : std::uint8_t { Next, Returned, Yielded, Failed };
  Step step(TracedFrame& frame);
  Step step_flow(TracedFrame& frame, const Instruction& instruction);
  Step step_stack(TracedFrame& frame, const Instruction& instruction);
  Step step_values(TracedFrame& frame, const Instruction& instruction);
  Step step_exceptions(TracedFrame& frame, const Instruction& instruction);
  Step run_frame(TracedFrame& frame);
  bool handle_exception(TracedFrame& frame);
  Variable* resume_generator(Variable* generator, Variable* sent);
  Variable* run_generator(TracedFrame& frame);
  Variable* throw_into(Variable* generator, Variable* exception);
  bool close_generator(Variable* generator);
  void push(TracedFrame& frame, Variable* value) { frame.stack.push_back(value); }
  Variable* pop(TracedFrame& frame) {
    Variable* top = frame.stack.back();
    frame.stack.pop_back();
    return top;
  }
  /// `assert` on a tensor is a node of the graph. Next: it was none.
  bool traces_assert(TracedFrame& frame, Variable* condition, Step& step);
  Step jump_on(TracedFrame& frame, Variable* condition, bool jumps_if, std::uint32_t target, bool keeps);
  Variable* load_global(TracedFrame& frame, Name name);
  /// What this frame, or one that it calls, wrote to a name of a module; null: nothing.
  Variable* written_global(const Dict& globals, Name name) const;
  void write_global(Ref<Dict> globals, Name name, Variable* value);
  Variable* make_function(TracedFrame& frame, std::uint32_t parts);
  void store_local(TracedFrame& frame, std::uint32_t slot, Variable* value);
  Variable* with_enter(TracedFrame& frame, Variable* context);

  // finish.cpp
  std::shared_ptr<CompiledFrame> finish(Ending ending, TracedFrame& root, Variable* result);
  void collect_tensor_attributes(std::vector<const Node*>& outputs, std::set<const Variable*>& seen,
                                 std::set<const Variable*>& checked);
  void collect_outputs(Variable* variable, std::vector<const Node*>& outputs, std::set<const Variable*>& seen);
  std::vector<bool> live_locals(const Code& code, std::uint32_t pc) const;
  bool is_in_loop(const Code& code, std::uint32_t pc) const;
  bool root_may_break(const TracedFrame& root) const;
  bool is_rebuildable(Variable* variable, std::set<const Variable*>& seen);
  /// Looks at all that a container holds; false with a failure.
  bool realize_all(Variable* variable, std::set<const Variable*>& seen);
  void begin_root();
  BreakReason located(BreakReason reason) const;
  void tell_line(TracedFrame& frame);
  /// What a break means inside of context managers of the program; none: the frame is in none.
  std::optional<BreakReason> break_in_contexts();
  /// The innermost frame of the program itself, not of our library; null: none runs yet.
  const TracedFrame* program_frame() const;
  void note_module(std::string_view kind, const Variable& variable);

  Engine& engine_;
  Interpreter& in_;
  Machine& machine_;
  const FrameStart& start_;
  Speculation& speculation_;
  const Config& config_;
  std::shared_ptr<SourceTable> sources_;
  std::shared_ptr<Arena> arena_;
  std::shared_ptr<Graph> graph_;
  std::shared_ptr<CompiledFrame> compiled_;
  /// Outermost first; `graph_` is the last one's.
  std::vector<Body*> bodies_;
  /// Those that are traced, and how many there were.
  std::vector<std::shared_ptr<Graph>> body_graphs_;
  std::uint32_t scopes_ = 0;
  std::map<std::string, int, std::less<>> body_counts_;
  Failure failure_;
  TracedFrame root_;
  TracedFrame* frame_ = nullptr;
  int depth_ = 0;
  /// What was built of an object that existed before.
  std::unordered_map<const object::Object*, Variable*> known_;
  std::map<std::pair<const Class*, const object::Str*>, Found> looked_up_;
  /// Writes to attributes, by tracker and name, in order.
  std::vector<AttributeWrite> writes_;
  std::map<std::pair<const Variable*, const object::Object*>, std::size_t> write_index_;
  std::vector<GlobalWrite> global_writes_;
  std::vector<Variable*> mutated_;
  /// Handles of hooks that inputs get.
  std::vector<Variable*> hooks_;
  std::vector<LoggedCall> logs_;
  /// The functions of torch._dynamo.config.ignore_logging_functions and reorderable_logging_functions; null: none.
  Ref<object::Set> ignored_logs_, reordered_logs_;
  /// Tensors of the frame itself that requires_grad_() made leaves.
  std::vector<Variable*> new_leaves_;
  std::map<std::string, Value, std::less<>> module_table_;
  /// What the next tensor of the graph's table is named after, where it is not its source.
  std::string table_name_;
  ModuleStack module_stack_;
  std::shared_ptr<const std::string> root_name_;
  /// Of GraphModules: the modules around each of their nodes, by its name.
  std::map<const object::Object*, std::map<std::string, ModuleStack, std::less<>>> graph_stacks_;
  std::map<std::string, int, std::less<>> call_counts_;
  std::size_t speculated_ = 0;
  std::size_t captured_calls_ = 0;
  std::optional<std::size_t> checkpoint_;
  bool grad_mode_ = true;
  ops::Autocast autocast_before_;
  /// torch._dynamo.error_on_graph_break(True): a break is an error.
  bool errors_on_break_ = false;
  Symbols symbols_;
  std::map<std::size_t, Variable*> symbol_numbers_;
  /// What was asked of the sizes of a node.
  std::map<std::tuple<const Node*, std::string_view, std::int64_t>, Variable*> measured_;
  /// Slices: where their ends meet sizes is guarded already.
  bool has_exact_bounds_ = false;
  /// Variables of numbers by the names of their sources.
  std::map<std::string, Variable*, std::less<>> numbers_;
  std::uint64_t steps_ = 0;
  std::shared_ptr<CompiledFrame> ended_;
  Variable* resume_call_ = nullptr;
};

/// `NNS_VARIABLE(x, f());` declares x, or gives null where f failed.
#define NNS_VARIABLE(name, expression) \
  Variable* const name = (expression); \
  if (name == nullptr) return nullptr

}  // namespace nns::dynamo
