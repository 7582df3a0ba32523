"""What each check is told."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.pages.account.pages import Counting, Result, Seen
from loopwright.agents.pages.account.vocabulary import literally, stands
from loopwright.kernel.account import NotMeasurable
from loopwright.kernel.account.reading import read_values

Words = Annotated[list[Annotated[str, Field(min_length=1, max_length=80)]], Field(max_length=12)]
Text = Annotated[str, Field(min_length=1, max_length=200)]
Where = Literal["main", "button", "header", "background", "heading", "link", "some"]
Language = Literal["en", "de", "zh", "fr", "es"]


class Arguments(BaseModel):
    """Arguments of a check."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Titled(Arguments):
    """The app has this name, and its first page says these words of it."""

    name: Text
    words: Words


class Visible(Arguments):
    """These words stand together; `values` are names, dates, times and figures that stand with them.

    `since` and `until` are those of them from which, and until which something is; `each` are words such as "every",
    `not_open` such as "closed".
    """

    words: Words
    values: Words
    since: Words = []
    each: Words = []
    until: Words = []
    not_open: Words = []


class Beside(Arguments):
    """What these words name has this price, amount or figure beside it."""

    words: Words
    values: Words


class Entered(Arguments):
    """A field with these words in its name, or with these choices, on which a figure of the page depends."""

    words: Words
    choices: Words


class GivenOut(Arguments):
    """A figure with these words beside it that depends on what is entered; `each` are words such as "everyone"."""

    words: Words
    values: Words
    each: Words = []


class Follows(Arguments):
    """A figure with these words beside it that another entry or a press changes."""

    words: Words
    values: Words = []
    each: Words = []


class Lives(Arguments):
    """A figure with these words beside it that changes by itself."""

    words: Words
    values: Words = []
    live: Text


class HasField(Arguments):
    """A form that answers has a field of this name; with `of` on a page that names these things."""

    field: Words
    of: Words = Field(default_factory=list)
    each: Words = Field(default_factory=list)


class Ticked(Arguments):
    """Things can be ticked; with `each` all of those that stand beside them."""

    each: bool = False


class Ground(Arguments):
    """The background's lightness is below ("<": dark) or above the middle; `named` is how the user said it."""

    relation: Literal["<", ">"]
    named: Text


class Taking(Arguments):
    """Something that can be done: `done` are the verbs, or a noun such as "checklist", `words` what it is done to.

    `values` are names and figures that belong to it, `each` what it is done for each of.
    """

    words: Words = []
    done: Words = []
    values: Words = []
    each: Words = []


class KeptHere(Arguments):
    """What people write down: its words, and those such as "every" of what it is written down for."""

    words: Words
    each: Words = []


class Toned(Arguments):
    """What kind of colours the app has; `named` is how the user said it."""

    tone: Literal["warm", "cool"]
    named: Text


class PageOf(Arguments):
    """A page of its own; the words and names of its title."""

    page: Words


class Counted(Arguments):
    """So many pages; the first one says the words and names of what it is about."""

    relation: Literal["==", "<=", ">="]
    count: Annotated[int, Field(ge=1, le=99)]
    unit: Literal["pages"] = "pages"
    about: Words = []


class Coloured(Arguments):
    """A colour by its name or as `#rrggbb`, and what has it.

    `main` is what most of the coloured area has, `some` anything that is seen.
    """

    where: Where
    colour: Text


class Absent(Arguments):
    """These words stand together nowhere; of a page: none is called so, whatever else they name."""

    absent: Words
    page: bool = False


class Renamed(Arguments):
    """What was called `old` everywhere is called `new`."""

    old: Text
    new: Text
    scope: Literal["everywhere"] = "everywhere"


class InLanguage(Arguments):
    """The language of the words, by its code and as the user named it."""

    language: Language
    named: Text


# What a page does with what is entered, chosen and ticked, tried in the browser; and what stands side by side.

Found = tuple[bool, str]
_FIGURES = ("money", "number", "quantity", "count", "length", "duration")


