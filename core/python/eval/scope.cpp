#include "core/python/eval/scope.h"

#include <fmt/format.h>

namespace nns::python {

std::string mangled(std::string_view class_name, std::string_view name) {
  if (class_name.empty() || !name.starts_with("__") || name.ends_with("__") ||
      name.find('.') != std::string_view::npos) {
    return std::string(name);
  }
  const std::size_t first = class_name.find_first_not_of('_');
  if (first == std::string_view::npos) return std::string(name);
  return fmt::format("_{}{}", class_name.substr(first), name);
}

Scope::Symbol& Scope::symbol(std::string_view name) {
  const auto [at, is_new] = symbols.try_emplace(std::string(name));
  if (is_new) order.emplace_back(name);
  return at->second;
}

const Scope::Symbol* Scope::find(std::string_view name) const {
  const auto at = symbols.find(std::string(name));
  return at == symbols.end() ? nullptr : &at->second;
}

// 1. Walks the tree and notes which names each scope binds and uses. 2. Decides where each lives, outermost first.
class SymbolVisitor {
 public:
  SymbolVisitor(const Tree& tree, SymbolTable& table) : tree_(tree), table_(table) {}

  std::optional<SyntaxError> run() {
    Scope& module = open(Scope::Kind::Module, tree_.root());
    visit(tree_.root());
    close();
    if (!error_) resolve(module);
    return error_;
  }

 private:
  Scope& open(Scope::Kind kind, NodeId node) {
    Scope& made = table_.scopes_.emplace_back();
    made.kind = kind;
    made.node = node;
    made.parent = current_;
    made.class_name = class_name_;
    if (current_ != nullptr) current_->children.push_back(&made);
    table_.by_node_.emplace(node, &made);
    current_ = &made;
    return made;
  }
  void close() { current_ = current_->parent; }

  void fail(NodeId where, std::string message) {
    if (!error_) error_ = SyntaxError{std::move(message), tree_.span(where)};
  }

  void bind(NodeId where, std::string_view name) {
    const std::string stored = mangled(class_name_, name);
    if (stored == "__debug__") fail(where, "cannot assign to __debug__");
    // := inside a comprehension binds in the function around it.
    current_->symbol(stored).is_bound = true;
  }
  void use(std::string_view name) {
    current_->symbol(mangled(class_name_, name)).is_used = true;
    if (name == "super" || name == "__class__") {
      // Functions in a class share the cell of the class.
      for (Scope* scope = current_; scope != nullptr; scope = scope->parent) {
        if (scope->kind == Scope::Kind::Class) {
          if (scope != current_) {
            scope->needs_class_cell = true;
            current_->symbol("__class__").is_used = true;
          }
          break;
        }
      }
    }
  }

  void visit_all(NodeId id) {
    for (std::size_t i = 0; i < tree_.children(id).size(); ++i) visit(tree_.child(id, i));
  }

  void visit_parameters(NodeId id) {
    for (std::size_t i = 0; i < tree_.children(id).size(); ++i) {
      const NodeId parameter = tree_.child(id, i);
      Scope::Symbol& symbol = current_->symbol(mangled(class_name_, tree_.text(parameter)));
      symbol.is_parameter = symbol.is_bound = true;
    }
  }
  void visit_defaults(NodeId id) {
    for (std::size_t i = 0; i < tree_.children(id).size(); ++i) visit(tree_.child(tree_.child(id, i), 1));
  }

  // Annotations are evaluated when somebody asks for them, as a function of their own around `owner`.
  template <class Body>
  void in_annotations(NodeId owner, Body body) {
    Scope*& scope = table_.annotations_[owner];
    if (scope == nullptr) {
      scope = &table_.scopes_.emplace_back();
      scope->kind = Scope::Kind::Function;
      scope->is_annotations = true;
      scope->node = owner;
      scope->parent = current_;
      scope->class_name = class_name_;
      current_->children.push_back(scope);
    }
    Scope* const outer = std::exchange(current_, scope);
    body();
    current_ = outer;
  }

