"""The interview's data tables."""

import json
from importlib import resources
from typing import Any


def read_data(name: str) -> Any:
    """A table by its file name."""
    return json.loads(resources.files("loopwright.agents.pages.interview").joinpath(name).read_text(encoding="utf-8"))
