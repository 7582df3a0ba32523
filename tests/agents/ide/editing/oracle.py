"""What must hold when a user and runs change the same files: a model of lines and their authors.

It shares nothing with the product: each line is a word that is written once, and belongs to who wrote it. The user's
acts are done here, on the disk, and kept in mind; what runs do is told by the test, and looked at on the disk.
"""

import os
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

FOLDERS = ("", "a/", "a/deep/", "b/", "ignored/")
LINES = 8


@dataclass
class World:
    """A project, its user, and what is known of each line.

    `mine` are the user's lines, with the paths where they may stand; `dropped` are lines that the user has removed,
    whoever wrote them. `takers` are the runs that have removed a line of the user's. `theirs` are lines of runs; those
    in a file that the user has moved, or has saved while it was being written, are `adopted`: it is theirs now.
    """

    root: Path
    chance: random.Random
    mine: dict[str, set[str]] = field(default_factory=dict)
    dropped: set[str] = field(default_factory=set)
    takers: dict[str, set[str]] = field(default_factory=dict)
    theirs: dict[str, str] = field(default_factory=dict)
    adopted: set[str] = field(default_factory=set)
    being_written: bool = False
    saved_late: bool = False
    told: list[str] = field(default_factory=list)
    count: int = 0

    def begin(self) -> None:
        """Lay the project out."""
        (self.root / ".gitignore").write_text("ignored/\n")
        for folder in FOLDERS:
            for name in ("one", "two"):
                self._write(f"{folder}{name}", [self.line() for _ in range(LINES)])

    def line(self) -> str:
        """A line of the user's that nobody has written yet; all are of the same length."""
        self.count += 1
        return f"u{self.count:06d}"

    def line_of(self, run: str) -> str:
        """A line that a run is going to write."""
        self.count += 1
        line = f"r{self.count:06d}"
        self.theirs[line] = run
        return line

    def files(self) -> list[str]:
        """The paths of the files, in order."""
        found = []
        for folder, _, names in os.walk(self.root):
            place = Path(folder).relative_to(self.root).as_posix()
            found += [name if place == "." else f"{place}/{name}" for name in names]
        return sorted(path for path in found if not Path(path).name.startswith((".", "go")))

    def lines(self, path: str) -> list[str]:
        """What stands in a file."""
        return (self.root / path).read_text().splitlines()

    def standing(self) -> dict[str, set[str]]:
        """By line the paths where it stands, files that a death or a conflict left beside included."""
        found: dict[str, set[str]] = {}
        for folder, _, names in os.walk(self.root):
            for name in names:
                path = Path(folder, name)
                for line in path.read_text().splitlines():
                    found.setdefault(line, set()).add(path.relative_to(self.root).as_posix())
        return found

    def act(self, path: str | None = None) -> None:
        """The user does something, to this file or to any."""
        files = self.files()
        path = path if path in files else self.chance.choice(files) if files else None
        acts: list[Callable[[str], None]] = [self.edit] * 6 + [self.chmod, self.touch, self.there_and_back, self.swap]
        if path is None or self.chance.random() < 0.1:
            self.create()
        elif self.chance.random() < 0.2:
            self.chance.choice([self.delete, self.rename, self.rename_folder])(path)
        else:
            self.chance.choice(acts)(path)

    def edit(self, path: str) -> None:
        """Add, change or remove a line."""
        lines = self.lines(path)
        at = self.chance.randrange(len(lines) + 1)
        kind = self.chance.choice(["insert", "append", "change", "remove"])
        if kind == "append" or not lines:
            lines.append(self.line())
        elif kind == "insert":
            lines.insert(at, self.line())
        else:
            lines[min(at, len(lines) - 1) : min(at, len(lines) - 1) + 1] = [self.line()] if kind == "change" else []
        self._write(path, lines)

    def swap(self, path: str) -> None:
        """Change a line twice within a tick of the clock; the size stays."""
        for _ in range(2):
            lines = self.lines(path)
            if lines:
                lines[0] = self.line()
            self._write(path, lines)

    def there_and_back(self, path: str) -> None:
        """Add a line, and remove it after a moment."""
        lines = self.lines(path)
        self._write(path, [*lines, self.line()])
        self.pause()
        self._write(path, lines)

    def pause(self) -> None:
        """Let whatever runs get on: set by the test."""

    def chmod(self, path: str) -> None:
        """Change the permission bits."""
        (self.root / path).chmod(self.chance.choice([0o600, 0o644, 0o755, 0o640]))

    def touch(self, path: str) -> None:
        """Change the time stamp alone."""
        os.utime(self.root / path)

    def create(self) -> None:
        """Make a file."""
        path = f"{self.chance.choice([*FOLDERS, 'new/', 'a/new/'])}{self.chance.choice(['made', 'three', 'four'])}"
        if not (self.root / path).exists() and all(not each.is_file() for each in (self.root / path).parents):
            self._write(path, [self.line(), self.line()])

    def delete(self, path: str) -> None:
        """Delete a file."""
        self._forget(self.lines(path))
        (self.root / path).unlink()
        self.told.append(f"user deletes {path}")

    def rename(self, path: str, to: str | None = None) -> None:
        """Give a file another name."""
        to = to or f"{path}-{self.chance.choice('xy')}"
        if not (self.root / to).exists():
            (self.root / path).rename(self.root / to)
            self._moved(path, to)

    def rename_folder(self, path: str) -> None:
        """Give the folder of a file another name."""
        folder = str(Path(path).parent)
        to = f"{folder}-{self.chance.choice('xy')}"
        if folder != "." and not (self.root / to).exists():
            inside = [each for each in self.files() if each.startswith(f"{folder}/")]
            (self.root / folder).rename(self.root / to)
            for each in inside:
                self._moved(each, to + each.removeprefix(folder))

    def takes(self, run: str, lines: Iterable[str], to: str | None = None) -> None:
        """A run removes these lines, or moves them."""
        for line in lines:
            if line in self.mine and to is None:
                self.takers.setdefault(line, set()).add(run)
            elif line in self.mine:
                self.mine[line].add(to)  # type: ignore[arg-type]

    def both(self, paths: Iterable[str]) -> None:
        """The user has saved these files while they were written, and is told that both changes are in them."""
        standing = self.standing()
        for path in paths:
            assert self.saved_late, "the user has saved nothing meanwhile"
            self.adopted.update(line for line, places in standing.items() if path in places and line in self.theirs)
            for line in [line for line, places in self.mine.items() if path in places and line not in standing]:
                del self.mine[line]

    def check(self, undone: set[str]) -> None:
        """Nothing of the user's is lost, nothing that they removed has come back, nothing of undone runs is left."""
        standing = self.standing()
        story = "\n".join(self.told)
        for line, paths in self.mine.items():
            taken = self.takers.get(line, set()) - undone
            if not taken:
                assert standing.get(line, set()) & paths, (
                    f"lost {line} of {paths}, found {standing.get(line)}:\n{story}"
                )
        back = self.dropped & standing.keys()
        assert not back, f"came back: { {line: standing[line] for line in back} }:\n{story}"
        left = {line: standing[line] for line in self.theirs if line in standing and self.theirs[line] in undone}
        left = {line: paths for line, paths in left.items() if line not in self.adopted}
        assert not left, f"left of undone runs: {left}:\n{story}"
        beside = [p for p in self.root.rglob(".*") if p.name.endswith(("loopwright", "-new", "-aside"))]
        assert not beside, f"left beside: {beside}:\n{story}"

    def _write(self, path: str, lines: list[str]) -> None:
        place = self.root / path
        earlier = self.lines(path) if place.exists() else []
        place.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{line}\n" for line in lines)
        if self.chance.random() < 0.5 and place.exists():
            beside = place.with_name(".saving")
            beside.write_text(text)
            beside.chmod(place.stat().st_mode)
            os.replace(beside, place)
        else:
            place.write_text(text)
        for line in lines:
            if line.startswith("u") and line not in earlier:
                self.mine[line] = {path}
        if self.being_written:
            self.saved_late = True
            self.adopted.update(line for line in lines if line in self.theirs)
        self._forget(set(earlier) - set(lines))
        self.told.append(
            f"user writes {path}: +{sorted(set(lines) - set(earlier))} -{sorted(set(earlier) - set(lines))}"
        )

    def _forget(self, lines: Iterable[str]) -> None:
        for line in lines:
            places = self.mine.pop(line, set())
            if len(places) < 2:  # undoing a move brings back what was moved
                self.dropped.add(line)

    def _moved(self, path: str, to: str) -> None:
        for line in self.lines(to):
            if line in self.mine:
                self.mine[line] = {to}
            else:
                self.adopted.add(line)
        self.told.append(f"user moves {path} to {to}")
