"""Finding the instructions that belong to a config: its own, or those of the nearest parent that has some."""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from loopwright.agents.jobs.configs.layers import Layer
from loopwright.kernel.errors import InvalidInput

MAX_BYTES = 400_000


def find_instructions(layers: Sequence[Layer], template: str, language: str) -> str:
    """The text of the instructions in the wanted language, else in whatever language they are written.

    Args:
        layers: the config's files, itself first. One may hold the text itself under `instructions`.
        template: the name of the file beside a config, `instructions.md`; `instructions.de.md` is its German form.
        language: `en` or `de`.

    Raises:
        InvalidInput: the template's name leads out of the config's folder, or its file is no text, or too large.
    """
    name = PurePosixPath(template)
    if name.is_absolute() or ".." in name.parts or not name.name or "\0" in template:
        raise InvalidInput(
            f"/workspace/instructions_template: {template[:100]!r} lies outside the config's own folder.",
            hint="Put the file beside the config.",
        )
    for layer in layers:
        text = layer.data.get("instructions")
        if isinstance(text, str) and text.strip():
            return text
        for candidate in (name.with_suffix(f".{language}{name.suffix}"), name):
            path = layer.path.parent / candidate
            if path.is_file():
                return _read(path, layer)
    return ""


def _read(path: Path, layer: Layer) -> str:
    if not path.resolve().is_relative_to(layer.path.parent):
        raise InvalidInput(
            f"{layer.shown}: {path.name} is a link that leaves the config's folder.", hint="Put the file there itself."
        )
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise InvalidInput(f"{layer.shown}: {path.name} is larger than {MAX_BYTES:,} bytes.")
        return content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{layer.shown}: {path.name} cannot be read as UTF-8 text: {error}.") from error
