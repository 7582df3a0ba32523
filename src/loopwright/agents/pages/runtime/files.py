"""Shared files as a function of their names: what lies in an app's folder `runtime`, and how a page uses it.

A page names them relative to itself (`../runtime/app.js`), as it does the design system, so that an app opens from disk
without a server. Nothing of them is stored: whoever needs a file makes it from its name.
"""

import re
from collections.abc import Callable
from functools import cache
from importlib import resources
from urllib.parse import quote

from loopwright.agents.pages.runtime.drawing import picture

FOLDER = "runtime"
"""Where the shared files lie, beside the folder of the pages."""
SCRIPT, STYLE = "app.js", "app.css"

_PARTS = ("app", "shop", "behaviours", "records", "lists")
"""The parts of the script in the order in which they build on each other."""
_PICTURES = "art/"
_ADDRESS = re.compile(rf"(?:\.\./|(?<![\w./-])(?:\./)?){FOLDER}/(?P<path>[\w./-]+)")
_LABEL = re.compile(r'App\.text\("([^"]+)"\)')
_SAFE = " =:/;,.()-+*!'"
"""What may stand in a `data:` address within double quotes as it is."""


def runtime_path(address: str) -> str | None:
    """The path within the shared folder that an address of a page means, such as `app.js`; None for any other."""
    found = _ADDRESS.fullmatch(address.strip().partition("?")[0].partition("#")[0])
    return found["path"] if found is not None else None


def runtime_file(path: str) -> str | None:
    """The text of a shared file by its path within the folder; None where there is no such file."""
    if path == SCRIPT:
        return _script()
    if path == STYLE:
        return _read(STYLE)
    return picture(path.removeprefix(_PICTURES)) if path.startswith(_PICTURES) else None


def runtime_files(html: str) -> dict[str, str]:
    """The shared files that a page names anywhere, in its markup, its styles or its scripts, by their paths."""
    made = ((found["path"], runtime_file(found["path"])) for found in _ADDRESS.finditer(html))
    return {path: text for path, text in made if text is not None}


def stand_in(path: str) -> str | None:
    """What takes a shared file's place in a page that stands on its own: its text, or a picture's `data:` address."""
    text = runtime_file(path)
    if text is None or not is_picture(path):
        return text
    return "data:image/svg+xml," + quote(text.replace('"', "'").strip(), safe=_SAFE)


def is_picture(path: str) -> bool:
    """Whether the path names a picture rather than a script or a style sheet."""
    return path.startswith(_PICTURES)


def with_pictures(html: str, address_of: Callable[[str], str | None]) -> str:
    """The page whose shared pictures have other addresses; None leaves one as it is."""

    def replaced(found: "re.Match[str]") -> str:
        address = address_of(found["path"]) if is_picture(found["path"]) else None
        return found[0] if address is None else address

    return _ADDRESS.sub(replaced, html)


@cache
def script_parts() -> dict[str, str]:
    """The parts of the shared script by their names, in the order in which they build on each other."""
    return {part: _read(f"scripts/{part}.js") for part in _PARTS}


@cache
def spoken_labels() -> tuple[str, ...]:
    """The English labels that the script says, which a page in another language brings along."""
    return tuple(dict.fromkeys(_LABEL.findall(_script())))


@cache
def _script() -> str:
    return "\n".join(script_parts().values())


@cache
def _read(path: str) -> str:
    return resources.files("loopwright.agents.pages.runtime").joinpath("data", path).read_text(encoding="utf-8")
