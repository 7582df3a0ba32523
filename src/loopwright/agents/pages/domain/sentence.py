"""What has been read of a sentence so far, for what its next part goes on with."""

import re
from dataclasses import dataclass

from loopwright.agents.pages.domain.brief_parts import is_pointing, question_field, states_in
from loopwright.agents.pages.domain.features import (
    ENTITY_KINDS,
    MOST_TITLE,
    Feature,
    capital,
    is_look,
    kind_of_block,
    titled,
)
from loopwright.agents.pages.domain.grammar import Lexicon, Said, before_preposition, said, stripped
from loopwright.agents.pages.domain.hours import told_hours, with_time
from loopwright.agents.pages.domain.listing import add_example
from loopwright.agents.pages.domain.roles import is_audience, is_group

MOST_LISTED = 8
"""Words of one thing of a list."""


@dataclass
class SentenceState:
    """What has been read of a sentence so far.

    `names` says that what is listed has names of its own; `beside` has something with it (“parts with price”), to which
    an “and” without a comma adds. It `enumerates` what that is; `owner` is what stands before brackets. Where the
    sentence `wants` parts of the app, "a budget" is one of them; `article` says that the part began so. It `paints`
    where its last part said how the app shall look. `sentence` is all of it, with so many
    things read `before` it.
    """

    verb: str = ""
    listing: Feature | None = None
    by_field: bool = False
    people: str = ""
    audience: bool = False
    form: Feature | None = None
    details: bool = False
    opened: bool = False
    wants: bool = False
    paints: bool = False
    article: bool = False
    beside: Feature | None = None
    names: bool = False
    enumerates: bool = False
    owner: str = ""
    sentence: str = ""
    before: int = 0

    def meant(self, told: Said, features: list[Feature], usual: Feature | None) -> Feature | None:
        """The thing that gets a field: what the sentence has named already comes before what was named earlier."""
        here = features[self.before :]
        if not here or told.verb:
            return usual
        return here[-1] if here[-1].kind in {*ENTITY_KINDS, "calendar"} else None

    def is_for_whom(self, text: str, words: Lexicon) -> bool:
        """Whether a part says whom the app is for, or goes on with that."""
        goes_on = self.audience and len(text.split()) <= 2 and is_group(stripped(text, words), words)
        self.audience = goes_on or is_audience(text, words)
        return self.audience

    def is_look(self, text: str, words: Lexicon) -> bool:
        """Whether a part says of nothing but the look; a single word after one does so too: "dark green, plain"."""
        goes_on = self.paints and words.spaced and len(text.split()) == 1 and text.islower()
        self.paints = (goes_on and kind_of_block(text) == "") or is_look(text, words)
        return self.paints

    def fills_in(self, told: Said, listed: list[str], features: list[Feature], words: Lexicon) -> bool:
        """Whether a part says what is entered into the form before: "book a stay, and fill in name and breed"."""
        last = features[-1] if features else None
        if last is None or last.kind != "form" or not words.whole("filling", told.verb or "-"):
            return False
        self.form = last
        last.fields[capital(told.object)] = tuple(listed)
        return True

    def acts_on_last(self, told: Said, features: list[Feature], words: Lexicon) -> bool:
        """Whether something is done with the things of the list before ("bid on them"), which then has a button."""
        noun = before_preposition(told.object, words)[0] or told.object
        start = words.starts("prepositions", noun) if words.spaced and noun else None
        lists = [each for each in features if each.kind in ("list", "form") and not each.fixed]
        if not (told.verb and lists and is_pointing(noun[start.end() :] if start else noun)):
            return False
        lists[-1].action = lists[-1].action or capital(told.verb)
        lists[-1].deeds.append(told.verb)
        return True

    def is_asked_after(self, text: str, told: Said, features: list[Feature], words: Lexicon) -> bool:
        """Whether a part only asks who does something: people to be ticked off, or how much there is of something."""
        if self.acts_on_last(told, features, words):
            return True
        last = next((each for each in reversed(features) if each.kind in ENTITY_KINDS and not each.fixed), None)
        if last is not None and words.whole("questions", text):
            last.fields[capital(text)] = ()
            return True
        asked = question_field(text, words)
        if last is not None and asked and self.verb and not self.opened and len(asked[0].split()) <= MOST_TITLE:
            yes_no = (str(words.words["labels"]["Yes"]), str(words.words["labels"]["No"]))
            last.fields[asked[0]] = yes_no if asked[1] else ()
            last.people = last.people if words.whole("reading", self.verb) else ""
            return True
        asking = next(
            (each for each in (text, told.object) if re.match(rf"(?:{words.words['who']})\s", each, re.I)), ""
        )
        if words.spaced and asking:
            title, lines = titled(asking, words)
            name = str(words.words["labels"]["Name"])
            features.append(Feature("checklist", title, name, text, lines=lines, by_people=True))
            return True
        return False

    def is_listed(self, text: str, told: Said, choices: list[str], words: Lexicon) -> bool:
        """Whether a part is one more of what is being listed: a thing, or a field of each."""
        if self.listing is not None and self.names and not text[:1].isupper():
            self.listing = None
        if self.listing is None or told.verb or kind_of_block(text) or len(text.split()) > MOST_LISTED:
            return False
        if self.details:
            self.listing.fields[capital(text)] = tuple(choices)
        else:
            add_example(self.listing, text, words)
        return True


def has_states(text: str, rest: list[str], features: list[Feature], words: Lexicon) -> bool:
    """Whether a part and the rest of its sentence are the states of things: "a board shows waiting and done"."""
    found = states_in(text, rest, words)
    lists = [each for each in features if each.kind in ENTITY_KINDS and not each.fixed]
    target = next((each for each in lists if each.fields), next(iter(lists), None))
    if found is None or not (found[0] or target):
        return False
    if found[0]:
        target = Feature("board", found[0], lists[0].noun if lists else found[0], text)
        features.append(target)
    if target is not None:
        target.fields[str(words.words["labels"]["Status"])] = found[1]
    return True


def is_timed(text: str, features: list[Feature], words: Lexicon) -> bool:
    """Whether a part says when something is, which then is a list of its days and times."""
    found = with_time(text, words)
    last = features[-1] if features else None
    if found is None:
        return False
    told = said(found[0], words)
    if told.verb and not words.whole("reading", told.verb):
        return False
    if found[0]:
        features.append(told_hours(told.object or found[0], found[1], words))
    elif last is not None and last.fixed:
        last.examples.append(capital(found[1]))
    return bool(found[0]) or (last is not None and last.fixed)