  // Type parameters live in a function around the definition that nobody else sees; `given`: its own parameters.
  template <class Body>
  void in_type_parameters(NodeId id, std::initializer_list<const char*> given, Body body) {
    if (id == kNoNode) return body();
    Scope& scope = open(Scope::Kind::Function, id);
    scope.is_annotations = scope.is_type_parameters = true;
    for (const char* name : given) scope.symbol(name).is_parameter = scope.symbol(name).is_bound = true;
    for (const NodeId parameter : tree_.children(id)) bind(parameter, tree_.text(parameter));
    scope.symbol(".type_params").is_bound = true;
    for (const NodeId parameter : tree_.children(id)) {
      if (tree_.child(parameter, 0) != kNoNode) visit_evaluated(parameter, tree_.child(parameter, 0));
    }
    body();
    close();
  }

  void visit_function(NodeId id, NodeId parameters, NodeId body) {
    Scope& scope = open(Scope::Kind::Function, id);
    if (tree_.kind(id) == NodeKind::FunctionDef && is_async(id)) scope.is_generator = scope.is_async = true;
    visit_parameters(parameters);
    visit(body);
    close();
  }

  // The annotations and the body of a def statement.
  void visit_definition(NodeId id, NodeId parameters) {
    bool has_annotations = tree_.child(id, 2) != kNoNode;
    for (std::size_t i = 0; i < tree_.children(parameters).size(); ++i) {
      has_annotations |= tree_.child(tree_.child(parameters, i), 0) != kNoNode;
    }
    if (has_annotations) {
      in_annotations(id, [&] {
        for (std::size_t i = 0; i < tree_.children(parameters).size(); ++i) {
          visit(tree_.child(tree_.child(parameters, i), 0));
        }
        visit(tree_.child(id, 2));
      });
    }
    visit_function(id, parameters, tree_.child(id, 3));
  }

  void visit_comprehension(NodeId id) {
    const std::size_t count = tree_.children(id).size();
    // The first iterable is evaluated outside.
    const NodeId first = tree_.child(id, 0);
    visit(tree_.child(first, 1));
    Scope& scope = open(Scope::Kind::Comprehension, id);
    scope.symbol(".0").is_parameter = true;
    scope.symbol(".0").is_bound = true;
    const bool is_expression = tree_.kind(id) == NodeKind::GeneratorExp;
    if (is_expression) scope.is_generator = scope.has_yield = true;
    for (std::size_t i = 0; i < count; ++i) {
      const NodeId part = tree_.child(id, i);
      if (tree_.kind(part) != NodeKind::Comprehension) {
        visit(part);
        continue;
      }
      if (is_async(part)) waits(scope);
      visit_target(tree_.child(part, 0));
      if (i > 0) visit(tree_.child(part, 1));
      for (std::size_t c = 2; c < tree_.children(part).size(); ++c) visit(tree_.child(part, c));
    }
    close();
    // What is waited for inside is waited for by whoever evaluates it; a generator expression is only made here.
    if (!scope.is_async || is_expression) return;
    if (current_->kind == Scope::Kind::Comprehension) return waits(*current_);
    if (!in_coroutine()) fail(id, "asynchronous comprehension outside of an asynchronous function");
  }

  bool is_async(NodeId id) const { return tree_.node(id).detail == 1; }
  bool in_coroutine() const { return current_->kind == Scope::Kind::Function && current_->is_async; }
  static void waits(Scope& comprehension) { comprehension.is_generator = comprehension.is_async = true; }

  void visit_target(NodeId id) {
    if (id == kNoNode) return;
    if (tree_.kind(id) == NodeKind::Name) {
      bind(id, tree_.text(id));
    } else if (tree_.kind(id) == NodeKind::Tuple || tree_.kind(id) == NodeKind::List ||
               tree_.kind(id) == NodeKind::Starred) {
      for (std::size_t i = 0; i < tree_.children(id).size(); ++i) visit_target(tree_.child(id, i));
    } else {
      visit(id);
    }
  }

