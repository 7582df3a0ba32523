"""What is taken out of a model's text: blocks of the product doc, search/replace edits, style sheets."""
