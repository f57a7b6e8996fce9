// Functions, classes, comprehensions: what becomes code of its own.
#include <fmt/format.h>

#include <algorithm>

#include "core/python/eval/compiler.h"
#include "core/python/eval/machine.h"

namespace nns::python {

Compiler Compiler::inner() const {
  Compiler made(interpreter_, shared_tree_, table_, error_);
  made.outer_ = this;
  made.mode_ = mode_;
  return made;
}

std::string Compiler::qualified(std::string_view name) const {
  if (scope_->is_type_parameters) return outer_->qualified(name);
  // A name declared global belongs to the module.
  if (const Scope::Symbol* symbol = scope_->find(mangled(scope_->class_name, name));
      symbol != nullptr && symbol->is_declared_global) {
    return std::string(name);
  }
  if (scope_->kind == Scope::Kind::Module) return std::string(name);
  const bool is_class = scope_->kind == Scope::Kind::Class;
  return fmt::format("{}{}.{}", code_->qualified_name, is_class ? "" : ".<locals>", name);
}

void Compiler::begin(const Scope& scope, std::string_view name, std::string qualified_name, NodeId node) {
  scope_ = &scope;
  code_ = object::make<Code>(*Machine::of(interpreter_).classes.code);
  code_->tree = shared_tree_;
  code_->name = name;
  code_->qualified_name = std::move(qualified_name);
  code_->node = node;
  code_->is_function = scope.kind == Scope::Kind::Function || scope.kind == Scope::Kind::Comprehension;
  code_->is_generator = scope.is_generator;
  code_->is_async = scope.is_async;
  code_->has_yield = scope.has_yield;
  span_ = tree_.span(node);
  // Slots: parameters have been named first by the symbol table; then the other locals, cells, free names.
  for (const std::string& symbol_name : scope.order) {
    const Scope::Symbol& symbol = scope.symbols.at(symbol_name);
    const bool is_parameter = symbol.is_parameter;
    if (symbol.place == Place::Local || is_parameter) {
      local_indices_.emplace(symbol_name, static_cast<std::uint32_t>(code_->locals.size()));
      code_->locals.push_back(interpreter_.intern(symbol_name));
    }
  }
  for (const std::string& symbol_name : scope.order) {
    const Scope::Symbol& symbol = scope.symbols.at(symbol_name);
    if (symbol.place != Place::Cell) continue;
    cell_indices_.emplace(symbol_name, static_cast<std::uint32_t>(code_->cells.size()));
    code_->cells.push_back(interpreter_.intern(symbol_name));
    code_->cell_parameters.push_back(symbol.is_parameter ? static_cast<std::int32_t>(local_indices_.at(symbol_name))
                                                         : -1);
  }
  for (const std::string& symbol_name : scope.order) {
    if (scope.symbols.at(symbol_name).place != Place::Free) continue;
    cell_indices_.emplace(symbol_name, static_cast<std::uint32_t>(code_->cells.size() + code_->free.size()));
    code_->free.push_back(interpreter_.intern(symbol_name[0] == '&' ? std::string_view(symbol_name).substr(1)
                                                                    : std::string_view(symbol_name)));
  }
  if (code_->is_generator) emit(Opcode::ReturnGenerator);
}

Ref<Code> Compiler::finish() {
  find_stack_size();
  code_->complete();
  return std::move(code_);
}

std::uint32_t Compiler::closure_slot(std::string_view name) const {
  if (scope_->kind == Scope::Kind::Class) {
    if (const auto handed = cell_indices_.find(fmt::format("&{}", name)); handed != cell_indices_.end()) {
      return handed->second;
    }
  }
  return cell_indices_.at(std::string(name));
}

std::uint32_t Compiler::closure(const Code& code) {
  if (code.free.empty()) return 0;
  for (const Name name : code.free) emit(Opcode::LoadClosure, closure_slot(name.view()));
  emit(Opcode::BuildTuple, static_cast<std::uint32_t>(code.free.size()));
  return kHasClosure;
}

std::optional<std::string_view> Compiler::docstring(NodeId statements) const {
  if (tree_.children(statements).empty()) return std::nullopt;
  const NodeId first = tree_.child(statements, 0);
  if (tree_.kind(first) != NodeKind::Expr) return std::nullopt;
  const NodeId value = tree_.child(first, 0);
  const bool is_text = tree_.kind(value) == NodeKind::Constant &&
                       static_cast<ConstantKind>(tree_.node(value).detail) == ConstantKind::Str;
  return is_text ? std::optional(tree_.text(value)) : std::nullopt;
}

void Compiler::load_decorators(NodeId decorators) {
  for (const NodeId decorator : tree_.children(decorators)) {
    this->decorator(decorator);
    emit(Opcode::PushNull);
  }
}

// As any expression; a stand-in that is called in it gives a decorator.
void Compiler::decorator(NodeId id) {
  const At at(*this, id);
  if (tree_.kind(id) == NodeKind::Attribute) {
    decorator(tree_.child(id, 0));
    emit(Opcode::LoadAttr, name_index(mangled(scope_->class_name, tree_.text(id))));
  } else if (tree_.kind(id) == NodeKind::Call) {
    decorator(tree_.child(id, 0));
    emit(Opcode::PushNull);
    emit(Opcode::MakesDecorator);
    call_arguments(id, 1, 0);
  } else {
    expression(id);
  }
}

void Compiler::call_decorators(NodeId decorators) {
  for (std::size_t i = tree_.children(decorators).size(); i-- > 0;) {
    const At at(*this, tree_.child(decorators, i));
    emit(Opcode::Call, 1, kDecorates);
  }
}

void Compiler::make_function(const Ref<Code>& code, std::uint32_t parts) {
  load_constant(code);
  emit(Opcode::MakeFunction, parts);
}

void Compiler::bind_parameters(const Scope&, NodeId parameters) {
  // The slots follow Python's order: positional, keyword-only, *args, **kwargs. The symbol table has them as written.
  std::vector<Name> ordered;
  for (const int round : {0, 1, 2, 3}) {
    for (std::size_t i = 0; i < tree_.children(parameters).size(); ++i) {
      const NodeId parameter = tree_.child(parameters, i);
      const auto kind = static_cast<ParameterKind>(tree_.node(parameter).detail);
      const int own = kind == ParameterKind::PositionalOnly || kind == ParameterKind::Plain ? 0
                      : kind == ParameterKind::KeywordOnly                                  ? 1
                      : kind == ParameterKind::VarPositional                                ? 2
                                                                                            : 3;
      if (own != round) continue;
      ordered.push_back(interpreter_.intern(mangled(scope_->class_name, tree_.text(parameter))));
      switch (kind) {
        case ParameterKind::PositionalOnly:
          ++code_->positional_only_count;
          ++code_->positional_count;
          break;
        case ParameterKind::Plain:
          ++code_->positional_count;
          break;
        case ParameterKind::KeywordOnly:
          ++code_->keyword_only_count;
          break;
        case ParameterKind::VarPositional:
          code_->has_var_positional = true;
          break;
        case ParameterKind::VarKeyword:
          code_->has_var_keyword = true;
          break;
      }
    }
  }
  std::vector<Name> others;
  for (const Name name : code_->locals) {
    if (std::find(ordered.begin(), ordered.end(), name) == ordered.end()) others.push_back(name);
  }
  code_->locals = ordered;
  code_->locals.insert(code_->locals.end(), others.begin(), others.end());
  local_indices_.clear();
  for (std::size_t i = 0; i < code_->locals.size(); ++i) {
    local_indices_.emplace(code_->locals[i].view(), static_cast<std::uint32_t>(i));
  }
  for (std::size_t i = 0; i < code_->cells.size(); ++i) {
    const auto local = local_indices_.find(std::string(code_->cells[i].view()));
    if (local != local_indices_.end()) code_->cell_parameters[i] = static_cast<std::int32_t>(local->second);
  }
}

std::uint32_t Compiler::positional_defaults(NodeId parameters) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < tree_.children(parameters).size(); ++i) {
    const NodeId parameter = tree_.child(parameters, i);
    const auto kind = static_cast<ParameterKind>(tree_.node(parameter).detail);
    const bool is_positional = kind == ParameterKind::PositionalOnly || kind == ParameterKind::Plain;
    if (!is_positional || tree_.child(parameter, 1) == kNoNode) continue;
    expression(tree_.child(parameter, 1));
    ++count;
  }
  if (count == 0) return 0;
  emit(Opcode::BuildTuple, count);
  return kHasDefaults;
}

