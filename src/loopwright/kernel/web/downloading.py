"""Large files over HTTP: written piece by piece, taken up where they were left, and checked before they are used."""

import asyncio
import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from yarl import URL

from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.web.addresses import AddressRule, Target, check_address, parse_target
from loopwright.kernel.web.fetching import MAX_REDIRECTS, guarded_connector

SILENCE_SECONDS = 60.0
"""How long the next piece may take."""
ATTEMPTS = 5
"""How often in a row a download may break without having brought anything."""
WAIT_SECONDS = 2.0
"""Before the next attempt, for each that has brought nothing."""
PART = ".part"
"""How the name of a file ends that is not whole yet; it stays for the next time."""

_PIECE = 1024 * 1024
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True)
class Expected:
    """What is downloaded: its address, its size in bytes, and its SHA-256 in hex."""

    url: str
    size: int
    sha256: str


async def download(expected: Expected, file: Path, allowed: AddressRule, progress: Callable[[int], None]) -> None:
    """Put the file in its place, once it is whole and the one that is expected.

    Args:
        expected: what it must be.
        file: its place; what is there already is replaced.
        allowed: judges every address that is connected to, redirects included.
        progress: is told how many bytes are there.

    Raises:
        InvalidInput: it could not be had, is another file than expected, or the disk is too small. What came is kept.
    """
    part = file.with_name(file.name + PART)
    have = part.stat().st_size if part.exists() else 0
    free = shutil.disk_usage(file.parent).free
    if free < expected.size - have:
        raise InvalidInput(f"{file.parent} has {free:,} bytes free; {expected.size - have:,} are needed.")
    idle = 0
    while (have := part.stat().st_size if part.exists() else 0) < expected.size:
        try:
            await _continue(expected, part, have, allowed, progress)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            brought = part.exists() and part.stat().st_size > have
            idle = 0 if brought else idle + 1
            if idle >= ATTEMPTS:
                host = parse_target(expected.url).host
                raise InvalidInput(
                    f"{file.name} could not be had from {host}: {type(error).__name__}: {error}.",
                    hint="What came is kept, and taken up next time.",
                ) from error
            await asyncio.sleep(WAIT_SECONDS * idle)
    if have > expected.size or await asyncio.to_thread(_sha256, part) != expected.sha256:
        part.unlink()
        raise InvalidInput(f"What came as {file.name} is not the file that was expected; it was deleted.")
    part.replace(file)


async def _continue(
    expected: Expected, part: Path, have: int, allowed: AddressRule, progress: Callable[[int], None]
) -> None:
    async with aiohttp.ClientSession(
        connector=guarded_connector(allowed),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"Accept-Encoding": "identity"},
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=SILENCE_SECONDS, sock_read=SILENCE_SECONDS),
        trust_env=False,
    ) as session:
        target = parse_target(expected.url)
        for _ in range(MAX_REDIRECTS + 1):
            onward = await _read(session, target, expected, part, have, allowed, progress)
            if onward is None:
                return
            target = target.joined(onward)
    raise InvalidInput(f"{part.name} is behind more than {MAX_REDIRECTS} redirects.")


async def _read(
    session: aiohttp.ClientSession,
    target: Target,
    expected: Expected,
    part: Path,
    have: int,
    allowed: AddressRule,
    progress: Callable[[int], None],
) -> str | None:
    """Write what comes; or give the address that a redirect names."""
    if target.is_numeric:
        check_address(target.host, target.host, allowed)
    headers = {"Range": f"bytes={have}-"} if have else {}
    async with session.get(URL(target.url, encoded=True), headers=headers, allow_redirects=False) as response:
        if response.status in _REDIRECTS and "Location" in response.headers:
            return response.headers["Location"]
        if response.status not in (200, 206):
            raise InvalidInput(f"{target.host} answered {response.status} and gave no {part.stem}.")
        begun = have if response.headers.get("Content-Range", "").startswith(f"bytes {have}-") else 0
        with part.open("r+b" if begun else "wb") as out:
            out.seek(begun)
            async for piece in response.content.iter_chunked(_PIECE):
                begun += len(piece)
                if begun > expected.size:
                    raise InvalidInput(f"{target.host} sends more than the {expected.size:,} bytes of {part.stem}.")
                out.write(piece)
                progress(begun)
    return None


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
