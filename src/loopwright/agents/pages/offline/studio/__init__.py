"""Design knowledge without a model: from a brief to a linked, working, handsome app."""
