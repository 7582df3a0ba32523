"""The designspec agent: geometry by conversation, approved patches, and a pipeline to printable meshes (spec 001)."""
