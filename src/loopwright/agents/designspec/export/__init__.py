"""Writing results: meshes, networks, pictures."""
