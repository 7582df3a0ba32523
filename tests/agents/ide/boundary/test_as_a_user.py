"""All attacks once more as an ordinary user: root passes some walls that others meet, and the other way round."""

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.agents.ide.boundary.grounds import enterable_folder
from tests.agents.ide.commanding import confined
from tests.shape.source import ROOT

pytestmark = [
    *confined,
    pytest.mark.skipif(
        os.getuid() != 0, reason="only root can become somebody else; others are ordinary users already"
    ),
]
NOBODY = 65534
CORE = (
    "test_trusted_files.py",
    "test_links.py",
    "test_paths.py",
    "test_kernel.py",
    "test_exhaustion.py",
    "test_policy.py",
    "test_unseen_kernel.py",
    "test_unseen_layers.py",
    "test_unseen_files.py",
    "test_unseen_secrets.py",
)
SECONDS = 900


def interpreter() -> Path:
    """A Python of this version that every user may start: the one that runs this may lie in root's home."""
    version = f"python{sysconfig.get_python_version()}"
    for place in (Path(sys.executable).resolve(), Path("/usr/local/bin") / version, Path("/usr/bin") / version):
        try:
            as_nobody([place, "-I", "-c", ""], {}).check_returncode()
        except (OSError, subprocess.SubprocessError):
            continue
        return place
    pytest.fail(f"No {version} that an ordinary user could start is installed.")


def as_nobody(command: Sequence[str | Path], environment: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """Run a command as an ordinary user to its end."""
    return subprocess.run(
        command, user=NOBODY, group=NOBODY, extra_groups=[], env=environment, cwd=ROOT, capture_output=True, text=True,
        timeout=SECONDS,
    )  # fmt: skip


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("module", CORE)
def test_the_attacks_of_an_ordinary_users_run(module: str) -> None:
    """Their PATH has a folder, too, that they cannot enter."""
    with enterable_folder() as folder:
        home, locked = folder / "nobody", folder / "locked"
        home.mkdir()
        os.chown(home, NOBODY, NOBODY)
        (locked / "bin").mkdir(parents=True)
        locked.chmod(0o700)
        environment = {
            "PATH": f"{locked}/bin:/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home),
            "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "LOOPWRIGHT_REQUIRE_SANDBOX": "1",
            "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT), sysconfig.get_path("purelib"))),
        }  # fmt: skip
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--tb=short", f"--basetemp={home}/tests"]
        done = as_nobody([interpreter(), "-m", "pytest", *options, Path(__file__).with_name(module)], environment)
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
    assert re.search(r"\d+ passed", done.stdout)
    assert "skipped" not in done.stdout
