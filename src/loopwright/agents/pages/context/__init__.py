"""What the model is told of the project: state, card, product doc, pages, design system."""
