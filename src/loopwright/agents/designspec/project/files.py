"""Reading and writing inside one folder: nothing leaves it, nothing is half written, nothing is overwritten unasked."""

import errno
import json
import os
import re
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.agents.designspec.pipeline.reports import RunReport
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kernel.files import DRAFT, write_draft, write_whole

LONGEST_NAME, LONGEST_PATH = 255, 1_000
LINKLESS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS)
"""What file systems without hard links answer."""


class ProjectFiles:
    """The files below one root. Paths are relative to it, with slashes."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def inside(self, relative: str) -> Path:
        """The absolute path, with every link followed.

        Raises:
            InvalidInput: it is absolute, climbs up, or a link on the way leaves the folder.
        """
        given = PurePosixPath(relative)
        if (
            any(len(part.encode(errors="replace")) > LONGEST_NAME for part in given.parts)
            or len(relative) > LONGEST_PATH
        ):
            raise InvalidInput(f"{relative[:60]!r}… is too long for a path.")
        if not relative or "\0" in relative or "\\" in relative or given.is_absolute() or ".." in given.parts:
            raise InvalidInput(f"{relative!r} is not a path inside the project folder.")
        try:
            path = self.root.joinpath(*given.parts).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise InvalidInput(f"{relative!r} cannot be followed: {error}.") from error
        if not path.is_relative_to(self.root):
            raise InvalidInput(f"{relative!r} is a link that leaves the project folder.", hint="Replace it by a file.")
        return path

    def folder(self, relative: str) -> Path:
        """The folder of this name, made where it is missing."""
        path = self.inside(relative)
        path.mkdir(parents=True, exist_ok=True)
        return path

    def read(self, relative: str, limit: int) -> str:
        """The text of a regular file.

        Raises:
            NotFound: there is none.
            InvalidInput: it is not a regular file, larger than `limit` bytes, or no UTF-8.
        """
        path = self.inside(relative)
        try:
            found = path.stat()
        except FileNotFoundError as error:
            raise NotFound(f"There is no {relative} in the project folder.") from error
        if not stat.S_ISREG(found.st_mode):
            raise InvalidInput(f"{relative} is not a regular file.")
        if found.st_size > limit:
            raise InvalidInput(f"{relative} has {found.st_size / 1e6:.1f} MB; at most {limit / 1e6:.1f} MB are read.")
        try:
            return path.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{relative} is not UTF-8 text (byte {error.start}).") from error

    def replace(self, relative: str, text: str) -> None:
        """Write a file so that at every moment it is the old or the new one, whole."""
        path = self.inside(relative)
        write_whole(path, text.encode())
        sync_folder(path.parent)

    def create(self, relative: str, text: str) -> None:
        """Write a new file; it appears whole or not at all.

        Raises:
            FileExistsError: there is one of this name already; it stays as it is.
        """
        path = self.inside(relative)
        temporary = write_draft(path, text.encode())
        try:
            # Unlike a rename, a link fails when the name is taken.
            os.link(temporary, path)
        except OSError as error:
            if error.errno not in LINKLESS or path.exists():
                raise
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(path.parent)

    def move(self, relative: str, aside: str) -> None:
        """Give a file another name, which must be free."""
        source, target = self.inside(relative), self.inside(aside)
        if target.exists():
            raise FileExistsError(str(target))
        os.replace(source, target)
        sync_folder(source.parent)
        sync_folder(target.parent)

    def remove(self, relative: str) -> None:
        """Remove a file, if it is there."""
        path = self.inside(relative)
        path.unlink(missing_ok=True)
        sync_folder(path.parent)

    def exists(self, relative: str) -> bool:
        """Whether there is something of this name."""
        return self.inside(relative).exists()

    def names(self, relative: str) -> list[str]:
        """The names in a folder, in order; none where there is no folder."""
        path = self.inside(relative)
        return sorted(os.listdir(path)) if path.is_dir() else []

    def sweep(self, relative: str) -> None:
        """Remove what writers that died have left in a folder. Only for who holds the project's lock."""
        for name in self.names(relative):
            if name.startswith(".") and name.endswith(DRAFT):
                (self.inside(relative) / name).unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make names in a folder outlast a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# The reports of the last validation, compilation and run, and the index of artifacts.

ReportName = Literal["last_validation", "compile_report", "last_runner_result", "artifact_index"]
REPORT_NAMES: tuple[ReportName, ...] = get_args(ReportName)
MAX_REPORT_BYTES = 64_000_000
COMPILING = "compile_"
"""How the names of the stages begin that check the document before anything is built."""
REMOVE = "Remove it; the next run writes it again."


