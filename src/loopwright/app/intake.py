"""What a user hands in is checked before anything is stored."""

import base64
import binascii
import io
import re
from dataclasses import dataclass
from pathlib import Path

from loopwright.kernel.errors import InvalidInput

MAX_MESSAGE = 100_000
"""Characters of one message; longer material belongs into a file."""
MAX_IMAGE_BYTES = 10_000_000
MAX_IMAGES = 3
"""Spec 000's chat takes up to three images."""
IMAGE_FORMATS = {"PNG": "png", "JPEG": "jpg", "WEBP": "webp", "GIF": "gif"}

OWN_DOORS = {"jobs": "POST /api/jobs"}
"""Agents whose runs need more than a message, all of it checked at a door of their own: a job's config may allow
commands, which must not come in as loose options of a run."""

DATA_URL = re.compile(r"data:image/[a-z0-9.+-]+;base64,(?P<data>[A-Za-z0-9+/=\s]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Image:
    """A picture that opened: its bytes and the suffix of its format."""

    data: bytes
    suffix: str


def check_message(text: str) -> str:
    """The message, when it can be worked with.

    Raises:
        InvalidInput: it is empty, or too long.
    """
    if not text.strip():
        raise InvalidInput("The message is empty.", hint="Say what you want, for example: a coffee shop app.")
    if len(text) > MAX_MESSAGE:
        raise InvalidInput(
            f"The message has {len(text):,} characters; at most {MAX_MESSAGE:,} are taken.",
            hint="Put long material into a file or an image, and say in the message what to do with it.",
        )
    return text.replace("\x00", "")


def check_agent(name: str) -> None:
    """Refuse an agent whose runs are not begun by a message with loose options.

    Raises:
        InvalidInput: naming the door that begins them.
    """
    if name in OWN_DOORS:
        raise InvalidInput(f"Runs of the agent {name!r} are not begun here.", hint=f"Use {OWN_DOORS[name]}.")


def read_image(source: str | Path) -> Image:
    """A picture from a file, or from a base64 data URL.

    Raises:
        InvalidInput: there is no such file, it is too large, or it is not a picture that opens.
    """
    name = str(source) if isinstance(source, Path) else "the data URL"
    if isinstance(source, Path):
        if not source.is_file():
            raise InvalidInput(f"There is no image file {name}.")
        if source.stat().st_size > MAX_IMAGE_BYTES:
            raise InvalidInput(f"{name} is larger than {MAX_IMAGE_BYTES:,} bytes.")
        data = source.read_bytes()
    else:
        data = _decode(source)
    return Image(data, _suffix(data, name))


def _decode(url: str) -> bytes:
    match = DATA_URL.fullmatch(url.strip())
    if match is None:
        raise InvalidInput("An image must be a data URL such as data:image/png;base64,….")
    if len(url) > MAX_IMAGE_BYTES * 4 // 3 + 100:
        raise InvalidInput(f"The image is larger than {MAX_IMAGE_BYTES:,} bytes.")
    try:
        return base64.b64decode(match["data"], validate=False)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput(f"The image's base64 is broken: {error}.") from error


def _suffix(data: bytes, name: str) -> str:
    import PIL.Image

    try:
        with PIL.Image.open(io.BytesIO(data)) as picture:
            picture.verify()
            form = picture.format or ""
    except Exception as error:  # Pillow raises many kinds on hostile files; each means: not a usable picture
        raise InvalidInput(f"{name} is not an image that can be opened ({type(error).__name__}).") from error
    if form not in IMAGE_FORMATS:
        raise InvalidInput(f"{name} is {form or 'of an unknown format'}; use {', '.join(IMAGE_FORMATS)}.")
    return IMAGE_FORMATS[form]
