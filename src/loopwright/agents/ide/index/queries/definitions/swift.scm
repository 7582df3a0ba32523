(class_declaration name: (type_identifier) @name) @class
(protocol_declaration name: (type_identifier) @name) @protocol
(function_declaration name: (simple_identifier) @name) @function
(init_declaration) @initializer
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @variable)