std::uint32_t Compiler::keyword_defaults(NodeId parameters) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < tree_.children(parameters).size(); ++i) {
    const NodeId parameter = tree_.child(parameters, i);
    if (static_cast<ParameterKind>(tree_.node(parameter).detail) != ParameterKind::KeywordOnly) continue;
    if (tree_.child(parameter, 1) == kNoNode) continue;
    load_constant(interpreter_.intern(mangled(scope_->class_name, tree_.text(parameter))).value());
    expression(tree_.child(parameter, 1));
    ++count;
  }
  if (count == 0) return 0;
  emit(Opcode::BuildMap, count);
  return kHasKeywordDefaults;
}

Ref<Code> Compiler::annotations_code(NodeId owner, const std::vector<std::pair<std::string, NodeId>>& annotations) {
  Compiler of = inner();
  of.begin(table_.annotations_of(owner), "__annotate__", qualified("__annotate__"), owner);
  of.emit(Opcode::BuildMap, 0);
  for (const auto& [name, annotation] : annotations) {
    of.load_constant(interpreter_.intern(name).value());
    if (table_.annotations_are_texts()) {
      const Span span = tree_.span(annotation);
      of.load_constant(interpreter_.intern(tree_.source().text().substr(span.begin, span.end - span.begin)).value());
    } else {
      of.expression(annotation);
    }
    of.emit(Opcode::MapAdd, 1);
  }
  of.emit(Opcode::Return);
  return of.finish();
}

