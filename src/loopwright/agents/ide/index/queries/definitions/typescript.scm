(class_declaration name: (type_identifier) @name) @class
(abstract_class_declaration name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(type_alias_declaration name: (type_identifier) @name) @type
(function_declaration name: (identifier) @name) @function
(method_definition name: (property_identifier) @name) @method
(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @variable)))
