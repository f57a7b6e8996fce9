; Colours that a reader of modules wants beyond those of tree-sitter-python's own highlights.scm, which stands before
; this file: of two patterns that name one node, the later one counts.

; Names by their form
((identifier) @constructor
 (#match? @constructor "^_*[A-Z]"))
((identifier) @constant
 (#match? @constant "^_*[A-Z][A-Z0-9_]+$"))

; Attributes
((attribute attribute: (identifier) @constructor)
 (#match? @constructor "^_*[A-Z]"))
((attribute attribute: (identifier) @constant)
 (#match? @constant "^_*[A-Z][A-Z0-9_]+$"))
((identifier) @variable.builtin
 (#any-of? @variable.builtin "self" "cls"))

; Calls
((call function: (identifier) @function)
 (#any-of? @function "self" "cls"))
((call function: (attribute attribute: (identifier) @function.method))
 (#not-match? @function.method "^_*[A-Z]"))
(keyword_argument name: (identifier) @variable.parameter)

; Types
((type (identifier) @function.builtin)
 (#any-of? @function.builtin
  "bool" "bytearray" "bytes" "complex" "dict" "float" "frozenset" "int" "list" "memoryview" "object" "range" "set"
  "slice" "str" "tuple" "type"))

; Definitions
(class_definition name: (identifier) @type)
(function_definition name: (identifier) @function)

; Decorators
(decorator "@" @attribute)
(decorator (identifier) @attribute)
(decorator (attribute attribute: (identifier) @attribute))
(decorator (call function: (identifier) @attribute))
(decorator (call function: (attribute attribute: (identifier) @attribute)))

; Literals
(ellipsis) @constant.builtin
(escape_interpolation) @escape

; Words that work as signs read as words
["and" "in" "is" "not" "or" "is not" "not in"] @keyword.operator
(type_alias_statement "type" @keyword)

(binary_operator operator: "@" @operator)
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
(interpolation
  "{" @punctuation.bracket
  "}" @punctuation.bracket)