bool Compiler::annotations_of_function(NodeId id) {
  if (!table_.has_annotations(id)) return false;
  const NodeId parameters = tree_.child(id, 1);
  std::vector<std::pair<std::string, NodeId>> annotations;
  for (std::size_t i = 0; i < tree_.children(parameters).size(); ++i) {
    const NodeId parameter = tree_.child(parameters, i);
    if (tree_.child(parameter, 0) != kNoNode) {
      annotations.emplace_back(mangled(scope_->class_name, tree_.text(parameter)), tree_.child(parameter, 0));
    }
  }
  if (tree_.child(id, 2) != kNoNode) annotations.emplace_back("return", tree_.child(id, 2));
  const Ref<Code> code = annotations_code(id, annotations);
  make_function(code, closure(*code));
  return true;
}

void Compiler::function_definition(NodeId id) {
  const NodeId decorators = tree_.child(id, 0);
  load_decorators(decorators);
  if (const NodeId generic = tree_.child(id, 4); generic != kNoNode) {
    const NodeId parameters = tree_.child(id, 1);
    begin_generic(generic, tree_.text(id), 2, [id](Compiler& of) { of.function_object(id, true); });
    if (positional_defaults(parameters) == 0) load_none();
    if (keyword_defaults(parameters) == 0) load_none();
    emit(Opcode::Call, 2);
  } else {
    function_object(id, false);
  }
  call_decorators(decorators);
  store_name(tree_.text(id));
}

