"""What a brief itself says shall stand on its page, read by rules.

That is its subject, lists with their prices or times, facts, a form, what is ticked off, what is calculated, the look.
"""

import re
from collections.abc import Sequence

from loopwright.agents.pages.domain.clauses import (
    SMALL_END,
    TOLD,
    Clause,
    Sentence,
    bare,
    clauses_of,
    read_clause,
    read_sentence,
    runs_in,
    sentences_of,
)
from loopwright.agents.pages.domain.entering import (
    ASKED_FOR,
    CALCULATES,
    ENTERS,
    FILLS_IN,
    FORM,
    FORM_WITH,
    GETS,
    HOW_MUCH,
    LEADING,
    LEADS,
    LISTS,
    LOOK,
    LOOK_WORD,
    PAID,
    SHORT,
    SIGNS_UP,
    TICKS,
    Outline,
    Row,
    fields_of,
    place,
    read_entered,
)
from loopwright.agents.pages.domain.framing import Announced, announced
from loopwright.agents.pages.domain.sections import give_title, name_at_start, subject_of, thing_of, without_name

_BACKGROUND = re.compile(r"(?:i|i'm|i've|my|ich|mein\w*)\b", re.I)
"""How somebody begins who tells of what the page is wanted for."""
_GREETING = re.compile(
    r"(?:hi|hello|hey|hallo|guten tag|thanks?|thank you|danke|vielen dank|please|bitte)\b.{0,20}", re.I
)
_WHAT = re.compile(r"(?:what|which|that|was|who|wer|it|them|sie|es)\b", re.I)
_WHO = re.compile(r"^(?:sich\s+)?(?:alle\s+)?(?:[A-ZÄÖÜ]\w+\s+)?(?=(?:für|zu|zum|zur|bei|beim|an)\b)|^sich\s+\S+$")


def outline_of(brief: str) -> Outline:
    """What a brief in English or German says of its page."""
    return _Reader(brief).outline()


