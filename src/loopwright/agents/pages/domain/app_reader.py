"""From a brief to the model of its app: every part of the brief becomes a block, a field or a record, or is left out.

General words of the language decide (verbs, prepositions, words for fields and for kinds of block); no line of business
has rules of its own, and what no kind of block fits is shown as a plain list under its own name.
"""

import re
from functools import lru_cache

from loopwright.agents.pages.brief.sitemap import without_page_list
from loopwright.agents.pages.domain.app_model import AppModel
from loopwright.agents.pages.domain.arranging import HEARD, arrange
from loopwright.agents.pages.domain.brief_parts import (
    acts_on_known,
    add_listed,
    describes_each,
    enters_when,
    examples_in,
    extras_in,
    fields_run,
    is_form_field,
    is_pointing,
    is_singular,
    known_list,
    logged_fields,
    marked_fields,
    names_nothing,
    of_details,
    published,
    question_field,
    tells_more,
    with_choices,
    without_container,
    without_count,
    without_which,
)
from loopwright.agents.pages.domain.features import (
    ENTITY_KINDS,
    MOST_TITLE,
    Feature,
    capital,
    cut,
    kind_of_block,
    of_subject,
    title_of,
    titled,
    without_doubles,
    without_whom,
)
from loopwright.agents.pages.domain.grammar import (
    PARTICLES,
    Said,
    active,
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
from loopwright.agents.pages.domain.heads import (
    FIRST_PERSON,
    asks_for_app,
    frame_of,
    head_end,
    is_story,
    is_told,
    restated,
    told_of,
    without_address,
    without_name,
)
from loopwright.agents.pages.domain.hours import with_time
from loopwright.agents.pages.domain.kept.asked import ranks, reads_figure, thing_that_shows
from loopwright.agents.pages.domain.listing import add_names, asks_what, goes_with_verb
from loopwright.agents.pages.domain.naming import given_name, named_page
from loopwright.agents.pages.domain.openings import paints, without_opening, without_page
from loopwright.agents.pages.domain.restating import HAS, with_brackets
from loopwright.agents.pages.domain.roles import (
    asks_for_search,
    before_audience,
    only_read,
)
from loopwright.agents.pages.domain.sample_data import field_kind, singular
from loopwright.agents.pages.domain.sentence import SentenceState, has_states, is_timed

MOST_READ = 6_000
MOST_FEATURES = 16
MOST_PAGES = 6
SHORT_HAN = 4
"""Signs of a Chinese noun that may be a field; a longer one names something of its own."""
NOBODY = frozenset({"me", "us", "you", "now", "it", "that", "people", "everyone", "mich", "uns", "moi", "nous", "mí"})
LONG_ITEM = 12
"""Words of a part of a sentence that is told rather than asked for, where no verb of the lexicon is in it."""

_COLON = r"(?<!\d)[:：]\s*|[:：](?!\d)\s*|\s-\s(?=\S+,)"


@lru_cache(maxsize=128)
def read_app(brief: str, name: str = "", pages: tuple[tuple[str, str], ...] = (), *, filled: bool = True) -> AppModel:
    """The app that a brief describes.

    Args:
        brief: the user's words, without questions or answers.
        name: the app's name where it is known already.
        pages: slug and title of the pages that are planned; empty: as many as the brief has need of.
        filled: whether what the brief does not say is filled in, so that the app can be looked at.
    """
    return _AppReader(brief[:MOST_READ], name, pages).model(filled=filled)


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
        self.words = lexicon(language_read(brief))
        brief = without_address(restated(brief, self.words))
        self.name = name or given_name(brief)
        self.brief = with_brackets(brief, self.words)
        self.planned = pages
        self.subject = ""
        self.story = ""
        self.features: list[Feature] = []
        self.neutral: list[str] = []
        self.searched = False

    def read(self) -> "_AppReader":
        """Reads the brief into features."""
        parts = sentences(without_page_list(self.brief))
        if parts:
            told = is_story(parts[0], self.words) and any(asks_for_app(each, self.words) for each in parts[1:])
            lead = re.split(self.words.words["telling"], parts[0])[0] if told else parts[0]
            if told and (lead == parts[0] or len(lead.split()) < 2):
                self.story, lead = told_of(parts[0], self.name, self.words)
            parts[0] = self._head(lead) if lead else ""
        for number, text in enumerate(parts):
            if page := named_page(text):
                title, rest = page
                lines = [capital(stripped(rest, self.words))] if rest else []
                self.features.append(Feature("list", capital(title), title, text, examples=lines, fixed=bool(lines)))
                continue
            if number and asks_for_app(text, self.words):
                text = self._head(text)
            plain, opened = without_opening(text, self.words)
            if plain and not paints(plain, self.words) and (opened or not (number and is_told(plain, self.words))):
                self._sentence(plain, SentenceState(wants=opened))
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
        self.subject = self.subject or self.story
        first = self.features[0]
        name = self.name or title_of(self.subject, self.words) or title_of(first.noun or first.title, self.words)
        return AppModel(
            name,
            self.words.language,
            self.subject,
            arrange(self.brief, self.words, self.features, self.planned, filled=filled),
            tuple(self.neutral),
        )

    def _head(self, text: str) -> str:
        """Takes from the first sentence what the app is; returns what it has."""
        words = self.words
        found = re.match(rf"(?:{words.words['lead']})", text, re.I)
        wanted = re.search(rf"\b(?:{words.words['wanting']})\s+(?=(?:{words.words['frame']})\b)", text, re.I)
        if wanted and re.search(r"[:,]", text[: wanted.start()]) is None and not (found and found.end()):
            told = text[: wanted.start()].strip()
            text = f"{told} {text[wanted.end() :]}" if words.language == "de" else text[wanted.end() :]
        rest = text[found.end() :] if found and found.end() else text
        head, colon, after = cut(rest, _COLON)
        if not colon or len(head.split()) > 24:
            head, colon, after = cut(rest, head_end(words))
            beside = self.name and words.spaced and head.endswith(self.name) and colon.startswith(",")
            after = (
                ""
                if beside and re.fullmatch(r"(?:an?|the|eine?|der|die|das|une?|la|le|una?|el) [\w -]+", after)
                else after
            )
        head = re.sub(r"^(?:is|ist|est|es)\s+", "", without_name(head, self.name, words))
        whole = frame_of(head, words)
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
            self.features += of_subject(kind, topic, words)
        return after

    def _sentence(self, text: str, state: SentenceState) -> None:
        text = state.sentence = with_choices(text)
        state.before = len(self.features)
        head, colon, after = cut(text, _COLON)
        *before, head = (items(head, self.words) if colon else []) or [head]
        if colon and len(head.split()) <= LONG_ITEM:
            for part in before:
                self._item(part, state)
            if self._logs(head, after, state):
                return
            if self.features and (with_time(after, self.words) or "-")[0] == "":
                self.features[-1].kind, self.features[-1].fixed = "list", True
            listed = state.listing or next(reversed(self.features), None)
            holds = listed is not None and (listed.kind in ENTITY_KINDS or listed.kind == "chart")
            state.listing = listed if holds else None
            text = after
        at, fields_to = 0, -1
        parts = items(text, self.words)
        for number, part in enumerate(parts):
            begins = max(at, text.find(part, at))
            if (re.search(r"[,，、;:]", text[at:begins]) or not at) and number > fields_to:
                state.beside = None
            if number > fields_to:
                fields_to = fields_run(parts, number, text, self.words)
            state.enumerates = number <= fields_to
            at = begins + len(part)
            if has_states(part, parts[number + 1 :], self.features, self.words):
                return
            self._item(part, state)

    def _logs(self, head: str, after: str, state: SentenceState) -> bool:
        """Reads what stands before a colon; tells whether what follows are the fields of what somebody writes down."""
        fields = logged_fields(head, items(after, self.words), self.words)
        count = len(self.features)
        if not (fields and asks_what(said(head, self.words), self.words)):
            self._item(head, state)
        if fields and len(self.features) == count:
            noun = next(iter(re.findall(r"[A-ZÄÖÜ]\w+", head)[-1:]), str(self.words.words["labels"]["Entry"]))
            self.features.append(Feature("list", noun, noun, head))
        if fields:
            self.features[-1].fields |= fields
        return bool(fields)

    def _item(self, text: str, state: SentenceState) -> None:
        words = self.words
        text, state.opened = without_opening(active(thing_that_shows(text, words), words), words)
        state.wants = state.wants or state.opened
        text = re.sub(rf"^(?:{words.words['in_which']})", "", text, flags=re.I)
        text = re.sub(rf"\s(?:{words.words['shown']})$", "", text, flags=re.I) if words.spaced else text
        if (
            (FIRST_PERSON.match(text) and is_told(text, words))
            or state.is_look(text, words)
            or (self.name and stripped(text, words).strip('«»„“”"「」『』 ') == self.name)
            or state.is_for_whom(text, words)
            or re.match(rf"(?:please |bitte |por favor )?(?:{words.words['beyond']})", text, re.I)
        ):
            return
        if asks_for_search(text, words):
            self.searched = True
            return
        marked = examples_in(text, words)
        target = self._feature_for(marked[0], state) if marked else None
        if marked and target is not None:
            state.details, state.listing = bool(of_details(marked[0])), target
            if state.details:
                target.fields[capital(marked[1])] = ()
            else:
                target.examples.append(marked[1])
            return
        state.article = re.match(r"(?:an?|eine?n?|une?|una?)\s", text, re.I) is not None
        if ranks(text, self.features, words):
            return
        tells = not state.wants and tells_more(text, self.features, words)
        if tells or is_timed(text, self.features, words):
            return
        if describes_each(text, self.features, words):
            state.listing, state.by_field = None, True
            return
        if (joined := words.starts("with", text)) and joined.end() < len(text) and words.spaced:
            text = text[joined.end() :]
        owner, bracket, _ = cut(text, r"\s*[(（]")
        state.owner = owner if bracket else ""
        plain, listed = bracketed(without_container(text, words, fields=bool(self.features)))
        told = said(plain, words)
        if told.verb and told.actor and words.starts("with", told.object):  # "report faults with a photo"
            told = Said("", told.verb if words.language == "de" else "", f"{told.actor} {told.object}", plain)
        if listed and listed[0].startswith(HAS):
            self._described(told, listed, state)
            return
        if state.fills_in(told, listed, self.features, words) or reads_figure(plain, told, state, self.features, words):
            return
        if state.is_asked_after(plain, told, self.features, words) or state.is_listed(plain, told, listed, words):
            return
        self._thing(text, told, listed, state)

    def _thing(self, text: str, told: Said, listed: list[str], state: SentenceState) -> None:
        """Reads a part that names something of the app: a field of what is there, or something new."""
        words, whole = self.words, bracketed(text)[0]
        plain = bracketed(without_container(text, words, fields=bool(self.features)))[0]
        if plain.lower() in PARTICLES:
            return
        if told.verb and not told.object:
            if told.verb not in plain.lower() or words.whole("showing", told.verb):  # what it is follows
                state.verb = told.verb
                return
            told = Said("", "", plain, plain)
        if is_pointing(told.object) or (
            not told.verb and (len(plain.split()) > LONG_ITEM or names_nothing(plain, words))
        ):
            if not self._has_list_inside(text, state):
                self.neutral.append(plain)
            return
        held = state.form is not None or state.by_field or state.beside is not None
        alone = not (told.verb or listed or held) and state.verb
        if alone and goes_with_verb(plain, state.verb, self.features, self.subject, words):
            return
        if plain != whole or not self._as_field(told, listed, state):
            self._add(told, listed, state)

    def _described(self, told: Said, listed: list[str], state: SentenceState) -> None:
        """Reads what each thing has: of the list that there is of these things, else of a new one."""
        known = known_list((told.object or told.text).strip().lower(), self.features, self.words)
        if known is None or (told.verb and self.words.whole("forming", told.verb)):
            self._add(told, listed, state)
            return
        known.fields |= marked_fields(listed)
        state.verb = told.verb or state.verb

    def _has_list_inside(self, text: str, state: SentenceState) -> bool:
        """Whether a long part that is told names a list on its way ("to provide you with a list of charities")."""
        found = re.search(rf"(?<!\w)(?:{self.words.words['container']})\s", text, re.I)
        noun = before_preposition(text[found.end() :], self.words)[0] if found and self.words.spaced else ""
        if not noun or len(noun.split()) > MOST_TITLE:
            return False
        self._add(Said("", "", noun, noun), [], state)
        self.features[-1].searched = self.words.inside("searching", text) is not None
        return True

    def _feature_for(self, text: str, state: SentenceState) -> Feature | None:
        """The feature that a noun phrase names: one that is there already, else a new one."""
        told = said(text, self.words)
        noun = stripped(told.object or text, self.words)
        noun = singular(of_details(noun) or noun, self.words.language).lower()
        for each in reversed(self.features):
            if noun and noun.split()[-1] in each.text.lower() and each.kind in ENTITY_KINDS:
                return each
        count = len(self.features)
        self._add(said(text, self.words), [], state)
        return self.features[-1] if len(self.features) > count else None

    def _as_field(self, told: Said, listed: list[str], state: SentenceState) -> bool:
        """Whether a part names a field of the thing before it: "due dates", "region", "leave a deposit"."""
        entities = [each for each in self.features if each.kind in ENTITY_KINDS and not each.fixed]
        described = [each for each in entities[-2:] if each.fields or each.examples]
        target = next(reversed(described or entities), None)
        target = state.meant(told, self.features, target)
        text = told.object if told.verb else told.text
        noun, rest = before_preposition(extras_in(stripped(text, self.words), self.words)[0], self.words)
        state_of = " " in noun and field_kind(noun, self.words.language) in ("choice", "status")
        if state.form is not None and not told.verb and is_form_field(noun):
            state.form.fields[capital(f"{noun} {rest}")] = tuple(listed)
            return True
        known = field_kind(noun, self.words.language) != "text"
        if target and target.kind == "form" and told.verb and noun == target.noun:
            target.lines.append(capital(told.text))
            return True
        if (
            target is None
            or not noun
            or (kind_of_block(told.text) and not (state_of or (state.beside and (state.enumerates or known))))
            or len(noun.split()) > 3
        ):
            return False
        shows = self.words.whole("showing", told.verb or "-")
        beside = state.beside is not None and not told.verb and (state.enumerates or kind_of_block(told.text) == "")
        target = state.beside if beside and state.beside is not None else target
        plain_list = beside or (state.by_field and not told.verb and is_singular(noun, self.words))
        if known and not self.words.spaced and len(noun) > SHORT_HAN:
            return False
        if not (known or plain_list) or (state.wants and (shows or (state.article and not state.verb))):
            return False
        entered = told.verb and (self.words.whole("forming", told.verb) or enters_when(told, self.words))
        if entered and (not known or only_read(target, self.words)):
            return False
        label = f"{noun} {rest}" if rest and len(rest.split()) <= 3 else noun
        target.fields[capital(label)] = tuple(listed)
        target.lines += [rest] if rest and len(rest.split()) > 3 else []
        state.verb = told.verb or state.verb
        return True

    def _add(self, told: Said, listed: list[str], state: SentenceState) -> None:
        words = self.words
        text = told.text
        if told.verb and told.object and words.language != "en" and words.spaced:
            said_first = text.split()[0].strip(",.:")
            if text.endswith(told.verb) or not is_infinitive(said_first, words):
                text = told.object
        text, asked = without_which(text, words)
        each = re.search(rf"\b(?:{words.words['each_of']})\s+(?P<noun>\w+)\s+(?P<rest>.+)", text, re.I)
        question = question_field(each["rest"], words) if each else None
        if each and question:
            text = f"{text[: each.start()]}{each['noun']}"
            asked = [*asked, question[0]]
        told = said(text, words) if asked else told
        core, extras = extras_in(text, self.words)
        shown = core
        if told.object and words.whole("showing", told.verb or "-"):
            shown = extras_in(told.object, self.words)[0]
        shown = without_page(stripped(shown, words)) or text
        kind = kind_of_block(core) or (
            "form" if words.whole("forming", told.verb or "-") or enters_when(told, words) else "list"
        )
        kind = published(kind, told.verb, words)
        kind = "list" if kind == "player" and told.verb and not HEARD.search(text) else kind
        title, lines = titled(shown, words)
        noun = extras_in(told.object, self.words)[0] if told.verb else core
        noun = stripped(without_whom(noun, words), words)
        start = words.starts("prepositions", noun) if words.spaced and told.verb else None
        noun, _ = before_preposition(stripped(noun[start.end() :], words) if start else noun, words)
        noun = without_count(without_page(noun))
        if words.starts("with", noun):
            noun = title
        elif words.starts("questions", noun) or asks_what(told, words):
            noun = str(words.words["labels"]["Entry"])
        state.people = told.actor or state.people
        feature = Feature(kind, title, noun or title, text, told.actor, told.verb, lines=lines, people=state.people)
        verb = words.starts("searching", text)
        feature.searched = verb is not None and verb.end() < len(text)
        if add_names(feature, core, self.name, words):
            state.listing, state.names = feature, not feature.verb
        if owner := re.fullmatch(r"(?:the )?(\w[\w ]*?)['’]s? names?", noun):
            feature.kind, feature.noun, feature.examples = "people", owner[1], [str(words.words["names"][1])]
        feature.fields |= dict.fromkeys(asked, ())
        for extra in extras:
            self._extra(feature, extra, state)
        if listed:
            add_listed(feature, state.owner or text, listed, words)
        if acts_on_known(feature, self.features, words):
            state.verb = feature.verb
            return
        self.features.append(feature)
        if state.listing is not feature and told.verb:
            state.listing = None
        state.verb = told.verb or state.verb
        state.beside = feature if extras else None
        state.form = feature if feature.kind == "form" and (extras or not words.spaced) else None

    def _extra(self, feature: Feature, text: str, state: SentenceState) -> None:
        marker = self.words.starts("with", text)
        by_field = bool(self.words.starts("by", text))
        noun = stripped(text[marker.end() :] if marker else text, self.words)
        noun, listed = bracketed(noun)
        kind = kind_of_block(noun)
        if (
            kind
            and not (by_field or listed or state.owner)
            and not state.enumerates
            and kind not in (feature.kind, "limits", "points", "shop", "people")
            and not (feature.kind in ENTITY_KINDS and field_kind(noun, self.words.language) == kind)
        ):
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