def write_report(files: ProjectFiles, name: ReportName, report: dict[str, Any]) -> None:
    """Keep a report in the place of the one before; the runs' own folders hold the older ones."""
    files.folder("reports")
    files.replace(report_path(name), json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_report(files: ProjectFiles, name: ReportName) -> dict[str, Any] | None:
    """The report, or None when there is none yet.

    Raises:
        NotFound: there is no report of this name.
        InvalidInput: the file is not a report.
    """
    path = report_path(name)
    try:
        report = json.loads(files.read(path, MAX_REPORT_BYTES))
    except NotFound:
        return None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{report_path(name)} is not JSON: {error}.", hint="Remove it; the next run writes it."
        ) from error
    if not isinstance(report, dict):
        raise InvalidInput(f"{path} must hold an object.", hint=REMOVE)
    return report


def last_run(files: ProjectFiles) -> RunReport | None:
    """The report of the last run, or None before the first one.

    Raises:
        InvalidInput: the file is not a report of a run.
    """
    stored = read_report(files, "last_runner_result")
    if stored is None:
        return None
    try:
        return RunReport.model_validate(stored)
    except ValidationError as error:
        path = report_path("last_runner_result")
        raise InvalidInput(f"{path} is not a report of a run: {error.errors()[0]['msg']}.", hint=REMOVE) from error


def keep_run(files: ProjectFiles, report: RunReport) -> None:
    """Make a run's reports the last ones: the whole, what it compiled, and its validity where it got so far."""
    stages = [stage for stage in report.stage_reports if stage.stage.startswith(COMPILING)]
    if stages:
        compiled = {
            "run_id": report.run_id,
            "spec_hash": report.spec_hash,
            "success": all(stage.success for stage in stages),
            "stage_reports": [as_json(stage) for stage in stages],
        }
        write_report(files, "compile_report", compiled)
    if report.validity is not None:
        validity = {"run_id": report.run_id, "spec_hash": report.spec_hash, **as_json(report.validity)}
        write_report(files, "last_validation", validity)
    write_report(files, "last_runner_result", as_json(report))


def as_json(model: BaseModel) -> dict[str, Any]:
    """The model as JSON has it: a number that is not finite becomes null."""
    content: dict[str, Any] = json.loads(model.model_dump_json())
    return content


def report_path(name: ReportName) -> str:
    """Where a report is kept, relative to the project folder.

    Raises:
        NotFound: there is no report of this name.
    """
    if name not in REPORT_NAMES:
        raise NotFound(f"There is no report {name!r}.", hint=f"The reports are: {', '.join(REPORT_NAMES)}.")
    return f"reports/{name}.json"


# Names in the order of time that never collide.

STAMP = re.compile(r"\d{8}T\d{6}\.\d{6}Z")
FORMAT = "%Y%m%dT%H%M%S.%fZ"
LAST_YEAR = 9_000
"""Beyond it there would be no later moment to count on to."""
TICK = timedelta(microseconds=1)


def next_stamp(after: str | None = None) -> str:
    """The time in UTC with microseconds, like `20260131T235959.000001Z`.

    It is always later than `after`: a clock that stands still or was put back counts on by single microseconds,
    so that the order of names is the order of events.
    """
    now = datetime.now(UTC)
    if after is not None:
        now = max(now, datetime.strptime(after, FORMAT).replace(tzinfo=UTC) + TICK)
    return now.strftime(FORMAT)


def is_stamp(text: str) -> bool:
    """Whether the text is a stamp: names of files may look like one and name no day."""
    try:
        return STAMP.fullmatch(text) is not None and time_of(text).year < LAST_YEAR
    except ValueError:
        return False


def time_of(stamp: str) -> datetime:
    """The moment that a stamp names."""
    return datetime.strptime(stamp, FORMAT).replace(tzinfo=UTC)


# One change of the document, as it is kept in `patches/`.

CREATED, HAND, UNDO, REDO = "create", "hand", "undo", "redo"
"""Authors that the folder itself signs with."""
RECORD_NAME = re.compile(rf"({STAMP.pattern})_[a-z0-9-]+\.json")


class ChangeRecord(BaseModel):
    """A change. The records make a chain: each one's `old_hash` is the `new_hash` of the one before."""

    model_config = ConfigDict(extra="ignore")

    stamp: str
    timestamp: str
    author: str
    patches: list[dict[str, Any]] = Field(default_factory=list)
    inverse: list[dict[str, Any]] = Field(default_factory=list)
    old_hash: str
    new_hash: str
    proposal_id: str | None = None
    note: str = ""
    undoes: str | None = None
    """The stamp of the change that this one takes back."""
    redoes: str | None = None
    """The stamp of the change that this one makes again."""

    @property
    def path(self) -> str:
        """Where it is kept, relative to the project folder."""
        author = re.sub(r"[^a-z0-9]+", "-", self.author.lower()).strip("-")[:40] or "unknown"
        return f"patches/{self.stamp}_{author}.json"

    @property
    def version_path(self) -> str:
        """Where the document after the change is kept, relative to the project folder."""
        return f"spec_history/{self.stamp}_{self.new_hash}.json"


# The folders of runs.

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
