"""workspace.md as the rules write it: a title and sections, each a list of lines."""

from collections.abc import Sequence
from dataclasses import dataclass

MOST_LINES = 40
"""Lines of one section: the file stands in every prompt, so older lines make room for newer ones."""


@dataclass(frozen=True)
class MemoryFile:
    """The sections by their headings, in order."""

    title: str
    sections: tuple[tuple[str, tuple[str, ...]], ...]

    @classmethod
    def parse(cls, text: str) -> "MemoryFile":
        """Read a file of this form; what stands before the first section is dropped."""
        title, sections = "Workspace", list[tuple[str, list[str]]]()
        for line in text.splitlines():
            if line.startswith("## "):
                sections.append((line[3:].strip(), []))
            elif line.startswith("# ") and not sections:
                title = line[2:].strip()
            elif sections and line.strip():
                sections[-1][1].append(line.rstrip())
        return cls(title, tuple((name, tuple(lines)) for name, lines in sections))

    def with_lines(self, heading: str, lines: Sequence[str], *, replace: bool = False) -> "MemoryFile":
        """The file with lines added to a section, or put in place of what stood there; a missing section is made."""
        before = dict(self.sections)
        kept = () if replace else before.get(heading, ())
        new = tuple(line if line.startswith("- ") else f"- {line}" for line in lines)
        merged = tuple(dict.fromkeys((*kept, *new)))[-MOST_LINES:]
        return MemoryFile(self.title, tuple({**before, heading: merged}.items()))

    def render(self) -> str:
        """The text of workspace.md."""
        parts = [f"# {self.title}"]
        for heading, lines in self.sections:
            parts.append("\n".join([f"## {heading}", *lines]))
        return "\n\n".join(parts) + "\n"
