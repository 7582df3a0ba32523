"""Text of models, files and programs on its way to the terminal."""

KEPT = "\n\t"


def printable(text: str) -> str:
    """The text without signs by which it could speak to the terminal, and show something else than it does."""
    return "".join(letter if letter.isprintable() or letter in KEPT else "�" for letter in text)
