"""All attacks once more as an ordinary user: root passes some walls that others meet, and the other way round."""

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.ide.sandbox.isolation import can_enter
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


SEEN_THERE = """mount --bind "$1" "$2"
cd "$2"
shift 2
exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
"""
"""Shows the checkout in a folder that every user may enter, and becomes an ordinary user there."""


def interpreter() -> Path:
    """A Python of this version that every user may start: the one that runs this may lie in root's home."""
    version = f"python{sysconfig.get_python_version()}"
    places = (Path(sys.executable).resolve(), Path("/usr/local/bin") / version, Path("/usr/bin") / version)
    found = next((each for each in places if each.exists() and can_enter(each.parent, (NOBODY, NOBODY))), None)
    if found is None:
        pytest.fail(f"No {version} that an ordinary user could start is installed.")
    return found


def as_nobody(checkout: Path, command: Sequence[str | Path], environment: Mapping[str, str]) -> Any:
    """Run a command as an ordinary user to its end, in the checkout, which is shown at a place that they can enter."""
    line = [
        "unshare", "--mount", "--propagation", "private", "/bin/sh", "-ec", SEEN_THERE, "sh", ROOT, checkout, *command
    ]  # fmt: skip
    return subprocess.run(line, env=environment, cwd="/", capture_output=True, text=True, timeout=SECONDS)


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("lane", ["quick", pytest.param("all", marks=pytest.mark.soak)])
def test_the_attacks_of_an_ordinary_users_run(lane: str) -> None:
    """Their PATH has a folder, too, that they cannot enter. One process for all, since each imports for seconds."""
    with enterable_folder() as folder:
        home, locked, checkout = folder / "nobody", folder / "locked", folder / "checkout"
        home.mkdir()
        checkout.mkdir()
        os.chown(home, NOBODY, NOBODY)
        (locked / "bin").mkdir(parents=True)
        locked.chmod(0o700)
        packages = Path(sysconfig.get_path("purelib"))
        packages = checkout / packages.relative_to(ROOT) if packages.is_relative_to(ROOT) else packages
        environment = {
            "PATH": f"{locked}/bin:/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home),
            "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "LOOPWRIGHT_REQUIRE_SANDBOX": "1",
            "PYTHONPATH": os.pathsep.join(map(str, (checkout / "src", checkout, packages))),
        }  # fmt: skip
        options = [
            "-q",
            "--lane",
            lane,
            "-p",
            "no:cacheprovider",
            "-p",
            "no:randomly",
            "--tb=short",
            f"--basetemp={home}/tests",
        ]
        tests = [checkout / Path(__file__).with_name(module).relative_to(ROOT) for module in CORE]
        done = as_nobody(checkout, [interpreter(), "-m", "pytest", *options, *tests], environment)
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
    assert re.search(r"\d+ passed", done.stdout)
    assert "skipped" not in done.stdout
