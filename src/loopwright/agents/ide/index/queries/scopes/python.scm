; Where names are bound, and which names are no plain ones. A @binding belongs to the @scope of its own match, else to
; the innermost one around it. Defaults and annotations of parameters stand outside of the body, as in the language.

(function_definition body: (block) @scope)
(lambda body: (_) @scope)
[(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @scope
(class_definition body: (block) @class)

(function_definition
  parameters: (parameters [
    (identifier) @binding
    (default_parameter name: (identifier) @binding)
    (typed_parameter . (identifier) @binding)
    (typed_default_parameter name: (identifier) @binding)
    (list_splat_pattern (identifier) @binding)
    (dictionary_splat_pattern (identifier) @binding)
    (typed_parameter [(list_splat_pattern (identifier) @binding) (dictionary_splat_pattern (identifier) @binding)])
  ])
  body: (block) @scope)
(lambda
  parameters: (lambda_parameters [
    (identifier) @binding
    (default_parameter name: (identifier) @binding)
    (list_splat_pattern (identifier) @binding)
    (dictionary_splat_pattern (identifier) @binding)
  ])
  body: (_) @scope)

(function_definition name: (identifier) @binding)
(class_definition name: (identifier) @binding)
(assignment left: (identifier) @binding)
(augmented_assignment left: (identifier) @binding)
(pattern_list (identifier) @binding)
(tuple_pattern (identifier) @binding)
(list_pattern (identifier) @binding)
(pattern_list (list_splat_pattern (identifier) @binding))
(tuple_pattern (list_splat_pattern (identifier) @binding))
(list_pattern (list_splat_pattern (identifier) @binding))
(for_statement left: (identifier) @binding)
(for_in_clause left: (identifier) @binding)
(named_expression name: (identifier) @binding)
(as_pattern_target (identifier) @binding)
(as_pattern_target (_ (identifier) @binding))
(as_pattern (case_pattern) (identifier) @binding)
(case_pattern (dotted_name . (identifier) @binding .))
(splat_pattern (identifier) @binding)
[(global_statement (identifier) @outer) (nonlocal_statement (identifier) @outer)]

(import_statement name: (dotted_name . (identifier) @root) @module)
(import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @alias))
(import_from_statement module_name: (_) @source name: (dotted_name . (identifier) @imported .))
(import_from_statement module_name: (_) @source
  name: (aliased_import name: (dotted_name . (identifier) @imported .) alias: (identifier) @alias))
(import_from_statement module_name: (_) @source (wildcard_import))
(import_statement name: (dotted_name (identifier) @part))
(import_statement name: (aliased_import name: (dotted_name (identifier) @part)))
(import_from_statement module_name: (dotted_name (identifier) @part))
(import_from_statement module_name: (relative_import (dotted_name (identifier) @part)))

(attribute object: (_) @object attribute: (identifier) @member)
[(keyword_argument name: (identifier) @keyword) (keyword_pattern . (identifier) @keyword)]

((assignment left: (identifier) @all right: (_ (string (string_content) @exported))) (#eq? @all "__all__"))
((augmented_assignment left: (identifier) @all right: (_ (string (string_content) @exported))) (#eq? @all "__all__"))
((call function: (attribute object: (identifier) @all)
  arguments: (argument_list (_ (string (string_content) @exported)))) (#eq? @all "__all__"))
