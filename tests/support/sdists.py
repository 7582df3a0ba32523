"""Source distributions of packages that people use, fetched by pip, from wherever it is set up to look."""

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest


def fetch_sdist(config: pytest.Config, requirement: str, folder: Path) -> Path:
    """Unpack a source distribution into a folder; it is kept in the tests' cache. Skips where it cannot be had."""
    assert config.cache is not None
    kept = Path(config.cache.mkdir("sdists")) / requirement
    if not list(kept.glob("*.tar.gz")):
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        done = subprocess.run(
            [*pip, "--no-binary", ":all:", "--dest", str(kept), requirement], capture_output=True, text=True
        )
        if done.returncode:
            pytest.skip(f"{requirement} cannot be fetched: {done.stderr.strip()[-300:]}")
    with tarfile.open(next(kept.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())
