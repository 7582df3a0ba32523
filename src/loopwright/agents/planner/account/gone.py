"""What is not to be done any more, said where there is no plan yet whose titles could be looked at."""

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.dates import Phrase, read_days, read_weekdays
from loopwright.agents.planner.account.named import content_of
from loopwright.agents.planner.account.task_phrases import IS_DONE, OFF
from loopwright.agents.planner.account.when import claimed
from loopwright.kernel.account import Claim


def read_gone(said: Phrase) -> Claim | None:
    """A task that is done or falls away, in the words with which a plan is changed."""
    if (
        (said.opening and said.before)
        or read_days(said.text, said.today)
        or any(True for _ in read_weekdays(said.text))
    ):
        return None
    match = next((found for each in (*IS_DONE, *OFF) if (found := each.match(said.text.strip()))), None)
    of = tuple(content_of(match["what"])) if match is not None else ()
    return claimed("gone", arguments.Gone(of=of, since=said.today, said=(said.text,))) if of else None
