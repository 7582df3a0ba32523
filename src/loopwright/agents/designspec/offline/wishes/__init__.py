"""What users may wish, one kind a file: each reads a clause into a wish, and a wish plans itself into a draft."""