  void declare(NodeId id, bool is_global) {
    for (std::size_t i = 0; i < tree_.children(id).size(); ++i) {
      const NodeId name = tree_.child(id, i);
      const std::string stored = mangled(class_name_, tree_.text(name));
      if (const Scope::Symbol* known = current_->find(stored)) {
        const std::string_view verb = is_global ? "global" : "nonlocal";
        if (known->is_parameter) return fail(name, fmt::format("name '{}' is parameter and {}", stored, verb));
        if (known->is_declared_global != is_global && (known->is_declared_global || known->is_declared_nonlocal)) {
          return fail(name, fmt::format("name '{}' is nonlocal and global", stored));
        }
        if (known->is_annotated) return fail(name, fmt::format("annotated name '{}' can't be {}", stored, verb));
        if (known->is_bound && !known->is_declared_global && !known->is_declared_nonlocal) {
          return fail(name, fmt::format("name '{}' is assigned to before {} declaration", stored, verb));
        }
        if (known->is_used && !known->is_declared_global && !known->is_declared_nonlocal) {
          return fail(name, fmt::format("name '{}' is used prior to {} declaration", stored, verb));
        }
      }
      if (!is_global && current_->kind == Scope::Kind::Module) {
        return fail(name, "nonlocal declaration not allowed at module level");
      }
      Scope::Symbol& symbol = current_->symbol(stored);
      (is_global ? symbol.is_declared_global : symbol.is_declared_nonlocal) = true;
    }
  }

