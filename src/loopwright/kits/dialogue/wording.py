"""What rules say, kept as data: texts by language with gaps for facts, and longer texts as Markdown files."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

SLOT = re.compile(r"\{([a-z_]+)\}")
FALLBACK = "en"


@cache
def text_of_file(package: str, name: str) -> str:
    """A text that a package brings, without blanks around it; `name` may lead into folders below the package."""
    return resources.files(package).joinpath(*name.split("/")).read_text(encoding="utf-8").strip()


@dataclass(frozen=True)
class Wording:
    """The texts of one language: `steps` are written and read back, `words` are everything else."""

    steps: Mapping[str, str]
    words: Mapping[str, Any]

    def step(self, name: str, **facts: object) -> str:
        """The text of a step."""
        return _filled(self.steps[name], facts)

    def say(self, name: str, **facts: object) -> str:
        """A text."""
        return _filled(str(self.words[name]), facts)

    def read(self, content: str) -> tuple[str, dict[str, str]] | None:
        """Which step a text is, with its facts; None where these rules have not written it."""
        text = " ".join(content.split())
        for name, template in self.steps.items():
            if match := _pattern(template).fullmatch(text):
                return name, match.groupdict()
        return None


def _filled(template: str, facts: Mapping[str, object]) -> str:
    """Facts filled in once: what they contain is not looked at again."""
    return SLOT.sub(lambda match: str(facts[match[1]]), template)


@cache
def _pattern(template: str) -> re.Pattern[str]:
    pieces, seen, end = [], set[str](), 0
    for match in SLOT.finditer(template):
        pieces.append(re.escape(template[end : match.start()]))
        pieces.append(f"(?P={match[1]})" if match[1] in seen else f"(?P<{match[1]}>.+?)")
        seen.add(match[1])
        end = match.end()
    return re.compile("".join([*pieces, re.escape(template[end:])]))


@cache
def wording_of(package: str, language: str) -> Wording:
    """The texts of a language (two letters) in the package's folder `wording`; the English ones where it has none."""
    folder = resources.files(package).joinpath("wording")
    file = folder.joinpath(f"{language}.json")
    if not re.fullmatch(r"[a-z]{2}", language) or not file.is_file():
        file = folder.joinpath(f"{FALLBACK}.json")
    data = json.loads(file.read_text(encoding="utf-8"))
    return Wording(data["steps"], data["words"])
