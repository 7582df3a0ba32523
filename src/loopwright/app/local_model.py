"""The user's own model in the background: which file it is, where it comes from, whether it runs."""

import asyncio
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from loopwright.kernel.errors import InvalidInput, Misconfigured
from loopwright.kernel.files import make_private_folder
from loopwright.kernel.web.addresses import AddressRule, is_public
from loopwright.models.local.running import LocalModel
from loopwright.models.local.state import FOLDER, KNOWN, LocalConfig, LocalState, Weights

WEIGHTS: Final = "models"
"""The folder, in the user's, of what was downloaded."""


def local_model(home: Path) -> LocalModel:
    """The background process of this user; nothing is started."""
    folder = home.resolve() / FOLDER
    make_private_folder(folder)
    return LocalModel(folder)


async def set_up(
    home: Path,
    wanted: str,
    *,
    context_tokens: int,
    idle_seconds: float,
    told: Callable[[str], None],
    allowed: AddressRule = is_public,
) -> LocalState:
    """Take a file, or a name that is known and is downloaded where it is not there yet, and start it.

    Args:
        home: the user's folder.
        wanted: a path that ends in `.gguf`, or a name of `KNOWN`.
        context_tokens: the window.
        idle_seconds: after how long without a question the process ends.
        told: is told what takes its time.
        allowed: judges the addresses that a download may come from.

    Raises:
        InvalidInput: the name is not known, or the download failed.
        Misconfigured: the extra is missing, or the file is no GGUF file.
        ModelUnavailable: it does not start.
    """
    if find_spec("xllamacpp") is None:
        raise Misconfigured(
            "Running a model here needs the extra `local`.", hint="Install it: pip install 'loopwright[local]'"
        )
    weights = KNOWN.get(wanted)
    if weights is not None:
        file, name = await _had(await asyncio.to_thread(home.resolve), weights, told, allowed), weights.name
    elif wanted.lower().endswith(".gguf"):
        file, name = await asyncio.to_thread(_path, wanted), Path(wanted).stem
    else:
        raise InvalidInput(
            f"{wanted!r} is no GGUF file, and no name that is known.", hint=f"Known: {', '.join(KNOWN)}."
        )
    model = local_model(home)
    model.configure(LocalConfig(file=file, name=name, context_tokens=context_tokens, idle_seconds=idle_seconds))
    return await model.ensure(told)


def _path(wanted: str) -> Path:
    return Path(wanted).expanduser().resolve()


async def _had(home: Path, weights: Weights, told: Callable[[str], None], allowed: AddressRule) -> Path:
    from loopwright.kernel.web.downloading import Expected, download

    folder = home / WEIGHTS
    await asyncio.to_thread(make_private_folder, folder)
    file = folder / weights.file
    if file.is_file() and file.stat().st_size == weights.size:
        return file

    def progress(have: int) -> None:
        told(f"{weights.file}: {have / 1e6:,.0f} of {weights.size / 1e6:,.0f} MB")

    told(f"Downloading {weights.file}")
    await download(Expected(weights.url, weights.size, weights.sha256), file, allowed, progress)
    return file
