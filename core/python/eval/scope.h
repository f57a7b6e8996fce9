#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/python/syntax/parser.h"

namespace nns::python {

/// Where a name of a scope lives.
enum class Place : std::uint8_t {
  /// A slot of the frame.
  Local,
  /// A slot of the frame that inner functions share: a cell.
  Cell,
  /// A cell that an outer function made.
  Free,
  /// The module's dict, then builtins.
  Global,
  /// The dict of a class or module that is being run, then Global.
  Name,
};

/// The names of one function, class, comprehension or module.
/// Behaviour: CPython Python/symtable.c.
struct Scope {
  enum class Kind : std::uint8_t { Module, Class, Function, Comprehension };
  struct Symbol {
    bool is_bound = false;
    bool is_used = false;
    bool is_parameter = false;
    bool is_declared_global = false;
    bool is_declared_nonlocal = false;
    bool is_annotated = false;
    Place place = Place::Global;
  };

  Kind kind = Kind::Module;
  NodeId node = kNoNode;
  Scope* parent = nullptr;
  std::vector<Scope*> children;
  /// In the order in which the names appear.
  std::vector<std::string> order;
  std::unordered_map<std::string, Symbol> symbols;
  /// Its calls give an object that runs it: a generator, a coroutine or an asynchronous generator.
  bool is_generator = false;
  bool is_async = false;
  bool has_yield = false;
  /// Evaluates annotations: it sees the names of the class or module around.
  bool is_annotations = false;
  /// Around a definition: makes its type parameters. It sees what is_annotations does.
  bool is_type_parameters = false;
  /// A class whose methods mention super or __class__.
  bool needs_class_cell = false;
  /// The name of the class around, for names with two underscores; empty outside of classes.
  std::string_view class_name;

  Symbol& symbol(std::string_view name);
  const Symbol* find(std::string_view name) const;
};

/// The scopes of a tree.
class SymbolTable {
 public:
  /// Finds where every name of the tree lives. With an error the table may not be used.
  static std::optional<SyntaxError> build(const Tree& tree, SymbolTable& into);

  const Scope& scope_of(NodeId node) const { return *by_node_.at(node); }
  /// The scope in which the annotations of a class, function or module are evaluated.
  const Scope& annotations_of(NodeId node) const { return *annotations_.at(node); }
  bool has_annotations(NodeId node) const { return annotations_.contains(node); }
  /// Whether `from __future__ import annotations` stands in front.
  bool annotations_are_texts() const { return annotations_are_texts_; }

 private:
  friend class SymbolVisitor;
  std::deque<Scope> scopes_;
  std::unordered_map<NodeId, Scope*> by_node_;
  std::unordered_map<NodeId, Scope*> annotations_;
  bool annotations_are_texts_ = false;
};

/// A name as it is stored: __x in class _C is _C__x. Behaviour: CPython Python/compile.c, _Py_Mangle.
std::string mangled(std::string_view class_name, std::string_view name);

}  // namespace nns::python