def beside(result: Result, said: Beside) -> Found:
    """The words and their figure stand in one row, or the figure is the first one after the words."""
    for page in result.pages.values():
        for row in page.rows:
            if _all(said.words, row) and all(figure_in(value, row) for value in said.values) and len(row) < 200:
                return True, f"{page.slug}: “{row[:100]}”"
        texts = [block.text for block in page.blocks]
        for at, text in enumerate(texts):
            after = next((each for each in texts[at + 1 : at + 4] if any(sign.isdigit() for sign in each)), "")
            if _all(said.words, text) and after and all(figure_in(value, f"{text} {after}") for value in said.values):
                return True, f"{page.slug}: “{text[:60]} / {after[:40]}”"
    return False, f"“{' '.join([*said.words, *said.values])}” does not stand side by side on any page"


def figure_in(value: str, text: str) -> bool:
    """Whether a price or an amount stands in a text: as it is written, or as the same value in the same unit."""
    if literally(value, text):
        return True
    wanted = {(each.type, each.value, each.unit) for each in read_values(value) if each.type in _FIGURES}
    return bool(wanted) and wanted <= {(each.type, each.value, each.unit) for each in read_values(text)}


def entered(result: Result, said: Entered) -> Found:
    """A field has the words in its name, or the choices, and another value of it changes a figure of the page."""
    without = ""
    for page in result.pages.values():
        for field in _tried(page):
            texts = f"{field.name} {' '.join(field.options)}"
            offered = all(any(literally(choice, option) for option in field.options) for choice in said.choices)
            if not (_all(said.words, texts) and offered):
                continue
            if field.counts:
                return True, f"{page.slug}: another “{field.name[:60]}” gives another figure"
            without = field.name
    told = " ".join([*said.words, *said.choices])
    return False, f"“{without}” changes no figure" if without else f"no field for “{told}”"


def given_out(result: Result, said: GivenOut) -> Found:
    """A text that changes with the fields has the words and figures."""
    answers = [answer for page in result.pages.values() for answer in (page.answers if _tried(page) else ())]
    for answer in answers:
        if _all(said.words, answer) and all(literally(value, answer) for value in [*said.values, *said.each]):
            return True, f"“{answer[:100]}” follows what is entered"
    told = " ".join([*said.words, *said.values])
    return False, f"nothing with “{told}” follows what is entered"


def follows(result: Result, said: Follows) -> Found:
    """A text with the words changes its figure after something was entered, sent or pressed."""
    if not result.rendered:
        raise NotMeasurable("without a browser nothing is entered or pressed")
    for page in result.pages.values():
        for text in [*page.figures, *page.answers]:
            if _all(said.words, text) and all(literally(each, text) for each in [*said.values, *said.each]):
                return True, f"{page.slug}: “{text[:100]}” follows what is done"
    return False, f"no figure for “{' '.join([*said.words, *said.values])}” follows what is entered or done"


def has_field(result: Result, said: HasField) -> Found:
    """A field whose name has the words, on a page with a form that answers and has them too."""
    if not result.rendered:
        raise NotMeasurable("without a browser no form is tried")
    for page in result.pages.values():
        if said.of and not any(_all(said.of, text) for text in (page.title, *(block.text for block in page.blocks))):
            continue
        names = [each.name for each in page.controls if each.tag in ("input", "select", "textarea")]
        for form in page.forms:
            name = next((name for name in names if _all(said.field, name) and stands(name, form.text)), "")
            if form.answers and name:
                return True, f"{page.slug}: the field “{name[:60]}” of a form that answers"
        for control in page.controls:
            name = next((name for name in control.fields if _all(said.field, name)), "")
            if control.opens and name:
                return True, f"{page.slug}: the field “{name[:60]}” of the form behind “{control.name[:60]}”"
    return False, f"no form that answers has a field “{' '.join(said.field)}”"


def ticked(result: Result, said: Ticked) -> Found:
    """Boxes are there and change when they are pressed."""
    counts = []
    for page in result.pages.values():
        if page.ticks is None:
            raise NotMeasurable("without a browser nothing is ticked")
        counts.append(page.ticks)
    boxes, work = sum(each.boxes for each in counts), sum(each.work for each in counts)
    bare = sum(each.bare for each in counts)
    holds = 0 < boxes == work and not (said.each and bare)
    return holds, f"{work} of {boxes} boxes can be ticked, {bare} things beside them have none"


def _tried(page: Seen) -> Sequence[Counting]:
    if page.counting is None:
        raise NotMeasurable("without a browser nothing is entered")
    return page.counting


def _all(words: Iterable[str], text: str) -> bool:
    return all(stands(word, text) for word in words)
