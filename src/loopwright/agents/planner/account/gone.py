"""What is not to be done any more: done already, not needed, or done by somebody else."""

import re
from collections.abc import Sequence
from datetime import date

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.dates import FILLERS, Phrase, read_days, read_weekdays
from loopwright.agents.planner.account.neighbours import Found, Known, pairs
from loopwright.agents.planner.account.when import PERSON, claimed
from loopwright.kernel.account import Claim, Statement

DONE = re.compile(
    r"^\W*(?P<what>.{2,60}?)\s+(?:is|are|was|were|has\s+been|have\s+been|ist|sind|wurden?)\s+(?:already|now|schon|bereits)\s+"
    r"(?:(?:done|finished|completed?|ready|over|fertig|erledigt|gemacht|abgeschlossen|vorbei)|(?P<how>[a-z]{2,18}ed))\W*$"
    r"|^\W*(?:i|we|ich|wir)\s+(?:have\s+|habe\s+|haben\s+)?(?:already\s+)?(?:finished|done|completed)\s+"
    r"(?:with\s+)?(?P<more>.{2,60}?)\W*$|^已经(?P<han>.{2,20})了?$",
    re.I,
)
"""What is done: as a whole, or what was done with it ("cancelled"). Of a bought thing other work may be left."""
LEFT_OUT = re.compile(
    r"^\W*(?P<what>.{2,60}?)\s+(?:(?:now\s+)?falls?\s+away|(?:is|are)\s+(?:no\s+longer|not)\s+(?:needed|necessary)(?:\s+any\s*more)?|(?:is|are)\s+off|entfällt"
    r"|entfallen|fällt\s+(?:weg|aus)|fallen\s+(?:weg|aus)|(?:brauche|brauchen)\s+(?:ich|wir)\s+nicht\s+mehr)\W*$"
    r"|^(?:.*,\s*)?(?P<who>[A-ZÄÖÜ][a-zäöüß]+)\s+(?:(?:muss|braucht|soll)\s+(?:es\s+)?nicht\s+mehr\s+\w+"
    r"|(?:does\s+not|doesn['’]t)\s+(?:have|need)\s+to\s+[\w\s]{2,40}?any\s*(?:more|longer))\W*$"
    r"|^\W*(?P<han>.{1,20}?)(?:不用(?:做|学)?了|不需要了|取消了)\W*$",
    re.I,
)
"""What is not to be done any more."""
PART = re.compile(r"\b(?:part|section|phase|teil|abschnitt)\b|部分", re.I)
OUT = re.compile(
    rf"\s*(?P<who>{PERSON})\s+(?:(?:is|ist)\s+(?:ill|sick|out|away|krank|raus|weg)|(?:has|hat)\s+(?:no|keine)\s+(?:time|[Zz]eit)(?:\s+mehr)?"
    r"|(?:can['’]?t|kann\s+nicht)(?:\s+any\s*more|\s+mehr)?)\s*|\s*(?P<han>[\u4e00-\u9fff]{1,4}?)(?:没空|没时间|来不了|生病了?)\s*",
)
"""Who does what they did no longer, where somebody else is named for it."""


def left_out_of(match: re.Match[str]) -> str:
    """What the words of LEFT_OUT name."""
    return str(match["what"] or match["who"] or match["han"])


def done_of(match: re.Match[str]) -> str:
    """What the words of DONE name, with what was done."""
    return " ".join(filter(None, (match["what"] or match["more"] or match["han"], match["how"])))


def named_in(what: str) -> tuple[str, ...]:
    """The words and numbers by which a task is known; a part of something is known by the rest."""
    found = re.findall(r"[^\W\d_]{2,}|\d+", PART.sub(" ", what))
    return tuple(word for word in found if word.lower() not in FILLERS)


def read_gone(said: Phrase) -> Claim | None:
    """A task that is done or falls away, in the words with which a plan is changed."""
    if said.opening and said.before:
        return None
    done, out = DONE.match(said.text), LEFT_OUT.match(said.text)
    if (
        (done is None and out is None)
        or read_days(said.text, said.today)
        or any(True for _ in read_weekdays(said.text))
    ):
        return None
    what = done_of(done) if done is not None else left_out_of(out) if out else ""
    of = named_in(what)
    return claimed("gone", arguments.Gone(of=of, since=said.today, said=(said.text,))) if of else None


def replaced(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Who is out, where somebody else does it: "Petra has no time" – "Max does the roof"."""
    for one, other, _ in pairs(ordered):
        out, doing = OUT.fullmatch(one.text), claims.get(other.id)
        if out is not None and one.id not in claims and doing is not None and doing.check == "assigned":
            who = (out["who"] or out["han"]).split()[-1]
            yield one.id, claimed("gone", arguments.Gone(of=(who,), since=today, said=(one.text,)))
