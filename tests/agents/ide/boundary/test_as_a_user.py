"""All attacks once more as an ordinary user: root passes some walls that others meet, and the other way round."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from loopwright.kernel.programs import find_program
from tests.agents.ide.boundary.grounds import enterable_folder
from tests.agents.ide.commanding import confined
from tests.shape.source import ROOT

pytestmark = [
    *confined,
    pytest.mark.skipif(
        os.getuid() != 0, reason="only root can become somebody else; others are ordinary users already"
    ),
]
NOBODY = "65534"
CORE = (
    "test_trusted_files.py",
    "test_links.py",
    "test_paths.py",
    "test_kernel.py",
    "test_exhaustion.py",
    "test_policy.py",
)
SECONDS = 900


def interpreter() -> Path:
    """A Python of this version that every user may start: the one that runs this may lie in root's home."""
    version = f"python{sysconfig.get_python_version()}"
    for place in (Path(sys.executable).resolve(), Path("/usr/local/bin") / version, Path("/usr/bin") / version):
        try:
            subprocess.run([*become_nobody(), place, "-I", "-c", ""], check=True, capture_output=True, cwd="/")
        except (OSError, subprocess.SubprocessError):
            continue
        return place
    pytest.fail(f"No {version} that an ordinary user could start is installed.")


def become_nobody() -> list[str]:
    """The beginning of a command line of an ordinary user."""
    setpriv = find_program("setpriv", outside=None)
    assert setpriv is not None, "setpriv (util-linux) is missing"
    return [str(setpriv), f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("module", CORE)
def test_the_attacks_of_an_ordinary_users_run(module: str) -> None:
    with enterable_folder() as folder:
        home = folder / "nobody"
        home.mkdir()
        os.chown(home, int(NOBODY), int(NOBODY))
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1", "LOOPWRIGHT_REQUIRE_SANDBOX": "1",
            "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT), sysconfig.get_path("purelib"))),
        }  # fmt: skip
        command = [interpreter(), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--tb=short"]
        done = subprocess.run(
            [*become_nobody(), *command, f"--basetemp={home}/tests", Path(__file__).with_name(module)],
            env=environment, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS,
        )  # fmt: skip
        shutil.rmtree(home)
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
    assert re.search(r"\d+ passed", done.stdout)
    assert "skipped" not in done.stdout
