"""One file per change of the schema, named by its revision."""