class _Reader:
    """Reads a brief sentence by sentence."""

    def __init__(self, brief: str) -> None:
        self.brief = brief
        self.found = Outline()
        self.topic = ""
        texts = [sentence.text for sentence in sentences_of(brief)]
        self.calculates = bool(CALCULATES.search(brief)) or any(_pays(text, brief) for text in texts)
        self.texts = texts

    def outline(self) -> Outline:
        found = self.found
        kinds = []
        for number, text in enumerate(self.texts):
            named = without_name(text)
            if named.name and not found.name:
                found.name = named.name
                kinds.append(named.kind)
            text = named.text if named.name == found.name else text
            asked = announced(text) if not found.subject else None
            if number == 0 and asked is None and not named.name:
                asked = self._untold(text)
            if asked is not None:
                self._announced(asked, text)
            elif (
                text
                and not _GREETING.fullmatch(text)
                and not (_BACKGROUND.match(text) and not found.subject and not runs_in(text))
            ):
                begun = name_at_start(text) if number == 0 else ""
                found.name = found.name or begun
                self._sentence(text)
        if self.calculates and not (found.calculation or found.lists or found.facts or found.form):
            found.calculation = self.brief
        give_title(found, self.topic, kinds)
        for each in found.lists:
            each.ticked = each.ticked or found.ticked
        return found

    def _untold(self, text: str) -> Announced | None:
        """A first sentence that names its page without the word: "A menu for the stall: …", "Dinner plan with …"."""
        head, colon, rest = text.partition(": ")
        valued = any(run.kind == "time" for run in runs_in(head))
        return Announced("", "", bare(ASKED_FOR.sub("", head)), rest) if colon and not valued else None

    def _announced(self, asked: Announced, text: str) -> None:
        """The sentence that asks for the page."""
        found = self.found
        if asked.before and not _BACKGROUND.match(asked.before):
            self._statement(asked.before)
        owner = self._dated(asked.owner) or thing_of(asked.before)
        owner = owner or next((who for each in [*found.told, asked.before] if (who := subject_of(each))), "")
        topic, rest = asked.topic, asked.rest
        if self.calculates and (CALCULATES.search(topic) or GETS.search(rest) or ENTERS.search(rest)):
            found.calculation += f"{text}. "
            said = CALCULATES.search(topic)
            topic, rest = _calculated(topic, said) if said else topic, ""
        elif fields := FORM_WITH.match(topic):
            self._form(f"enter {topic[fields.end() :]}", rest)
            topic = rest = ""
        elif FILLS_IN.search(topic) and not topic.startswith("sich "):
            self._form(topic, rest)
            topic = rest = ""
        elif FILLS_IN.search(rest):
            self._form(rest, "")
            rest = ""
        topic = self._without_roles(topic)
        clauses = self._without_look(clauses_of(topic)) if topic else []
        led = LEADS.split(topic, maxsplit=1)
        if asked.rest and len(led) == 2 and not owner:
            owner, topic, clauses = bare(led[0]), bare(led[1]), []
        elif clauses and not clauses[0].value and not asked.rest:
            led = LEADS.split(clauses[0].text, maxsplit=1)
            topic, more = led[0], [led[1]] if len(led) == 2 else []
            clauses = clauses_of(", ".join([*more, *(each.text for each in clauses[1:])]))
        else:
            clauses = []
        topic = self._dated(topic)
        content = [*clauses, *self._without_look(clauses_of(rest))]
        if not topic and not owner and len(content) == 1 and not content[0].value and not FORM_WITH.search(rest):
            topic, content = bare(self._without_roles(content[0].text)), []
        self.topic = topic
        found.subject = owner or topic
        self._read("", content)

    def _without_roles(self, topic: str) -> str:
        """A topic without the words that it is ticked off or that people sign up; what is left names something."""
        found = self.found
        ticks, signs = TICKS.search(topic), SIGNS_UP.search(topic)
        if ticks:
            found.ticked = True
            before, after = topic[: ticks.start()].strip(" ,"), topic[ticks.end() :].strip(" ,")
            topic = after.removeprefix("off").strip() or before
            topic = re.sub(r"^(?:kann|können|soll|sollen|be|werden|sein)\b[\s,]*", "", topic)
            return "" if _WHAT.match(topic) else bare(LEADING.sub("", topic))
        if signs:
            found.form = found.form or []
            found.form_title = _noun(signs[0])
            left = re.sub(
                r"\s+(?:können|kann|wollen|sollen)$", "", f"{topic[: signs.start()]} {topic[signs.end() :]}".strip()
            )
            return bare(LEADING.sub("", _WHO.sub("", left.strip())))
        return topic

    def _dated(self, text: str) -> str:
        """What has a date or a place behind it becomes a fact of its own: "party on 6 July"."""
        text = bare(text)
        read = read_clause(text)
        if not (read.value and read.label and text.startswith(read.label)) or re.search(
            r"\b(?:for|für|of)\b", text[len(read.label) :]
        ):
            return text
        self.found.facts.append(Row(read.label, read.value))
        return read.label

    def _sentence(self, text: str) -> None:
        """A sentence that stands by itself."""
        sentence = read_sentence(text)
        if self.calculates and (ENTERS.search(text) or GETS.search(text) or self._given(sentence)):
            self.found.calculation += f"{text}. "
        elif not self.calculates and FILLS_IN.search(text) and not FORM_WITH.search(text):
            self._form(sentence.head or text, text.partition(": ")[2] if sentence.head else "")
        else:
            self._statement(text)

    def _given(self, sentence: Sentence) -> bool:
        """Whether it gives a figure to calculate with."""
        figures = [run for run in runs_in(sentence.text) if run.kind == "figure"]
        return bool(self.found.calculation) and bool(figures) and len(figures) <= 3 and not sentence.head

    def _statement(self, text: str) -> None:
        sentence = read_sentence(text)
        clauses = self._without_look(sentence.clauses)
        if not sentence.head and not runs_in(text) and len(clauses) == len(sentence.clauses):
            words = max((clause.words for clause in clauses), default=0)
            speaks = words > SHORT or (len(clauses) > 1 and TOLD.search(text))
            listed = FORM_WITH.search(text) or TICKS.search(text) or LISTS.match(clauses[0].text)
            if not self.found.subject or (speaks and not listed):
                self.found.say(text.strip(" ."))
                return
        head = sentence.head
        if len(head.split()) > SHORT + 2 and len(parts := clauses_of(head)) > 1:
            self._read("", parts[:-1], "")
            head = parts[-1].text
        self._read(head, clauses, text)

    def _form(self, text: str, listed: str) -> None:
        """A form: what people enter, and what they choose from."""
        found = self.found
        read = read_entered(text, listed)
        found.form = [*(found.form or ()), *read.inputs]
        if not found.form_title and (signs := SIGNS_UP.search(self.brief)):
            found.form_title = _noun(signs[0])

    def _without_look(self, clauses: Sequence[Clause]) -> list[Clause]:
        left = []
        alone = all(LOOK.fullmatch(clause.text) for clause in clauses)
        for clause in clauses:
            if LOOK.fullmatch(clause.text) and (alone or LOOK_WORD.search(clause.text)):
                self.found.look += re.split(r"\s+(?:with|mit|and|und|on|auf)\s+", clause.text)
            else:
                left.append(clause)
        return left

    def _read(self, head: str, clauses: Sequence[Clause], text: str = "") -> None:
        """The lists, facts and fields of one sentence."""
        found = self.found
        head = self._without_roles(bare(ASKED_FOR.sub("", head)))
        run: list[Clause] = []
        led = LEADS.split(clauses[0].text, maxsplit=1) if len(clauses) > 2 and not head else []
        if len(led) == 2 and not FORM_WITH.search(clauses[0].text) and not read_clause(led[1]).value:
            head, clauses = led[0], [read_clause(led[1]), *clauses[1:]]
        explicit = any(FORM_WITH.search(clause.text) for clause in clauses)
        if head and FORM.search(head) and not explicit and not any(clause.value for clause in clauses):
            found.form, found.form_title = fields_of(", ".join(clause.text for clause in clauses)), head
            return
        for at, clause in enumerate(clauses):
            if asked := FORM_WITH.search(clause.text):
                fields = ", ".join([clause.text[asked.end() :], *(each.text for each in clauses[at + 1 :])])
                found.form = [*(found.form or ()), *fields_of(fields)]
                found.form_title = self._form_title(bare(ASKED_FOR.sub("", SMALL_END.sub("", asked[1]))))
                break
            if FORM.search(clause.text) and clause.words <= SHORT and not clause.value and found.form is None:
                found.form, found.form_title = [], clause.label
                continue
            if TICKS.search(clause.text):
                found.ticked = True
                left = bare(TICKS.sub("", clause.text)) if clause.words > SHORT or len(clauses) > 1 else ""
                if not left or len(left.split()) > 3 or len(clauses) == 1:
                    continue
                clause = read_clause(left, clause.joint)
            run.append(clause)
        place(self.found, head, run, text)

    def _form_title(self, title: str) -> str:
        """The heading of a form; where the brief only says that it is one, what the page is for says it better."""
        said = FORM.search(self.found.subject)
        if said and FORM.fullmatch(title):
            return said[0]
        return "" if title.lower() in ("fields", "field", "felder") else title


