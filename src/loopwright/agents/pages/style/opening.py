"""Opening pictures that nobody vouches for."""

import io
from typing import TYPE_CHECKING

from loopwright.kernel.errors import InvalidInput

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_PIXELS = 50_000_000
"""A picture that claims to be larger is refused before it is unpacked."""


def open_image(data: bytes) -> "Image":
    """The picture, unpacked.

    Raises:
        InvalidInput: this is no image that can be opened, or it is too large.
    """
    import PIL.Image

    try:
        picture = PIL.Image.open(io.BytesIO(data))
        if picture.width * picture.height > MAX_PIXELS:
            raise InvalidInput(f"The image has {picture.width} × {picture.height} pixels; that is too large.")
        picture.load()
    except InvalidInput:
        raise
    except Exception as error:  # Pillow raises many kinds on hostile files; each means: not a usable picture
        raise InvalidInput(
            f"This is not an image that can be opened ({type(error).__name__}).", hint="Use PNG, JPEG, WebP or GIF."
        ) from error
    return picture
