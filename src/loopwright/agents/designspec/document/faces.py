"""The names of a body's faces."""

from typing import Literal

Face = Literal["top", "bottom", "left", "right", "front", "back", "+x", "-x", "+y", "-y", "+z", "-z"]
"""`top` is +z, `right` +x, `back` +y."""