def _pays(text: str, brief: str) -> bool:
    """Whether something is entered, and a sum or an amount of it comes out."""
    enters, gets = FILLS_IN.search(text), GETS.search(text)
    if enters and GETS.search(text, enters.end()) and not (FORM.search(brief) or SIGNS_UP.search(brief)):
        return True
    return bool(ENTERS.search(text) and gets and (PAID.search(text) or HOW_MUCH.search(text[gets.end() :])))


def _calculated(topic: str, said: re.Match[str]) -> str:
    """What is calculated; it stands before a German verb."""
    if re.search(r"(?:calculator|converter|conversion|estimator|rechner)s?$", said[0], re.I):
        return topic
    last = "rechne" in said[0].lower() and said.end() == len(topic)
    if last:
        return bare(re.sub(r"^(?:mir|uns)\s+", "", topic[: said.start()]))
    return re.sub(r"^[\s,]*(?:kann|können|soll)\b[\s,]*", "", topic[said.end() :])


def _noun(said: str) -> str:
    """The heading of what people do: "sign up", "anmelden"."""
    return {
        "anmelden": "Anmeldung",
        "anmeldung": "Anmeldung",
        "eintragen": "Anmeldung",
        "melden": "Anmeldung",
        "register": "Registration",
    }.get(said.lower(), said)
