"""The checks of which a promise is made: a small, closed set, each about one page of the app."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from loopwright.agents.pages.contracts import SLUG_PATTERN

MAX_SELECTOR = 300
"""Characters of a selector; longer ones are no names but paths, and cost time on hostile pages."""

MAX_STEPS = 12
"""Steps of a behaviour, and expectations of it."""


def usable_selector(selector: str) -> str:
    """The selector, if the engine that will be asked knows it.

    Raises:
        ValueError: it cannot be asked.
    """
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    text = " ".join(selector.split())
    if "::" in text:
        raise ValueError("a selector of a check names an element, not a pseudo-element")
    try:
        LexborHTMLParser("<p></p>").css(text)
    except SelectolaxError as error:
        raise ValueError(f"{text!r} is no CSS selector") from error
    return text


CheckSelector = Annotated[str, Field(min_length=1, max_length=MAX_SELECTOR), AfterValidator(usable_selector)]
CheckSlug = Annotated[str, Field(pattern=rf"^{SLUG_PATTERN}$")]
Words = Annotated[str, Field(min_length=1, max_length=500)]
Count = Annotated[int, Field(ge=0, le=10_000)]


class _Check(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ElementCheck(_Check):
    """The page has elements of this kind: at least `min_count`, at most `max_count`.

    Of the elements that match the selector those count that contain `text` (blanks and case aside), that carry
    `attribute` (with exactly `value`, where one is given) and that, with `visible`, no style hides for certain.
    """

    kind: Literal["element"] = "element"
    slug: CheckSlug
    selector: CheckSelector
    min_count: Count = 1
    max_count: Count | None = None
    text: Words | None = None
    attribute: Annotated[str, Field(pattern=r"^[a-zA-Z_:][\w:.-]{0,63}$")] | None = None
    value: Annotated[str, Field(max_length=2_000)] | None = None
    visible: bool = False

    @model_validator(mode="after")
    def _says_something(self) -> "ElementCheck":
        if self.min_count == 0 and self.max_count is None:
            raise ValueError("a check that allows any number of elements checks nothing")
        if self.max_count is not None and self.max_count < self.min_count:
            raise ValueError("max_count is below min_count")
        return self


class TextCheck(_Check):
    """The page shows these words (blanks and case aside), or with `present=False` does not show them."""

    kind: Literal["text"] = "text"
    slug: CheckSlug
    text: Words
    present: bool = True


class LinkCheck(_Check):
    """The page leads to another page; with a `label`, by a link that is called so."""

    kind: Literal["link"] = "link"
    slug: CheckSlug
    target: CheckSlug
    label: Words | None = None


class StyleCheck(_Check):
    """At least `min_count` elements have this value of this property, as the cascade computes it at 430 px.

    A value with `var(--token)` is compared with what the token stands for on that very element, so that it survives a
    new look; colours are compared as colours.
    """

    kind: Literal["style"] = "style"
    slug: CheckSlug
    selector: CheckSelector
    property: Annotated[str, Field(pattern=r"^-{0,2}[a-z][a-z0-9-]{0,63}$")]
    value: Words
    min_count: Annotated[int, Field(ge=1, le=10_000)] = 1


class Step(_Check):
    """One thing that a person does: open the page, tap, type, choose."""

    action: Literal["load", "click", "fill", "select"]
    selector: CheckSelector | None = None
    value: Annotated[str, Field(max_length=500)] = ""

    @model_validator(mode="after")
    def _has_an_object(self) -> "Step":
        if (self.selector is None) != (self.action == "load"):
            raise ValueError("every step but load names the element that it is done to")
        return self


ExpectationKind = Literal["appears", "disappears", "text", "attribute", "class", "storage", "navigation"]


class Expectation(_Check):
    """What is the case after the steps.

    `appears` and `disappears` speak of what is seen at `selector`; `text` of what it contains; `attribute` and `class`
    of `name` on it (`value` for an attribute's exact value); `storage` of the key `name` in localStorage; `navigation`
    of the page `value` that is open now.
    """

    kind: ExpectationKind
    selector: CheckSelector | None = None
    name: Annotated[str, Field(max_length=200)] = ""
    value: Annotated[str, Field(max_length=500)] | None = None

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> "Expectation":
        if (self.selector is None) != (self.kind in ("storage", "navigation")):
            raise ValueError(f"{self.kind} {'takes no' if self.selector else 'needs a'} selector")
        if self.kind in ("attribute", "class", "storage") and not self.name:
            raise ValueError(f"{self.kind} needs a name")
        if self.kind in ("text", "navigation") and not self.value:
            raise ValueError(f"{self.kind} needs a value")
        return self


class Statement(_Check):
    """A statement of a page's script, normalised; `digest` are 16 hexadecimal digits of its SHA-256."""

    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    excerpt: Annotated[str, Field(max_length=120)]


class BehaviourCheck(_Check):
    """Somebody does the steps, and then the expectations hold.

    Run in a browser where there is one. Elsewhere its static footprint is looked at: the elements of the steps exist,
    and the `statements` of the page's scripts that mention them are still there.
    """

    kind: Literal["behaviour"] = "behaviour"
    slug: CheckSlug
    steps: Annotated[tuple[Step, ...], Field(min_length=1, max_length=MAX_STEPS)]
    expectations: Annotated[tuple[Expectation, ...], Field(max_length=MAX_STEPS)] = ()
    statements: Annotated[tuple[Statement, ...], Field(max_length=200)] = ()


Check = Annotated[ElementCheck | TextCheck | LinkCheck | StyleCheck | BehaviourCheck, Field(discriminator="kind")]


# The turns of a check in the record: what it is worth now is what the newest one says.

CheckState = Literal["active", "withdrawn", "superseded", "undone"]
"""`withdrawn` by the user's word, `superseded` by a later request of theirs, `undone` with the change that made it."""


@dataclass(frozen=True)
class Turn:
    """A turn that a check of a promise is to take; `place` counts the promise's checks from 0.

    `slug` and `version` name the page version that it comes with, so that it goes when that version is undone.
    """

    number: int
    place: int
    state: CheckState
    reason: str | None = None
    superseded_by: int | None = None
    slug: str | None = None
    version: int | None = None


@dataclass(frozen=True)
class GivenUp:
    """A check that does not count any more, and why; `superseded_by` names the promise that took its place."""

    place: int
    check: Check
    state: CheckState
    reason: str | None = None
    superseded_by: int | None = None
