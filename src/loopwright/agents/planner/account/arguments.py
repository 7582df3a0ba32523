"""What the checks of a plan take: values read from the user's words, and words of titles."""

from datetime import date as Date  # noqa: N812 - fields are called `date`
from datetime import time
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

LAST = time(23, 59)
Relation = Literal["at_most", "at_least", "about", "exactly"]


class Arguments(BaseModel):
    """What every check takes: `words` are those of its titles as they stand together, such as a name of two words.

    `said` are words of the user's whose value stands here in another form: "in 4 months" as a date. An argument that
    can only be empty names what the check means by itself, so that the words for it count as read.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: tuple[str, ...] = Field(default=(), description="the words of a title as they stand together")
    said: tuple[str, ...] = Field(default=(), description="the user's words for what stands here in another form")


class OnDay(Arguments):
    """An appointment whose title has these words, on this day and on no other."""

    event: tuple[str, ...] = Field(min_length=1)
    date: Date
    only: Literal[""] = ""


class PerWeek(Arguments):
    """Hours, or sessions whose title has the words `of`, in each week; an entry must have the words of a `title`.

    In weeks that touch days from `gone`, on which there is nothing, there may be less.
    """

    unit: Literal["hours", "sessions"]
    relation: Relation
    amount: float = Field(gt=0)
    of: tuple[str, ...] = ()
    title: tuple[str, ...] = ()
    since: Date | None = None
    gone: tuple[tuple[Date, Date], ...] = ()
    only: Literal[""] = ""


class PerDay(Arguments):
    """Hours of each day on which there is work, from the day `since` on where one is named."""

    relation: Relation
    hours: float = Field(gt=0)
    since: Date | None = None


class Weekdays(Arguments):
    """Days of the week, 0 is Monday; with `of` only for the entries that have these words in their title.

    With `every` 2 the days of every second week alone are meant. It holds from the day `since` to the day `until`.
    With `person` the words `of` name somebody whose days these are: it binds the tasks that are theirs. Whoever is
    "free on Sundays" is `absent` on other days.
    """

    weekdays: tuple[int, ...] = Field(min_length=1)
    names: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    every: Literal[2] | None = None
    since: Date | None = None
    until: Date | None = None
    person: bool = False
    absent: Literal["on other days"] | None = None
    more: Literal[""] = ""


class Within(Arguments):
    """Hours of the day between which all work lies; each bound by the name with which it was said, and one at least.

    Where `weekdays` are named the bounds are for these, and work lies on no others but the `free` ones. With `also`
    they are hours beside those that there are. With `of` they are for the entries that have these words in their
    title; with `weeks` for the weeks of the year with an odd or an even number; with `outside` the hours are taken,
    such as by a job, and work lies beside them. They hold from the day `begins` on and
    until the day `ends`, where these are named.
    """

    weekdays: tuple[int, ...] = ()
    free: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    only: Literal[True] = True
    also: bool = False
    of: tuple[str, ...] = ()
    weeks: Literal["odd", "even"] | None = None
    outside: bool = False
    begins: Date | None = None
    ends: Date | None = None
    since: time | None = None
    not_before: time | None = None
    until: time | None = None
    not_after: time | None = None

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if all(each is None for each in (self.since, self.not_before, self.until, self.not_after)):
            raise ValueError("one bound is needed")
        return self

    def on(self, weekday: int) -> tuple[time, time] | None:
        """From when to when there may be work on a day of the week; None where there may be none at all."""
        if weekday in self.free:
            return time(), LAST
        return (self.first, self.last) if weekday in (self.weekdays or range(7)) else None

    @property
    def first(self) -> time:
        """Before this no work begins."""
        return self.since or self.not_before or time()

    @property
    def last(self) -> time:
        """After this no work goes on."""
        return self.until or self.not_after or LAST


class Apart(Arguments):
    """Two kinds of entries, by words of their titles, and the least number of days from the one to the other.

    With a `day` the other is no work: it is that day, such as the deadline.
    """

    before: tuple[str, ...] = Field(min_length=1)
    after: tuple[str, ...] = Field(min_length=1)
    days: int = Field(default=0, ge=0)
    day: Date | None = None
    removed: Literal[""] = ""
    over: Literal[""] = ""


class Total(Arguments):
    """The hours of all work together, or of that which has the words `of` in its title.

    `extra` is how many of them it is more, or less, than there were before; with `by` they are those until that day.
    """

    scope: Literal["all"] = "all"
    of: tuple[str, ...] = ()
    relation: Relation
    hours: float = Field(gt=0)
    removed: Literal[""] = ""
    extra: float | None = None
    by: Date | None = None
    comparison: Literal["", "more", "less"] = ""
    only: Literal[""] = ""


class EndsBy(Arguments):
    """The last day on which there may be work; with `not_before` it may not be over earlier either.

    Where a `title` is given, an entry must have these words in its title. `relation` is how the day was named; with
    `before` the `date` is the day before the one that was named. `of` are the words of what may be meant alone: where
    that is over by the day and other work is not, nobody can tell whether it was kept.
    """

    scope: Literal["all"] = "all"
    date: Date
    relation: Literal["by", "before", "within"] = "by"
    not_before: Date | None = None
    title: tuple[str, ...] = ()
    of: tuple[str, ...] = ()


class Starts(Arguments):
    """The first day on which there may be work, or that which has the words `of` in its title."""

    date: Date
    of: tuple[str, ...] = ()
    only: Literal[True] = True
    relation: Literal["from", "not_before"] = "from"
    not_before: Literal[""] = ""


class EachOf(Arguments):
    """Each of so many things that are counted has all the steps, one after the other: "chapter 1: read".

    A step without words is the thing itself; `minutes` is how long each thing takes, where that was said; with `by` the
    first `count` of them are over on that day.
    """

    item: str = Field(min_length=1)
    count: int = Field(gt=0, le=60)
    steps: tuple[tuple[str, ...], ...] = Field(min_length=1)
    minutes: int | None = Field(default=None, gt=0)
    relation: Relation = "about"
    by: Date | None = None


class NotInARow(Arguments):
    """No two days that follow each other have work; with `of`, work with these words in its title."""

    days: Literal[2] = 2
    of: tuple[str, ...] = ()


class Task(Arguments):
    """Something to do: an entry of the calendar has all the words in its title."""

    of: tuple[str, ...] = Field(min_length=1)


class Free(Arguments):
    """Days on which there is nothing, or nothing with the words `of` in its title; first and last day are counted.

    With `heals` an injury heals until then: nothing that comes again week by week is trained either.
    """

    first: Date
    last: Date
    of: tuple[str, ...] = ()
    relation: Literal["until", "from", "on"] = "on"
    heals: bool = False
    until: Literal[""] = ""


class Sitting(Arguments):
    """How long every session is that comes again, in minutes."""

    relation: Relation
    minutes: int = Field(gt=0)
    of: tuple[str, ...] = ()
    each: Literal[""] = ""


class Daily(Arguments):
    """There is work on every day from the first to the last one, but for the weekdays and days that are ruled out."""

    of: tuple[str, ...] = ()
    only: Literal["every day"] = "every day"
    weekdays: tuple[int, ...] = ()
    gone: tuple[tuple[Date, Date], ...] = ()


class Together(Arguments):
    """Several claims that one statement makes, each by the name of its check; it holds where all of them do."""

    parts: tuple[dict[str, dict[str, Any]], ...] = Field(min_length=2)


class Assigned(Arguments):
    """Who does what: each of the `items` by the words of its title; `who` stands in the title of every such entry."""

    who: str = Field(min_length=1)
    items: tuple[tuple[str, ...], ...] = Field(min_length=1)


class DoesOnly(Assigned):
    """Who does these things and nothing else."""


class Gone(Arguments):
    """Nothing with these words in its title is left from a day on: it is done, not needed, or done by somebody else."""

    of: tuple[str, ...] = Field(min_length=1)
    since: Date
    more: Literal[""] = ""


class Titled(Arguments):
    """All words of what is to be done, and those of what it is done to (`call Dr Brown`, `Dr Brown`)."""

    title: tuple[str, ...] = Field(min_length=1)
    subject: tuple[str, ...] = Field(min_length=1)
