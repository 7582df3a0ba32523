"""Lengths and places as people read them, and as reports keep them."""

from typing import Any

Place = tuple[float, float, float]


def place(point: Any) -> Place:
    """A point as plain numbers, in metres."""
    x, y, z = (float(value) for value in point)
    return x, y, z


def length(metres: float) -> str:
    """A length in millimetres, to four digits."""
    return f"{metres * 1e3:.4g} mm"


def at(point: Any) -> str:
    """`at (x, y, z) mm`, to a micrometre."""
    return "at (" + ", ".join(f"{value * 1e3:.3f}" for value in point) + ") mm"


def counted(count: int, singular: str, plural: str = "") -> str:
    """`1 channel`, `2 channels`."""
    return f"{count} {singular if count == 1 else plural or singular + 's'}"
