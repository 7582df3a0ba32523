"""A virtual environment of the user's own, as their shell has it: commands in the sandbox do not see Loopwright's."""

import os
import shutil
import subprocess
import sysconfig
from importlib.metadata import distribution
from pathlib import Path

import pytest

DISTRIBUTIONS = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
"""Pure Python, so that copied files are all that an installation is."""
SCRIPT = "#!{python}\nimport sys\nfrom pytest import main\nsys.exit(main())\n"
MAKE_SECONDS = 60


def make_users_venv(folder: Path) -> Path:
    """Make a virtual environment with pytest in a folder; answer its folder of programs.

    Raises:
        CalledProcessError: it could not be made.
        PackageNotFoundError: pytest or one of its dependencies is not installed here.
    """
    base = Path(sysconfig.get_config_var("BINDIR"), f"python{sysconfig.get_python_version()}")
    subprocess.run([base, "-I", "-m", "venv", "--without-pip", folder], check=True, timeout=MAKE_SECONDS)
    packages = folder / "lib" / base.name / "site-packages"
    for name in DISTRIBUTIONS:
        for file in distribution(name).files or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                place = packages / file
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file.locate(), place)
    programs = folder / "bin"
    script = programs / "pytest"
    script.write_text(SCRIPT.format(python=programs / "python"), encoding="utf-8")
    script.chmod(0o755)
    return programs


@pytest.fixture(scope="session")
def users_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a virtual environment with pytest, made once for all tests of a session."""
    return make_users_venv(tmp_path_factory.mktemp("users") / "venv")


@pytest.fixture
def users_venv(users_programs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """That environment's folder, its programs first on PATH: as if the user had activated it."""
    monkeypatch.setenv("PATH", os.pathsep.join((str(users_programs), os.environ["PATH"])))
    return users_programs.parent
