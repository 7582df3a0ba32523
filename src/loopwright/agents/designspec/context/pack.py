"""A context pack: what the model is shown of a project, as data."""

from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic_core import to_json

ContextMode = Literal["compact", "debug_compact", "full"]


@dataclass(frozen=True)
class ContextPack:
    """The pack, how much it shows, and which of the model's wishes it grants."""

    mode: ContextMode
    data: dict[str, Any]
    units: str = "m"
    granted: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The pack as JSON; a closing mark that stands within the data cannot end it."""
        return to_json(self.data | {"mode": self.mode}).decode().replace("</context_pack", "<\\/context_pack")
