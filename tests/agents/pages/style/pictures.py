"""Pictures made for tests."""

import base64
import io

import PIL.Image


def poster(mode: str = "RGB", form: str = "PNG", size: tuple[int, int] = (400, 300)) -> bytes:
    """Dark ground, a red band at the top, a white box."""
    picture = PIL.Image.new("RGB", size, "#141414")
    width, height = size
    picture.paste((229, 9, 20), (0, 0, width, height // 5))
    picture.paste((255, 255, 255), (width // 8, height // 2, width // 2, height // 2 + height // 8))
    buffer = io.BytesIO()
    (picture.quantize(8) if mode == "P" else picture.convert(mode)).save(buffer, form)
    return buffer.getvalue()


def flat(color: str) -> bytes:
    """One colour."""
    buffer = io.BytesIO()
    PIL.Image.new("RGB", (50, 50), color).save(buffer, "PNG")
    return buffer.getvalue()


def data_url(data: bytes) -> str:
    """The picture as a data URL."""
    return "data:image/png;base64," + base64.b64encode(data).decode()
