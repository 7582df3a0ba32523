"""The folders of runs."""

from loopwright.agents.designspec.project.files import ProjectFiles
from loopwright.agents.designspec.project.stamps import is_stamp, next_stamp

ARTIFACTS = "artifacts"
RUN_PREFIX = "run_"


def new_run_folder(files: ProjectFiles) -> str:
    """A folder `artifacts/run_{stamp}` of its own for a run, empty; answered relative to the project."""
    parent = files.folder(ARTIFACTS)
    taken = [name.removeprefix(RUN_PREFIX) for name in run_names(files)]
    stamp = next_stamp(max((name for name in taken if is_stamp(name)), default=None))
    while True:
        name = f"{RUN_PREFIX}{stamp}"
        try:
            (parent / name).mkdir()
        except FileExistsError:
            stamp = next_stamp(stamp)
        else:
            return f"{ARTIFACTS}/{name}"


def run_names(files: ProjectFiles) -> list[str]:
    """The names of the runs' folders, oldest first. Links are no run's folder."""
    parent = files.inside(ARTIFACTS)
    names = [name for name in files.names(ARTIFACTS) if name.startswith(RUN_PREFIX)]
    return [name for name in names if (parent / name).is_dir() and not (parent / name).is_symlink()]