void Compiler::function_object(NodeId id, bool is_generic) {
  const NodeId parameters = tree_.child(id, 1);
  const Scope& scope = table_.scope_of(id);
  Compiler of = inner();
  of.begin(scope, tree_.text(id), qualified(tree_.text(id)), id);
  of.bind_parameters(scope, parameters);
  const NodeId block = tree_.child(id, 3);
  if (const auto doc = docstring(block)) of.code_->doc = interpreter_.text(*doc);
  of.body(block);
  of.load_none();
  of.emit(Opcode::Return);
  const Ref<Code> code = of.finish();

  // On the stack, in this order: closure, defaults, keyword defaults, annotations.
  std::uint32_t parts = closure(*code);
  if (is_generic) {
    load_name(".defaults");
    load_name(".kwdefaults");
    parts |= kHasDefaults | kHasKeywordDefaults;
  } else {
    parts |= defaults(parameters);
  }
  if (annotations_of_function(id)) parts |= kHasAnnotations;
  make_function(code, parts);
  if (!is_generic) return;
  load_name(".type_params");
  emit(Opcode::SetTypeParameters);
}

void Compiler::lambda(NodeId id) {
  const NodeId parameters = tree_.child(id, 0);
  const Scope& scope = table_.scope_of(id);
  Compiler of = inner();
  of.begin(scope, "<lambda>", qualified("<lambda>"), id);
  of.bind_parameters(scope, parameters);
  of.expression(tree_.child(id, 1));
  of.emit(Opcode::Return);
  const Ref<Code> code = of.finish();
  std::uint32_t parts = closure(*code);
  parts |= defaults(parameters);
  make_function(code, parts);
}

void Compiler::class_definition(NodeId id) {
  const NodeId decorators = tree_.child(id, 0);
  load_decorators(decorators);
  if (const NodeId generic = tree_.child(id, 3); generic != kNoNode) {
    begin_generic(generic, tree_.text(id), 0, [id](Compiler& of) { of.class_object(id, true); });
    emit(Opcode::Call, 0);
  } else {
    class_object(id, false);
  }
  call_decorators(decorators);
  store_name(tree_.text(id));
}

void Compiler::class_object(NodeId id, bool is_generic) {
  const Scope& scope = table_.scope_of(id);
  Compiler of = inner();
  const std::string full = qualified(tree_.text(id));
  of.begin(scope, tree_.text(id), full, id);
  of.emit(Opcode::LoadName, of.name_index("__name__"));
  of.emit(Opcode::StoreName, of.name_index("__module__"));
  of.load_constant(interpreter_.text(full));
  of.emit(Opcode::StoreName, of.name_index("__qualname__"));
  if (is_generic) {
    of.load_name(".type_params");
    of.emit(Opcode::StoreName, of.name_index("__type_params__"));
  }
  const NodeId block = tree_.child(id, 2);
  if (const auto doc = docstring(block)) {
    of.load_constant(interpreter_.text(*doc));
    of.emit(Opcode::StoreName, of.name_index("__doc__"));
  }
  of.body(block);
  if (!of.annotations_.empty() && !error_) {
    const Ref<Code> annotate = of.annotations_code(id, of.annotations_);
    of.make_function(annotate, of.closure(*annotate));
    of.emit(Opcode::SetAnnotations);
  }
  // The cell that super() and __class__ use goes to whoever makes the class.
  if (scope.needs_class_cell)
    of.emit(Opcode::LoadClosure, of.cell_indices_.at("__class__"));
  else
    of.load_none();
  of.emit(Opcode::Return);
  const Ref<Code> code = of.finish();

  if (is_generic) {
    load_name(".type_params");
    emit(Opcode::BuildGenericClass);
  } else {
    emit(Opcode::BuildClass);
  }
  emit(Opcode::PushNull);
  make_function(code, closure(*code));
  load_constant(interpreter_.text(tree_.text(id)));
  call_arguments(tree_.child(id, 1), 0, 2);
}