  void visit(NodeId id) {
    if (id == kNoNode || error_) return;
    switch (tree_.kind(id)) {
      case NodeKind::FunctionDef: {
        visit(tree_.child(id, 0));
        bind(id, tree_.text(id));
        const NodeId parameters = tree_.child(id, 1);
        visit_defaults(parameters);
        in_type_parameters(tree_.child(id, 4), {".defaults", ".kwdefaults"}, [&] { visit_definition(id, parameters); });
        return;
      }
      case NodeKind::Lambda:
        visit_defaults(tree_.child(id, 0));
        visit_function(id, tree_.child(id, 0), tree_.child(id, 1));
        return;
      case NodeKind::ClassDef: {
        visit(tree_.child(id, 0));
        bind(id, tree_.text(id));
        const NodeId generic = tree_.child(id, 3);
        const std::string_view outer = class_name_;
        // The variables of a class are private to it already.
        if (generic != kNoNode) class_name_ = tree_.text(id);
        in_type_parameters(generic, {}, [&] {
          visit(tree_.child(id, 1));
          class_name_ = tree_.text(id);
          open(Scope::Kind::Class, id);
          if (generic != kNoNode) current_->symbol(".type_params").is_used = true;
          visit(tree_.child(id, 2));
          close();
        });
        class_name_ = outer;
        return;
      }
      case NodeKind::ListComp:
      case NodeKind::SetComp:
      case NodeKind::DictComp:
      case NodeKind::GeneratorExp:
        visit_comprehension(id);
        return;
      case NodeKind::Name:
        use(tree_.text(id));
        return;
      case NodeKind::NamedExpr: {
        visit(tree_.child(id, 1));
        const NodeId name = tree_.child(id, 0);
        Scope* const inner = current_;
        bool crossed = false;
        while (current_->kind == Scope::Kind::Comprehension) {
          if (const Scope::Symbol* known = current_->find(tree_.text(name)); known != nullptr && known->is_bound) {
            fail(name, fmt::format("assignment expression cannot rebind comprehension iteration variable '{}'",
                                   tree_.text(name)));
          }
          current_ = current_->parent;
          crossed = true;
        }
        if (crossed && current_->kind == Scope::Kind::Class) {
          fail(id, "assignment expression within a comprehension cannot be used in a class body");
        }
        bind(name, tree_.text(name));
        Scope* const owner = current_;
        current_ = inner;
        if (crossed) {
          // The comprehensions between see the owner's variable.
          const bool in_module = owner->kind == Scope::Kind::Module ||
                                 owner->symbol(mangled(class_name_, tree_.text(name))).is_declared_global;
          for (Scope* scope = inner; scope != owner; scope = scope->parent) {
            Scope::Symbol& symbol = scope->symbol(mangled(class_name_, tree_.text(name)));
            (in_module ? symbol.is_declared_global : symbol.is_declared_nonlocal) = true;
          }
        }
        return;
      }
      case NodeKind::Assign:
        visit(tree_.child(id, 0));
        for (std::size_t i = 1; i < tree_.children(id).size(); ++i) visit_target(tree_.child(id, i));
        return;
      case NodeKind::AugAssign: {
        const NodeId to = tree_.child(id, 0);
        visit(to);
        visit_target(to);
        visit(tree_.child(id, 1));
        return;
      }
      case NodeKind::AnnAssign: {
        const NodeId to = tree_.child(id, 0);
        const bool declares = tree_.kind(to) == NodeKind::Name && tree_.node(id).detail == 0;
        if (declares) {
          Scope::Symbol& symbol = current_->symbol(mangled(class_name_, tree_.text(to)));
          if (symbol.is_declared_global) {
            return fail(to, fmt::format("annotated name '{}' can't be global", tree_.text(to)));
          }
          symbol.is_annotated = symbol.is_bound = true;
          // Those of local variables are never evaluated.
          if (current_->kind != Scope::Kind::Function)
            in_annotations(current_->node, [&] { visit(tree_.child(id, 1)); });
        } else {
          if (tree_.child(id, 2) != kNoNode)
            visit_target(to);
          else
            visit(to);
        }
        visit(tree_.child(id, 2));
        return;
      }
      case NodeKind::TypeAlias:
        bind(id, tree_.text(tree_.child(id, 0)));
        in_type_parameters(tree_.child(id, 1), {}, [&] { visit_evaluated(id, tree_.child(id, 2)); });
        return;
      case NodeKind::Delete:
        visit_targets(id, 0);
        return;
      case NodeKind::For:
        if (is_async(id) && !in_coroutine()) return fail(id, "'async for' outside async function");
        visit_target(tree_.child(id, 0));
        for (std::size_t i = 1; i < 4; ++i) visit(tree_.child(id, i));
        return;
      case NodeKind::If: {
        // A chain of elif is a chain of nodes: walked without recursion.
        NodeId at = id;
        while (at != kNoNode && tree_.kind(at) == NodeKind::If) {
          visit(tree_.child(at, 0));
          visit(tree_.child(at, 1));
          at = tree_.child(at, 2);
        }
        visit(at);
        return;
      }
      case NodeKind::WithItem:
        visit(tree_.child(id, 0));
        visit_target(tree_.child(id, 1));
        return;
      case NodeKind::With:
        if (is_async(id) && !in_coroutine()) return fail(id, "'async with' outside async function");
        for (std::size_t i = 1; i < tree_.children(id).size(); ++i) visit(tree_.child(id, i));
        visit(tree_.child(id, 0));
        return;
      case NodeKind::ExceptHandler:
        visit(tree_.child(id, 0));
        if (!tree_.text(id).empty()) bind(id, tree_.text(id));
        visit(tree_.child(id, 1));
        return;
      case NodeKind::Import:
      case NodeKind::ImportFrom:
        visit_import(id);
        return;
      case NodeKind::Global:
        declare(id, true);
        return;
      case NodeKind::Nonlocal:
        declare(id, false);
        return;
      case NodeKind::Yield:
      case NodeKind::YieldFrom: {
        Scope* scope = current_;
        if (scope->kind == Scope::Kind::Comprehension) {
          return fail(id, "'yield' inside list comprehension");
        }
        if (scope->kind != Scope::Kind::Function) return fail(id, "'yield' outside function");
        if (scope->is_async && tree_.kind(id) == NodeKind::YieldFrom) {
          return fail(id, "'yield from' inside async function");
        }
        scope->is_generator = scope->has_yield = true;
        visit_all(id);
        return;
      }
      case NodeKind::Await:
        if (current_->kind == Scope::Kind::Comprehension)
          waits(*current_);
        else if (current_->kind != Scope::Kind::Function || current_->is_annotations)
          return fail(id, "'await' outside function");
        else if (!current_->is_async)
          return fail(id, "'await' outside async function");
        visit_all(id);
        return;
      case NodeKind::MatchMapping:
      case NodeKind::MatchStar:
      case NodeKind::MatchAs:
        visit_all(id);
        if (!tree_.text(id).empty()) bind(id, tree_.text(id));
        return;
      default:
        visit_all(id);
        return;
    }
  }

  void visit_targets(NodeId id, std::size_t from) {
    for (std::size_t i = from; i < tree_.children(id).size(); ++i) visit_target(tree_.child(id, i));
  }

