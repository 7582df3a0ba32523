"""Where an image comes from: a data URL, a file the user uploaded, or a public host."""

import asyncio
import base64
import binascii
import re
from urllib.parse import unquote_to_bytes

from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.web.addresses import AddressRule, is_public
from loopwright.kernel.web.files import Wanted

MAX_BYTES = 10_000_000

_DATA_URL = re.compile(
    r"data:image/[\w.+-]+(?:;[\w.+=-]+)*?(?P<base64>;base64)?,(?P<data>.*)", re.IGNORECASE | re.DOTALL
)


async def read_image(source: str, workspace: Workspace, allowed: AddressRule = is_public) -> bytes:
    """The bytes of an image, whatever kind of source it is.

    Raises:
        InvalidInput: there is no such image, it is too large, or it may not be fetched.
    """
    source = source.strip()
    if source[:5].lower() == "data:":
        return _from_data_url(source)
    if source[:7].lower() == "http://" or source[:8].lower() == "https://":
        from loopwright.kernel.web.fetching import fetch

        wanted = Wanted("image", ("image/", "application/octet-stream"), MAX_BYTES)
        return (await fetch(source, wanted, allowed)).data
    path = await asyncio.to_thread(workspace.upload, source)
    if path is None:
        raise InvalidInput(
            f"There is no image {source[:200]!r}.",
            hint="Give a path listed under images in the options, a data URL, or an http(s) address.",
        )
    data = await asyncio.to_thread(path.read_bytes)
    return _within_limit(data)


def _from_data_url(url: str) -> bytes:
    match = _DATA_URL.fullmatch(url)
    if match is None:
        raise InvalidInput("The data URL is not one of an image (data:image/png;base64,…).")
    if len(match["data"]) > MAX_BYTES * 4 // 3 + 4:
        raise _too_large()
    if not match["base64"]:
        return _within_limit(unquote_to_bytes(match["data"]))
    try:
        return _within_limit(base64.b64decode(re.sub(r"\s+", "", match["data"]), validate=True))
    except binascii.Error as error:
        raise InvalidInput(f"The base64 of the data URL is broken: {error}.") from error


def _within_limit(data: bytes) -> bytes:
    if len(data) > MAX_BYTES:
        raise _too_large()
    return data


def _too_large() -> InvalidInput:
    return InvalidInput(f"The image is larger than {MAX_BYTES:,} bytes.", hint="Give a smaller one.")
