"""The files that a config is made of: itself, its parent by `$extends`, the parent's parent, and so on.

A parent is the name of a config that ships with the product, or a file beside the one that names it. A config that
names none stands on `defaults`; `"$extends": null` stands on nothing.
"""

import difflib
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loopwright.kernel.errors import InvalidInput, NotFound

# Guesses at what was meant.

LIKENESS = 0.8
"""The least likeness of a slip of the pen; below it other words are meant."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`Did you mean X? ` for the nearest known name, or nothing."""
    close = difflib.get_close_matches(name[:200], list(known), n=1, cutoff=LIKENESS)
    return f"Did you mean {close[0]!r}? " if close else ""


DEFAULTS = "defaults"
EXTENDS = "$extends"
CONFIG_FILE = "config.json"
SHIPPED = Path(__file__).parent
MAX_BYTES = 1_000_000
MAX_LAYERS = 10
NAME = re.compile(r"[a-z][a-z0-9_-]{0,60}")


@dataclass(frozen=True)
class Layer:
    """One file. `shown` is how messages call it, `shipped` whether it came with the product."""

    shown: str
    path: Path
    data: dict[str, Any]
    shipped: bool


def shipped_names() -> tuple[str, ...]:
    """The configs that ship with the product, `defaults` aside."""
    return tuple(sorted(path.parent.name for path in SHIPPED.glob(f"*/{CONFIG_FILE}")))


def load_layers(name: str | Path) -> list[Layer]:
    """The layers of a config, itself first.

    Args:
        name: a shipped name, a file, or a folder with a `config.json`.

    Raises:
        NotFound: there is no such config, or no such parent.
        InvalidInput: a file is not a JSON object, too large, or extends itself.
    """
    layers = [_layer(_named(str(name)))]
    while (parent := _parent(layers[-1])) is not None:
        known = [layer.path for layer in layers]
        if parent in known:
            ring = " → ".join(layer.shown for layer in layers[known.index(parent) :])
            raise InvalidInput(
                f"{layers[-1].shown}: /{EXTENDS}: the configs extend each other in a ring: {ring} → {_shown(parent)}.",
                hint=f"Let the lowest of them extend {DEFAULTS!r}.",
            )
        if len(layers) == MAX_LAYERS:
            raise InvalidInput(
                f"{layers[0].shown} stands on more than {MAX_LAYERS} configs.", hint="Merge some of them."
            )
        layers.append(_layer(parent))
    return layers


def _named(name: str) -> Path:
    if name in (*shipped_names(), DEFAULTS):
        return _shipped_file(name)
    path = Path(name)
    if path.is_dir():
        path = path / CONFIG_FILE
    if path.is_file():
        return path.resolve()
    guess = did_you_mean(name, shipped_names())
    raise NotFound(
        f"There is no config {name!r}.",
        hint=f"{guess}Give a file, a folder with a {CONFIG_FILE}, or one of {', '.join(shipped_names())}.",
    )


def _parent(layer: Layer) -> Path | None:
    name = layer.data.get(EXTENDS, DEFAULTS)
    if name is None or (layer.path == _shipped_file(DEFAULTS) and EXTENDS not in layer.data):
        return None
    if not isinstance(name, str) or not name:
        raise InvalidInput(f"{layer.shown}: /{EXTENDS}: it must be the name of a config, or null.")
    if NAME.fullmatch(name) and _shipped_file(name).is_file():
        return _shipped_file(name)
    folder = layer.path.parent
    try:
        beside = [folder / name, folder / f"{name}.json", folder / name / CONFIG_FILE]
        found = next((path.resolve() for path in beside if path.is_file()), None)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{layer.shown}: /{EXTENDS}: {name[:100]!r} is not a usable name: {error}.") from error
    if Path(name).is_absolute() or ".." in Path(name).parts or (found and not found.is_relative_to(folder)):
        raise InvalidInput(
            f"{layer.shown}: /{EXTENDS}: {name!r} lies outside the config's own folder.",
            hint=f"Put the parent beside it, or extend one of {', '.join((DEFAULTS, *shipped_names()))}.",
        )
    if found is None:
        guess = did_you_mean(name, (DEFAULTS, *shipped_names()))
        raise NotFound(
            f"{layer.shown}: /{EXTENDS}: there is no config {name!r}.",
            hint=f"{guess}Shipped are {', '.join((DEFAULTS, *shipped_names()))}; other parents lie beside the file.",
        )
    return found


def _shipped_file(name: str) -> Path:
    return SHIPPED / f"{DEFAULTS}.json" if name == DEFAULTS else SHIPPED / name / CONFIG_FILE


def _shown(path: Path) -> str:
    if path.is_relative_to(SHIPPED):
        return DEFAULTS if path.parent == SHIPPED else path.parent.name
    return path.name if path.name != CONFIG_FILE else f"{path.parent.name}/{path.name}"


def _layer(path: Path) -> Layer:
    shown = _shown(path)
    return Layer(shown, path, _read(path, shown), shipped=path.is_relative_to(SHIPPED))


def _read(path: Path, shown: str) -> dict[str, Any]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise InvalidInput(f"{shown} is not a regular file.")
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise InvalidInput(f"{shown} is larger than {MAX_BYTES:,} bytes.", hint="A config is a small file.")
        data = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_unique, parse_constant=_no_constant)
    except OSError as error:
        raise InvalidInput(f"{shown} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{shown} is not valid JSON: {error}.", hint="`loopwright jobs schema` has the form."
        ) from error
    if not isinstance(data, dict):
        raise InvalidInput(f"{shown} must hold a JSON object.", hint="`loopwright jobs schema` has the form.")
    return data


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two values under one key the first would be lost without a word."""
    twice = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
    if twice:
        raise ValueError(f"the key {twice[0]!r} stands twice in one object")
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
