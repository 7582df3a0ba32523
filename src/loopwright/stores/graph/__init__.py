"""The knowledge graph behind one door: an embedded engine in a file, or a Neo4j server."""