  // An expression that is evaluated when somebody asks for it, as annotations are.
  void visit_evaluated(NodeId id, NodeId expression) {
    open(Scope::Kind::Function, id).is_annotations = true;
    visit(expression);
    close();
  }

  void visit_import(NodeId id) {
    if (tree_.kind(id) == NodeKind::ImportFrom && tree_.text(id) == "__future__") {
      for (std::size_t i = 0; i < tree_.children(id).size(); ++i) {
        if (tree_.text(tree_.child(id, i)) == "annotations") table_.annotations_are_texts_ = true;
      }
    }
    for (std::size_t i = 0; i < tree_.children(id).size(); ++i) {
      const NodeId alias = tree_.child(id, i);
      if (tree_.node(alias).detail == 1) {
        const NodeId name = tree_.child(alias, 0);
        bind(name, tree_.text(name));
      } else if (tree_.text(alias) == "*") {
        if (current_->kind != Scope::Kind::Module) return fail(alias, "import * only allowed at module level");
      } else {
        const std::string_view name = tree_.text(alias);
        bind(alias, name.substr(0, name.find('.')));
      }
    }
  }

  // A name that an inner scope takes from a function around: the scopes on the way hand the cell on.
  bool capture(Scope* scope, const std::string& name) {
    for (Scope* at = scope->parent; at != nullptr; at = at->parent) {
      if (at->kind == Scope::Kind::Class) {
        if (name == "__class__" && at->needs_class_cell) return mark_free(scope, at, name);
        continue;
      }
      if (at->kind == Scope::Kind::Module) return false;
      const auto found = at->symbols.find(name);
      if (found == at->symbols.end()) continue;
      Scope::Symbol& symbol = found->second;
      if (symbol.is_declared_global) return false;
      if (symbol.is_bound && !symbol.is_declared_nonlocal) {
        symbol.place = Place::Cell;
        return mark_free(scope, at, name);
      }
      if (symbol.place == Place::Free) return mark_free(scope, at, name);
    }
    return false;
  }
  static bool mark_free(Scope* from, const Scope* owner, const std::string& name) {
    for (Scope* at = from; at != owner; at = at->parent) {
      Scope::Symbol& symbol = at->symbol(name);
      // A class's own binding of the name stays its own.
      if (at != from && at->kind == Scope::Kind::Class && symbol.is_bound) {
        class_free(*at, name);
        continue;
      }
      symbol.place = Place::Free;
    }
    return true;
  }
  // The class hands a cell on to its methods under the same name as one of its attributes.
  static void class_free(Scope& scope, const std::string& name) {
    scope.symbol(fmt::format("&{}", name)).place = Place::Free;
  }

  void resolve(Scope& scope) {
    const bool has_slots = scope.kind == Scope::Kind::Function || scope.kind == Scope::Kind::Comprehension;
    if (scope.kind == Scope::Kind::Class && scope.needs_class_cell) {
      Scope::Symbol& cell = scope.symbol("__class__");
      cell.place = Place::Cell;
    }
    // Indices: capture() may add names.
    for (std::size_t i = 0; i < scope.order.size(); ++i) {
      const std::string name = scope.order[i];
      Scope::Symbol& symbol = scope.symbols.at(name);
      if (symbol.place == Place::Cell || symbol.place == Place::Free) continue;
      if (name[0] == '&') continue;
      if (symbol.is_declared_global) {
        symbol.place = Place::Global;
      } else if (symbol.is_declared_nonlocal) {
        if (!capture(&scope, name)) {
          fail(scope.node, fmt::format("no binding for nonlocal '{}' found", name));
          return;
        }
      } else if (symbol.is_bound) {
        symbol.place = has_slots ? Place::Local : Place::Name;
      } else if (!capture(&scope, name)) {
        scope.symbols.at(name).place = has_slots && !scope.is_annotations ? Place::Global : Place::Name;
      }
    }
    for (Scope* child : scope.children) {
      resolve(*child);
      if (error_) return;
    }
  }

  const Tree& tree_;
  SymbolTable& table_;
  Scope* current_ = nullptr;
  std::string_view class_name_;
  std::optional<SyntaxError> error_;
};

std::optional<SyntaxError> SymbolTable::build(const Tree& tree, SymbolTable& into) {
  return SymbolVisitor(tree, into).run();
}

}  // namespace nns::python
