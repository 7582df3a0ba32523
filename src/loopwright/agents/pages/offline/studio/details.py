"""The kit's data files, and content that is filled with what a brief says in passing (`brief/details.py`).

Content of a product type marks the places with `{subject}`, `{Subject}` (with a capital), `{names}`, `{name}`, `{app}`
and `{place}`; the key `details` of its JSON holds what stands there when the brief says nothing.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import BaseLoader, Environment, FunctionLoader, StrictUndefined

# The kit's data files: read from the package on first use, parsed once.

PACKAGE = "loopwright.agents.pages.offline.studio"


@cache
def read_text(path: str) -> str:
    """Return a data file's text; `path` is relative to the `data` folder.

    Raises:
        FileNotFoundError: when the package has no such file.
    """
    return resources.files(PACKAGE).joinpath("data", path).read_text(encoding="utf-8")


@cache
def exists(path: str) -> bool:
    """Whether the package has this data file; `path` is relative to the `data` folder."""
    return resources.files(PACKAGE).joinpath("data", path).is_file()


@cache
def folder_exists(path: str) -> bool:
    """Whether the package has this data folder; `path` is relative to the `data` folder."""
    return resources.files(PACKAGE).joinpath("data", path).is_dir()


@cache
def read_json(path: str) -> Any:
    """Return a parsed JSON data file. The value is shared: callers must not change it."""
    return json.loads(read_text(path))


@cache
def names_in(folder: str, suffix: str) -> tuple[str, ...]:
    """Return the stems of the files in a data folder that end in `suffix`, sorted."""
    entries = resources.files(PACKAGE).joinpath("data", folder).iterdir()
    return tuple(sorted(entry.name.removesuffix(suffix) for entry in entries if entry.name.endswith(suffix)))


def merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Return `base` overlaid by `over`, dictionaries deeply, everything else replaced."""
    result = dict(base)
    for key, value in over.items():
        below = result.get(key)
        result[key] = merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return result


def _load(name: str) -> str | None:
    try:
        return read_text(name)
    except FileNotFoundError:
        return None  # Jinja raises TemplateNotFound with the name of the template that asked


@cache
def environment(autoescape: bool = True) -> Environment:
    """Return the Jinja environment: strict about undefined names, escaping unless it makes CSS."""
    loader: BaseLoader = FunctionLoader(_load)
    return Environment(
        loader=loader,
        undefined=StrictUndefined,
        autoescape=autoescape,  # noqa: S701 - off only for style sheets, whose values are computed colours and numbers
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def filled(content: Any, values: dict[str, str]) -> Any:
    """The content with `{key}` replaced by what the key stands for, in every text of it."""
    if isinstance(content, str):
        return re.sub(r"\{([A-Za-z]+)\}", lambda match: values.get(match[1], match[0]), content)
    if isinstance(content, list):
        return [filled(each, values) for each in content]
    if isinstance(content, dict):
        return {key: filled(value, values) for key, value in content.items()}
    return content
