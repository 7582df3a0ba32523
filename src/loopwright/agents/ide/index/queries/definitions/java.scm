(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(record_declaration name: (identifier) @name) @class
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @initializer
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @variable
