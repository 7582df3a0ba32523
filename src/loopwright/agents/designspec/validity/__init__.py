"""Whether a design is what it claims to be: measured on the meshes and on the networks, never assumed."""
