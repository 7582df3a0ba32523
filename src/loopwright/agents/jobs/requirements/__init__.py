"""What the tools for requirements share: how they are shown, what must bear them, what they are compared with."""
