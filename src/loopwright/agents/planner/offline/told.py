"""A sentence about a plan, with what it can refer to; every reader of changes looks at one of these."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from importlib import resources
from typing import Any

from loopwright.agents.planner.offline.change import Change
from loopwright.agents.planner.offline.language import PACKAGE, language
from loopwright.agents.planner.offline.mentions import Mention, mentioned
from loopwright.agents.planner.offline.reading import Reading, number_of

LONGEST_SPAN = timedelta(days=3_660)
WHICH = "Which task do you mean? Its number or a part of its title is enough."


@cache
def phrases() -> Mapping[str, Any]:
    """The phrases of changes, with their placeholders filled."""
    raw = json.loads(resources.files(PACKAGE).joinpath("languages", "en_changes.json").read_text(encoding="utf-8"))
    return {name: language().expand(value) if isinstance(value, str) else value for name, value in raw.items()}


@dataclass(frozen=True)
class Told:
    """The words; the tasks in the order shown to the user; the day it is; the goal; the last day of the plan."""

    reading: Reading
    tasks: Sequence[Mapping[str, Any]]
    today: date
    goal: str = ""
    ends: date | None = None

    @property
    def text(self) -> str:
        """The words as they were said."""
        return self.reading.text

    def search(self, name: str) -> re.Match[str] | None:
        """The first place where the phrase of this name stands."""
        return re.search(phrases()[name], self.reading.left)

    def again(self, text: str | None = None) -> Reading:
        """A fresh reading, of these words or of other ones."""
        return Reading.of(self.text if text is None else text, self.reading.language)

    def mention(self, words: str) -> Mention:
        """The tasks that the words name."""
        if re.fullmatch(phrases()["all_tasks"], words.strip()):
            return Mention(tuple(str(task["id"]) for task in self.tasks))
        return mentioned(words, self.tasks, phrases()["fillers"], phrases()["task_number"])

    def on_tasks(self, change: Change, words: str) -> Change:
        """The change with the tasks that the words name, or with a question which ones are meant."""
        found = self.mention(words)
        if found.ids:
            return replace(change, node_ids=found.ids)
        if found.candidates:
            titles = "; ".join(found.candidates)
            return replace(change, question=f"Which task do you mean: {titles}?", candidates=found.candidates)
        return replace(change, question=WHICH)

    def amount(self, match: re.Match[str]) -> timedelta | None:
        """A span such as `two weeks`; None where it is longer than any plan."""
        days = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "quarter": 91, "year": 365}
        unit = days[self.reading.language.table("span_units")[match["unit"]]]
        amount = number_of(match["amount"], self.reading.language) * unit
        return timedelta(days=round(amount)) if amount <= LONGEST_SPAN.days else None

    def start_of(self, ids: Sequence[str]) -> date:
        """The day on which the first of the tasks lies; today where that is not known."""
        starts = [str(task["start"])[:10] for task in self.tasks if str(task["id"]) in ids and task.get("start")]
        return min((date.fromisoformat(start) for start in starts), default=self.today)
