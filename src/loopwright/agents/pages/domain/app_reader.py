"""From a brief to the model of its app: every part of the brief becomes a block, a field or a record, or is left out.

General words of the language decide (verbs, prepositions, words for fields and for kinds of block); no line of business
has rules of its own, and what no kind of block fits is shown as a plain list under its own name.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from loopwright.agents.pages.brief.sitemap import without_page_list
from loopwright.agents.pages.domain.app_model import AppModel
from loopwright.agents.pages.domain.arranging import arrange
from loopwright.agents.pages.domain.brief_parts import (
    acts_on_known,
    add_listed,
    describes_each,
    is_bare,
    is_pointing,
    names_nothing,
)
from loopwright.agents.pages.domain.features import (
    ENTITY_KINDS,
    LOOSE_KINDS,
    MOST_TITLE,
    Feature,
    capital,
    cut,
    is_look,
    kind_of_block,
    proper_names,
    title_of,
    titled,
    without_doubles,
)
from loopwright.agents.pages.domain.grammar import (
    Said,
    before_preposition,
    bracketed,
    is_infinitive,
    items,
    language_read,
    lexicon,
    said,
    sentences,
    stripped,
)
from loopwright.agents.pages.domain.naming import given_name
from loopwright.agents.pages.domain.roles import action_of, asks_for_search, before_audience, is_audience, is_group
from loopwright.agents.pages.domain.sample_data import field_kind, singular

MOST_READ = 6_000
MOST_FEATURES = 16
MOST_PAGES = 6
SHORT_HAN = 4
"""Signs of a Chinese noun that may be a field; a longer one names something of its own."""
NOBODY = frozenset({"me", "us", "you", "now", "it", "that", "people", "everyone", "mich", "uns", "moi", "nous", "mí"})
LONG_ITEM = 12
"""Words of a part of a sentence that is told rather than asked for, where no verb of the lexicon is in it."""

_FIRST_PERSON = re.compile(
    r"^(?:(?:i|we|my|it's|it is|this is|there (?:is|are)|the objective|ich|wir|je|nous|yo)\b|我是)", re.I
)


@dataclass
class _State:
    """What has been read of a sentence so far."""

    verb: str = ""
    listing: Feature | None = None
    by_field: bool = False
    people: str = ""
    audience: bool = False


@lru_cache(maxsize=128)
def read_app(brief: str, name: str = "", pages: tuple[tuple[str, str], ...] = (), *, filled: bool = True) -> AppModel:
    """The app that a brief describes.

    Args:
        brief: the user's words, without questions or answers.
        name: the app's name where it is known already.
        pages: slug and title of the pages that are planned; empty: as many as the brief has need of.
        filled: whether what the brief does not say is filled in, so that the app can be looked at.
    """
    brief = brief[:MOST_READ]
    return _AppReader(brief, name, pages).model(filled=filled)


def says_anything(brief: str) -> bool:
    """Whether a brief says what its app is or has; "make me an app" does not."""
    reader = _read(brief)
    subject = reader.subject.lower()
    return bool(reader.features) or (len(subject) > 1 and not NOBODY.issuperset(subject.split()))


def count_parts(brief: str) -> int:
    """How many parts of its app a brief itself names; pages that fill up a number it asks for are none."""
    return len(_read(brief).features)


def _read(brief: str) -> "_AppReader":
    return _AppReader(brief[:MOST_READ], "", ()).read()


class _AppReader:
    """Reads a brief part by part."""

    def __init__(self, brief: str, name: str, pages: tuple[tuple[str, str], ...]) -> None:
        self.brief = brief
        self.words = lexicon(language_read(brief))
        self.name = name or given_name(brief)
        self.planned = pages
        self.subject = ""
        self.audience = ""
        self.features: list[Feature] = []
        self.neutral: list[str] = []
        self.searched = False

    def read(self) -> "_AppReader":
        """Reads the brief into features."""
        parts = sentences(without_page_list(self.brief))
        if parts:
            parts[0] = self._head(parts[0])
        for number, text in enumerate(parts):
            if number and self._asks_for_app(text):
                text = self._head(text)
            if text and not (number and self._is_told(text)):
                self._sentence(text)
        self.features = without_doubles(self.features)[:MOST_FEATURES]
        for each in self.features if self.searched else ():
            each.searched = each.kind in ENTITY_KINDS
        return self

    def model(self, *, filled: bool = True) -> AppModel:
        """The whole."""
        self.read()
        if not self.features:
            title = before_audience(self.subject, self.words) or self.name or self.words.words["labels"]["Entry"]
            self.features = [Feature("list", capital(title), title, title)]
        name = self.name or title_of(self.subject, self.words) or self.features[0].title
        return AppModel(
            name,
            self.words.language,
            self.subject,
            arrange(self.brief, self.words, self.features, self.planned, filled=filled),
            tuple(self.neutral),
        )

    # ------------------------------------------------------------------------------------------------ what it is

    def _head(self, text: str) -> str:
        """Takes from the first sentence what the app is; returns what it has."""
        words = self.words
        found = re.match(rf"(?:{words.words['lead']})", text, re.I)
        rest = text[found.end() :] if found else text
        head, colon, after = cut(rest, r"[:：]\s*")
        if not colon or len(head.split()) > 24:
            head, colon, after = cut(rest, self._head_end())
        head = self._without_name(head)
        whole = self._frame(head)
        topic = head[whole.end() :] if whole else head
        topic = re.sub(
            rf"\s+(?:{words.words['frame']})$" if words.spaced else rf"(?:的)?(?:{words.words['frame']})$",
            "",
            topic,
            flags=re.I,
        )
        topic = re.sub(r"(?<=\w)-(?:app|anwendung|seite)\b|\b(?:app|website|webapp)\b", " ", topic, flags=re.I) or topic
        topic = " ".join(topic.split())
        start = words.starts("prepositions", topic) if words.spaced else None
        topic = stripped(topic[start.end() :] if start else topic, words).strip(" ,;:'’\"„“”«»「」")
        topic = re.split(r",\s", topic)[0].strip()
        topic = topic if words.spaced else re.sub(r"\s*(?:做|设计|开发|制作)?$", "", topic).replace(" ", "")
        while words.spaced and topic and words.whole("prepositions", topic.split()[-1]):
            topic = " ".join(topic.split()[:-1])
        if self.subject:
            return after
        self.subject = topic
        topic = topic or self.name
        if kind := kind_of_block(topic):
            self._kind_of_subject(kind, topic)
        return after

    def _asks_for_app(self, text: str) -> bool:
        """Whether a later sentence asks for the app again: "Build a calendar application to …"."""
        found = re.match(rf"(?:{self.words.words['lead']})", text, re.I)
        return bool(found and found.end() > 2 and re.search(rf"\b(?:{self.words.words['frame']})\b", text[:80], re.I))

    def _frame(self, head: str) -> re.Match[str] | None:
        """The word that only says that it is an app, where more follows by a preposition or nothing does."""
        words = self.words
        if not words.spaced:
            return re.match(words.words["frame"], head)
        ends = (
            rf"(?=\s+(?:{words.words['prepositions']}|{words.words['modals']}|{words.words['label']})\b|\s*$|\s*[:,])"
        )
        return re.match(rf"(?:{words.words['frame']}){ends}\s*", head, re.I)

    def _head_end(self) -> str:
        if not self.words.spaced:
            return r"[，,：:]|(?<=应用)|(?<=小程序)|(?<=网站)|(?<=平台)"
        modals = self.words.words["modals"]
        starts = {
            "en": "where|that|which|to|so that|with",
            "de": "in der|mit der|mit dem|mit|wo|die|der|um",
            "fr": "où|qui|avec|pour que",
            "es": "donde|que|con",
        }
        return rf",\s+|\s+(?=(?:{starts[self.words.language]})\b)|\s+(?=(?:{modals})\b)"

    def _without_name(self, head: str) -> str:
        if not self.name:
            return head
        label = self.words.words["label"]
        marks = r"[„“”\"«»「」『』《》‚‘’]?"
        without = re.sub(
            rf",?\s*(?:(?:{label})\s*)?{marks}\s?{re.escape(self.name)}\s?{marks}(?:['’]s)?",
            " ",
            head,
            count=1,
            flags=re.I,
        )
        without = re.sub(
            r"\b(?:for|of|für|von|pour|de|para)\s+(?:the|die|den|la|le|el)?[\s.]*(?=$|in\b)",
            " ",
            " ".join(without.split()),
        )
        return " ".join(without.split())

    def _kind_of_subject(self, kind: str, topic: str) -> None:
        """A subject that is a kind of block itself: a seating planner, a quiz, a timer."""
        if kind in ("shop", "news", "people", "address", "switches", "favourites", "progress", "map", "board", "list"):
            return
        title, _ = before_preposition(topic, self.words)
        self.features.append(Feature(kind, capital(title), title, topic, of_subject=True))

    def _is_told(self, text: str) -> bool:
        if not self.words.spaced:
            return bool(re.match(r"^我(?:是|们是)", text))
        if re.search(r"[:(]", text) or re.search(self.words.words["asking"], text, re.I):
            return False
        if re.search(self.words.words["telling"], text, re.I):
            return True
        return bool(_FIRST_PERSON.match(text)) and kind_of_block(text) == ""

    # ------------------------------------------------------------------------------------------------ what it has

    def _sentence(self, text: str) -> None:
        state = _State()
        head, colon, after = cut(text, r"[:：]\s*")
        if colon and len(head.split()) <= LONG_ITEM:
            self._item(head, state)
            state.listing = state.listing or (self.features[-1] if self.features else None)
            if state.listing is not None and state.listing.kind not in ENTITY_KINDS:
                state.listing = None
            text = after
        for part in items(text, self.words):
            self._item(part, state)

    def _item(self, text: str, state: _State) -> None:
        words = self.words
        if is_look(text, words) or (self.name and stripped(text, words) == self.name) or self._is_audience(text, state):
            return
        if asks_for_search(text, words):
            self.searched = True
            return
        if (marked := self._examples(text)) is not None:
            before, first = marked
            target = self._feature_for(before, state)
            if target is not None:
                target.examples.append(first)
                state.listing = target
                return
        if self._is_relative(text):
            return
        if describes_each(text, self.features, words):
            state.listing, state.by_field = None, True
            return
        if (joined := words.starts("with", text)) and joined.end() < len(text) and words.spaced:
            text = text[joined.end() :]
        text = self._without_container(text)
        plain, listed = bracketed(text)
        told = said(plain, words)
        if state.listing is not None and not (told.verb or kind_of_block(plain)) and len(plain.split()) <= 6:
            self._add_example(state.listing, plain)
            return
        if told.verb and not told.object:
            told = Said("", "", plain, plain)
        if is_pointing(told.object) or (
            not told.verb and (len(plain.split()) > LONG_ITEM or names_nothing(plain, words))
        ):
            self.neutral.append(plain)
            return
        goes_on = not told.verb and state.verb and not listed and self._goes_with_verb(plain, state)
        if not (goes_on or self._as_field(told, listed, state)):
            self._add(told, listed, state)

    def _is_audience(self, text: str, state: _State) -> bool:
        goes_on = state.audience and len(text.split()) <= 2 and is_group(stripped(text, self.words), self.words)
        state.audience = goes_on or is_audience(text, self.words)
        return state.audience

    def _is_relative(self, text: str) -> bool:
        """Whether a part tells more of the thing before it ("who must not sit together"), which then has this field."""
        entities = [each for each in self.features if each.kind in ENTITY_KINDS and each.kind != "seating"]
        found = re.match(rf"(?:{self.words.words['relative']})\s+(?=\S)", text, re.I) if self.words.spaced else None
        if found is None or not entities or len(text[found.end() :].split()) > MOST_TITLE:
            return False
        told = text[found.end() :]
        modal = self.words.starts("modals", told)
        forbids = re.search(r"\b(?:not|nicht|kein\w*|pas|no)\b", told, re.I) is not None
        if not forbids:
            own = told if found[0].lower() not in ("who ", "wer ", "qui ") else text
            told = told[modal.end() :] if modal else own
        told = re.sub(r"^(?:they|it|he|she|we|i)\s+(?:is|are|was|were)?\s*", "", told)
        entities[-1].fields[capital(told)] = ()
        return True

    def _without_container(self, text: str) -> str:
        """What a list or page is of: the patients of "a list of patients", what is done on "a page where …"."""
        pattern = rf"^(?:(?:{self.words.words['articles']})\s+)*(?:{self.words.words['container']})\s*"
        return re.sub(pattern, "", text, flags=re.I) or text

    def _examples(self, text: str) -> tuple[str, str] | None:
        found = self.words.inside("examples", text)
        if found is None or found.start() == 0 or not text[found.end() :].strip():
            return None
        if not self.words.spaced and found[0] in ("有", "像", "如"):
            return None
        before, after = text[: found.start()].strip(" ,，"), stripped(text[found.end() :], self.words)
        if _FIRST_PERSON.match(before) or len(before.split()) > 6:
            return None
        return before, after

    def _feature_for(self, text: str, state: _State) -> Feature | None:
        """The feature that a noun phrase names: one that is there already, else a new one."""
        noun = singular(stripped(text, self.words), self.words.language).lower()
        for each in reversed(self.features):
            if noun and noun.split()[-1] in each.text.lower() and each.kind in ENTITY_KINDS:
                return each
        count = len(self.features)
        self._add(said(text, self.words), [], state)
        return self.features[-1] if len(self.features) > count else None

    def _add_example(self, target: Feature, text: str) -> None:
        example, rest = before_preposition(stripped(text, self.words), self.words)
        target.examples.append(example or text)
        if rest:
            target.lines.append(rest)

    def _goes_with_verb(self, text: str, state: _State) -> bool:
        """Whether a noun phrase is one more object of the verb before it: "borrow drills, ladders and trimmers"."""
        last = self.features[-1] if self.features else None
        if (
            last is not None
            and last.verb == state.verb
            and is_bare(text, self.words)
            and not self.words.whole("moving", state.verb)
        ):
            last.examples.append(text)
            return True
        if last is None or not self.words.whole("moving", state.verb) or kind_of_block(text) not in LOOSE_KINDS:
            return False
        if last.verb != state.verb:
            return False
        if not last.examples:
            first, rest = before_preposition(said(last.text, self.words).object or last.text, self.words)
            last.examples.append(stripped(first, self.words))
            last.lines += [rest] if rest else []
            self._rename_by_subject(last)
        self._add_example(last, text)
        return True

    def _rename_by_subject(self, feature: Feature) -> None:
        """A list of what is borrowed or sold is called after what the app is about: the tools of a tool library."""
        noun, _ = before_preposition(self.subject, self.words)
        tail = noun.split()[-3:] if self.words.spaced else [noun]
        if noun:
            if not action_of(feature, self.words):
                feature.lines.insert(0, capital(feature.verb))
            feature.title = capital(" ".join(tail))
            feature.noun = self.words.words["labels"]["Entry"] if self.words.language != "en" else "Item"

    def _as_field(self, told: Said, listed: list[str], state: _State) -> bool:
        """Whether a part names a field of the thing before it: "due dates", "region", "leave a deposit"."""
        entities = [each for each in self.features if each.kind in ENTITY_KINDS]
        described = [each for each in entities[-2:] if each.fields or each.examples]
        target = next(reversed(described or entities), None)
        text = told.object if told.verb else told.text
        noun, rest = before_preposition(self._extras(stripped(text, self.words))[0], self.words)
        state_of = " " in noun and field_kind(noun, self.words.language) in ("choice", "status")
        if target is None or not noun or (kind_of_block(told.text) and not state_of) or len(noun.split()) > 3:
            return False
        known = field_kind(noun, self.words.language) != "text"
        plain_list = state.by_field and not told.verb and self._is_singular(noun)
        if known and not self.words.spaced and len(noun) > SHORT_HAN:
            return False
        if not (known or plain_list):
            return False
        if told.verb and self.words.whole("forming", told.verb) and not known:
            return False
        label = f"{noun} {rest}" if rest and len(rest.split()) <= 3 else noun
        target.fields[capital(label)] = tuple(listed)
        target.lines += [rest] if rest and len(rest.split()) > 3 else []
        state.verb = told.verb or state.verb
        return True

    def _is_singular(self, noun: str) -> bool:
        last = noun.split()[-1]
        if self.words.language == "en":
            return not (last.endswith("s") and not last.endswith(("ss", "us", "is"))) or last.lower() in (
                "notes",
                "initials",
            )
        return True

    # ------------------------------------------------------------------------------------------------ a new feature

    def _add(self, told: Said, listed: list[str], state: _State) -> None:
        words = self.words
        text = told.text
        if told.verb and told.object and words.language != "en" and words.spaced:
            said_first = text.split()[0].strip(",.:")
            if text.endswith(told.verb) or not is_infinitive(said_first, words):
                text = told.object
        core, extras = self._extras(text)
        shown = core
        if told.object and words.whole("showing", told.verb or "-"):
            shown = self._extras(told.object)[0]
        shown = stripped(shown, words) or text
        kind = kind_of_block(core) or ("form" if words.whole("forming", told.verb or "-") else "list")
        title, lines = titled(shown, words)
        noun = stripped(self._extras(told.object)[0] if told.verb else core, words)
        start = words.starts("prepositions", noun) if words.spaced and told.verb else None
        noun, _ = before_preposition(stripped(noun[start.end() :], words) if start else noun, words)
        state.people = told.actor or state.people
        feature = Feature(kind, title, noun or title, text, told.actor, told.verb, lines=lines, people=state.people)
        verb = words.starts("searching", text)
        feature.searched = verb is not None and verb.end() < len(text)
        self._add_names(feature, core, state)
        if owner := re.fullmatch(r"(?:the )?(\w[\w ]*?)['’]s? names?", noun):
            feature.kind, feature.noun, feature.examples = "people", owner[1], [str(words.words["names"][1])]
        for extra in extras:
            self._extra(feature, extra, state)
        if listed:
            add_listed(feature, text, listed, words)
        if acts_on_known(feature, self.features, words):
            state.verb = feature.verb
            return
        self.features.append(feature)
        state.verb = told.verb or state.verb

    def _add_names(self, feature: Feature, core: str, state: _State) -> None:
        """The people and things that a phrase calls by name become the records of what it is about."""
        words = self.words
        names = proper_names(core, words)
        if feature.kind in ("list", "people") and names and feature.verb:
            feature.examples += [name for name in names if not self.name or name not in self.name]
            feature.kind = (
                "people"
                if re.search(r"(?:Dr|Prof|Mr|Mrs|Ms)\.", core) or words.inside("people", core)
                else feature.kind
            )
            cut = core.find(names[0])
            feature.title = titled(stripped(core[:cut], words), words)[0] or feature.title if cut > 0 else feature.title
            feature.noun = (
                singular(stripped(core[:cut], words), words.language).split(" ")[-1] if cut > 0 else feature.noun
            )
            state.listing = feature

    def _extras(self, text: str) -> tuple[str, list[str]]:
        """A phrase without what follows "with" or "by", and those."""
        found = self.words.inside("with", text)
        if found is None or found.start() == 0 or found.end() >= len(text):
            return text, []
        before = text[: found.start()].strip(" ,")
        if self.words.inside("condition", before):  # "when my child has boarded" is one thing
            return text, []
        rest = text[found.start() :]
        return before, [rest]

    def _extra(self, feature: Feature, text: str, state: _State) -> None:
        marker = self.words.starts("with", text)
        by_field = bool(self.words.starts("by", text))
        noun = stripped(text[marker.end() :] if marker else text, self.words)
        noun, listed = bracketed(noun)
        kind = kind_of_block(noun)
        if kind and not by_field and kind not in (feature.kind, "limits", "points", "shop", "people"):
            title, lines = titled(noun, self.words)
            self.features.append(Feature(kind, title, title, noun, lines=lines))
            return
        head, rest = before_preposition(noun, self.words)
        if head and len(head.split()) <= 4:
            feature.fields[capital(head)] = tuple(listed)
            feature.lines += [rest] if rest else []
            state.by_field = by_field
        elif noun:
            feature.lines.append(noun)