void Compiler::comprehension(NodeId id) {
  const NodeKind kind = tree_.kind(id);
  const std::string_view name = kind == NodeKind::ListComp   ? "<listcomp>"
                                : kind == NodeKind::SetComp  ? "<setcomp>"
                                : kind == NodeKind::DictComp ? "<dictcomp>"
                                                             : "<genexpr>";
  const Scope& scope = table_.scope_of(id);
  Compiler of = inner();
  of.begin(scope, name, qualified(name), id);
  of.code_->positional_count = 1;
  if (kind == NodeKind::ListComp) of.emit(Opcode::BuildList, 0);
  if (kind == NodeKind::SetComp) of.emit(Opcode::BuildSet, 0);
  if (kind == NodeKind::DictComp) of.emit(Opcode::BuildMap, 0);
  of.comprehension_clause(id, 0, 1);
  if (kind == NodeKind::GeneratorExp) of.load_none();
  of.emit(Opcode::Return);
  const Ref<Code> code = of.finish();
  make_function(code, closure(*code));
  emit(Opcode::PushNull);
  const NodeId iterable = tree_.child(tree_.child(id, 0), 1);
  expression(iterable);
  {
    const At at(*this, iterable);
    emit(tree_.node(tree_.child(id, 0)).detail == 1 ? Opcode::GetAsyncIter : Opcode::GetIter);
  }
  emit(Opcode::Call, 1);
  if (scope.is_async && kind != NodeKind::GeneratorExp) await();
}

void Compiler::comprehension_clause(NodeId id, std::size_t clause, std::size_t depth) {
  const NodeKind kind = tree_.kind(id);
  const NodeId part = tree_.child(id, clause);
  if (tree_.kind(part) != NodeKind::Comprehension) {
    const auto below = static_cast<std::uint32_t>(depth);
    switch (kind) {
      case NodeKind::ListComp:
        expression(part);
        emit(Opcode::ListAppend, below);
        return;
      case NodeKind::SetComp:
        expression(part);
        emit(Opcode::SetAdd, below);
        return;
      case NodeKind::DictComp:
        expression(part);
        expression(tree_.child(id, clause + 1));
        emit(Opcode::MapAdd, below);
        return;
      default:
        expression(part);
        emit(Opcode::Yield, 0, code_->is_async ? 1 : 0);
        emit(Opcode::Pop);
        return;
    }
  }
  Label begin, end;
  const bool is_async = tree_.node(part).detail == 1;
  if (clause == 0) {
    emit(Opcode::LoadFast, local_indices_.at(".0"));
  } else {
    expression(tree_.child(part, 1));
    emit(is_async ? Opcode::GetAsyncIter : Opcode::GetIter);
  }
  place(begin);
  if (is_async)
    next_awaited(end);
  else
    jump(Opcode::ForIter, end);
  store(tree_.child(part, 0));
  for (std::size_t i = 2; i < tree_.children(part).size(); ++i) jump_if(tree_.child(part, i), begin, false);
  comprehension_clause(id, clause + 1, depth + 1);
  jump(Opcode::Jump, begin);
  place(end);
  if (is_async) emit(Opcode::EndAsyncFor);
}

Ref<Code> Compiler::module(CompileMode mode) {
  mode_ = mode;
  const NodeId root = tree_.root();
  begin(table_.scope_of(root), "<module>", "<module>", root);
  if (mode == CompileMode::Expression) {
    expression(tree_.child(root, 0));
    emit(Opcode::Return);
    return finish();
  }
  if (const auto doc = mode == CompileMode::Module ? docstring(root) : std::nullopt) {
    load_constant(interpreter_.text(*doc));
    emit(Opcode::StoreName, name_index("__doc__"));
  }
  body(root);
  if (!annotations_.empty() && !error_) {
    const Ref<Code> annotate = annotations_code(root, annotations_);
    make_function(annotate, 0);
    emit(Opcode::SetAnnotations);
  }
  load_none();
  emit(Opcode::Return);
  return finish();
}

Compiled compile(Interpreter& interpreter, std::shared_ptr<const Tree> tree, CompileMode mode) {
  SymbolTable table;
  std::optional<SyntaxError> error = SymbolTable::build(*tree, table);
  if (error) return *error;
  Compiler compiler(interpreter, std::move(tree), table, error);
  Ref<Code> code = compiler.module(mode);
  if (error) return *error;
  return code;
}

}  // namespace nns::python
