"""A trade whose steps are all of its own wording: a table of rules, of weights and of files that prove a step."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from loopwright.agents.jobs.offline.replay import Work
from loopwright.agents.jobs.offline.trade import not_by_rules
from loopwright.agents.jobs.offline.view import View
from loopwright.agents.jobs.offline.wording import wording

Rule = Callable[[View, Mapping[str, str]], Work]
"""Does a step; its facts are what stands in the gaps of its wording."""


class RuleBook:
    """What trades of this kind have in common: a step is found by its wording."""

    rules: ClassVar[Mapping[str, Rule]] = {}
    weights: ClassVar[Mapping[str, int]] = {}
    files: ClassVar[Mapping[str, str]] = {}

    def work(self, view: View, content: str) -> Work:
        """Do one step; one that somebody else has written is left to others."""
        known = wording(view.language).read(content)
        rule = self.rules.get(known[0]) if known is not None else None
        return rule(view, known[1]) if rule is not None and known is not None else not_by_rules(view, content)

    def weight(self, view: View, content: str) -> int:
        """Steps that read much weigh more."""
        known = wording(view.language).read(content)
        return self.weights.get(known[0], 1) if known is not None else 1

    def witness(self, view: View, content: str) -> Mapping[str, Any] | None:
        """The file that a step leaves."""
        known = wording(view.language).read(content)
        path = self.files.get(known[0]) if known is not None else None
        return {"kind": "file", "path": path} if path else None
