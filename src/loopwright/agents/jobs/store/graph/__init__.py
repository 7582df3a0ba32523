"""The knowledge graph behind one interface: an embedded engine in a file, or a Neo4j server."""
