"""What people enter or choose, in a form or a calculator, and what comes out, as sentences say it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from loopwright.agents.pages.domain.clauses import IS_SAID, SMALL_END, Clause, bare, runs_in, sentences_of
from loopwright.agents.pages.domain.framing import announced

# The words by which briefs in English and German say what kind of thing a page is to have.


def _word(*alternatives: str) -> re.Pattern[str]:
    """Any of these as whole words."""
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b", re.I)


_ARTICLES = "a|an|the|our|my|your|some|ein|eine|einen|einem|einer|der|die|das|den|dem"
_PAGE = r"(?:(?:web)?pages?|one-pager|web ?site|site|screen|(?:web)?seite)"

ON_A_PAGE = re.compile(
    rf"\b(?:on|auf)\s+(?:just\s+)?(?:one|a single|einer|einer (?:einzigen|einzelnen))\s+{_PAGE}\b|"
    r"\b(?:one|single|1)[- ]page\b(?=\s+\w)(?!\s+(?:for|of|with|that|about|to)\b)|\beinseitige[rsn]?\b",
    re.I,
)
A_PAGE_HEADS = re.compile(rf"[^.:\n]{{0,60}}\b{_PAGE}\s*:", re.I)
"""A heading that names a page before all that the brief says of it: "Bake sale page: …"."""
LEADS = re.compile(
    r",?\s+(?:with|mit|that (?:shows|lists|has)|which (?:shows|lists|has)|showing|listing|including|containing|"
    r"such as|namely)\s+",
    re.I,
)
"""What a description of a page is followed by before what stands on it."""
ASKED_FOR = re.compile(
    r"^(?:please\s+|bitte\s+|also\s+)?(?:there (?:is|are|should be)|it (?:should )?(?:has|have|shows?|lists?)|"
    r"show|list|add|include|put|"
    r"with|and|plus|zeige?|füge?|dazu|mit|außerdem|es gibt|(?:i|we|you) (?:want|need))\s+",
    re.I,
)
"""What asks for a thing and is none of it."""
LISTS = re.compile(rf"^.*\b(?:{_ARTICLES}|unsere|zwei|drei|vier|fünf|sechs|two|three|four|five|six)\s", re.I)
"""A first item that has its list's heading before it."""
FORM = _word(r"\w*forms?", "sign[- ]?up", "registration", "rsvp", r"\w*formular", "anmeldung", "fields?", "felder")
FORM_WITH = re.compile(
    r"^(.*?\b(?:\w*forms?|\w*formular|sign[- ]?up|sign up|register|rsvp|registration|fields?|felder|anmelden|"
    r"anmeldung|eintragen|enter their|leave their|tragen sich|trägt sich|melden sich|meldet sich)\b.*?)\s*"
    r"\b(?:with(?: the fields?)?|mit(?: den Feldern)?|for|für|asking for|asks for|fields?|by|using)\b[:\s]+",
    re.I,
)
"""A form and the word before its fields."""
SIGNS_UP = _word("sign[- ]?up", "register", "rsvp", "anmelden", "eintragen", "mitmachen", r"melden(?= können| kann|$)")
_THINGS = "items?|things?|tasks?|entry|entries|ones?|dinge?|punkte?|aufgaben?|posten"
TICKS = re.compile(
    rf"[\s,]*(?:\b(?:each|every|all|the|jede[rsnm]?|alle)\b\s*(?:{_THINGS})?\s*)?"
    r"(?:\b(?:can be|to be|i can|we can|you can|people can|let (?:me|us)|i want to|that|to|zum|lässt sich|lassen sich|"
    r"kann man|können|kann|soll(?:en)?)\b\s*)*"
    r"\b(?:tick(?:s|ed|ing)?(?:\s+(?:them|it|each|items?))?(?:\s+off)?|check\w*(?:\s+(?:them|it|each|items?))?\s+off|"
    r"check ?box(?:es)?|tick ?box(?:es)?|crossed off|abhak\w*|abgehakt|abzuhaken|kästchen)\b"
    r"(?:\s+(?:werden|können|can|be))*",
    re.I,
)
CALCULATES = _word(
    r"calculat\w*|works? out|working out|comput\w+|convert\w*|conversion|estimat(?:e|es|or)|\w*rechner|sums|adds? up",
    r"\w*rechn(?:et|en|ung)|split(?:s|ting)? (?:a|the) \w+|turns? (?=(?:\w+ ){1,3}into\b)|ausrechne|umrechne",
)
HOW_MUCH = _word("how (?:much|many)|wie ?viele?")
CHOOSES = _word("chooses?|picks?|selects?|wähle|wählen|wählt|auswählen|auswählt|aussuchen|sucht|suchen")
ENTERS = _word(
    "types?|enters?|entering|chooses?|picks?|selects?|ticks?|inputs?|fills? in|puts? in|set|gives?|says?|leaves?|"
    "notes?|"
    "writes?",
    "eingeben|eintippen|eingibt|gibt|gebe|geben|tippe|tippt|wähle|wählen|wählt|auswählen|auswählt|aussuchen|"
    "angeben|angibt",
    "eintragen|einträgt|eingetragen|trägt|tragen|hinterlassen|hinterlässt|schreibt|schreiben|nennen|nennt",
)
FILLS_IN = _word(
    "enters?|entering|types?|fills? in|puts? in|chooses?|picks?(?! up)|selects?|(?:can|could|should|may|"
    "must) (?:say|leave|give|write)",
    "eingeben|eingibt|eintippen|angeben|angibt|auswählen|auswählt|aussuchen|eintragen|einträgt|hinterlassen",
    r"(?:trägt|tragen|gibt|geben|wählt|wählen)(?= (?:\S+ )*?(?:ein|an|aus)\b)|wählt|wählen",
)
"""What people do in a form, by words that say nothing else."""
GETS = _word(
    "sees?|shows?|showing|gets?|tells?|works? out|calculates?|gives me|sehen|sieht|sehe|zeigt|zeigen|bekomme|bekommt",
    "erfahre|ausrechnet|berechnet|ausgerechnet",
)
_WHO = (
    r"(?:(?:i|we|you|it|one|guests|users?|people|everyone|ich|wir|man|es|jeder|leute|gäste|he|she|they|can|could|then|"
    r"want to|kann|können|möchte|dann)\s+)*"
)
BEFORE_VERB = re.compile(rf"^{_WHO}", re.I)
"""Who does it, at the beginning of a clause."""
CHOICES = re.compile(
    r"\d+(?:[.,]\d+)?(?:\s*%)?(?:\s*,\s*\d+(?:[.,]\d+)?(?:\s*%)?)*\s*,?\s*(?:or|oder)\s+\d+(?:[.,]\d+)?\s*"
    r"(?P<unit>%|[^\W\d_]+)?",
    re.I,
)
"""Figures of which one is chosen, and their unit: "10, 15 or 20 percent"."""
RATE = _word("rate|kurs|factor|faktor|exchange")
SIDE = _word(r"width|height|length|depth|wide|high|long|breite|höhe|länge|tiefe|breit|hoch|lang|\w*seite")
AREA_ITSELF = _word("area", "fläche", r"\w+fläche")
AREA = re.compile(r"\bsquare |\bsq\.? |quadrat|m²|m2\b", re.I)
PER = re.compile(r"\b(?:per|pro|je|for each|for every)\b", re.I)
PAID = _word(
    "pays?|owes?|totals?|price|costs?|sums?|due|share|bill|everything|altogether|zahlt|zahlen|kosten|kostet|"
    "preis|summe",
    r"\w*betrag|\w*preis|anteil|gesamt\w*|endsumme|insgesamt",
)
"""The result is what is paid in the end."""
SHARE_ITSELF = _word(r"tip|tips|tax|vat|discount|savings?|interest|fee|trinkgeld|\w*steuer|rabatt|zinsen|ersparnis")
LESS = _word("discounts?|off|reduced|reduction|rebate|rabatt|nachlass|abzug|skonto")
"""A percentage is taken off."""
SHARE = re.compile(r"per ?cent|%|prozent|percentage", re.I)
EACH = _word("each|per|every|everyone|everybody|pro|je|jede[rsmn]?")
NUMBER_OF = _word("numbers?|how many|anzahl|zahl|wie ?viele|people|persons|personen|guests|gäste")

_NAMES = (
    "red|green|blue|yellow|orange|purple|violet|pink|brown|black|white|gr[ae]y|teal|turquoise|cyan|navy|amber|gold|"
    "golden|beige|cream|burgundy|crimson|coral|lavender|lilac|mint|olive|sage|indigo|maroon|peach|plum|rose|rust|"
    "lime|terracotta|salmon|sand|silver|magenta|emerald|mustard|charcoal|copper|rot|grün|blau|gelb|lila|rosa|"
    "braun|schwarz|"
    "weiß|grau|türkis|violett|creme"
)
_COLOUR = rf"(?:(?:dark|light|sky|royal|forest|hell|dunkel|himmel)[- ]?)?(?:{_NAMES})(?:e[rsnm]?)?|#[0-9a-f]{{3,6}}"
_LOOK = (
    r"dark|light|bright|pale|deep|calm|soft|dunk(?:el|l)\w*|helle?[rsnm]?|kräftig\w*|backgrounds?|hintergrund\w*|"
    r"accents?|"
    r"akzent\w*|colou?rs?|farben?|theme|mode|look|design|style|stil|tones?|buttons?|knöpfen?|schaltflächen|headings?|"
    r"headers?|überschriften?|kopfzeile"
)
_BESIDE_LOOK = (
    rf"{_ARTICLES}|in|for|für|with|mit|and|und|on|auf|its?|use|make|keep|as|please|bitte|warm\w*|strong|text|"
    rf"schrift|is|"
    r"are|ist|sind|main|would|should|be|nice|great|good|lovely|like|love|prefer|i|we|me|everything|all|very|"
    r"rather|page|"
    r"seite|wäre|soll|sollen|sein|schön|gut|gerne?|ich|wir|es|mag|mögen|hätten?|möchten?|alles|gehalten|"
    r"favou?rite|thanks|"
    r"thank you|danke|best|most|eher|ganz|perhaps|maybe|vielleicht"
)
LOOK = re.compile(rf"\W*(?:(?:(?<!\w)(?:{_BESIDE_LOOK}|{_LOOK}|{_COLOUR})(?!\w))\W*)+", re.I)
"""A clause that says nothing but the look."""
LOOK_WORD = _word(_LOOK)
"""A word that is of the look whatever stands beside it; a colour alone may be a thing: olive, mint, rose."""
TASTE = _word(
    r"looks?|feels?|styled?|elegant\w*|calm|modern\w*|minimal\w*|playful|friendly|simple|clean|nice|pretty|easy",
    r"big|large|schlicht\w*|freundlich\w*|einfach\w*|übersichtlich\w*|groß\w*|schön\w*|design|layout",
)
DARK = re.compile(r"\b(?:dark|black|night|dunk(?:el|l)\w*|schwarz\w*)\b|深色|暗色|黑色", re.I)
DARK_LOOK = re.compile(
    r"\bdark (?:theme|mode|look|design)\b|\bdunkle?s? (?:design|thema|layout)\b|^\W*(?:dark|dunkel)\W*$", re.I
)
TEXT = _word("texts?", "schrift", "letters")
PALER = re.compile(r"\b(?:light|pale|soft|hell\w*|zart\w*)\b", re.I)
HEADINGS = _word("headings?", "headlines?", "überschriften?", "titles?")
BACKGROUND = re.compile(r"\b(?:background|hintergrund\w*)\b|背景", re.I)
ADDS = _word(
    "adds?",
    "adding",
    "tracks?",
    "logs?",
    "saves?",
    "records?",
    "note down",
    "collects?",
    "keeps?",
    "enters?",
    "hinzufügen",
    "eintragen",
    "einträgt",
    "notieren",
    "erfassen",
    "sammeln",
    "speichern",
)
"""People put things into the page by themselves."""
GERMAN = _word(
    r"der|die|das|und|ein|eine|einen|einer|für|mit|von|vom|im|am|um|auf|bis|zum|zur|ist|sind|ich|wir|unser\w*|seite",
    "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|uhr",
)
ENGLISH = _word("the|and|a|an|of|for|with|from|in|on|at|to|is|are|i|we|our|page|one")


NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_HELD = "CHOICE"
_PARTS = re.compile(r",\s+(?:(?:and|und|then|dann)\s+)?|\s+(?:and|und|then|dann)\s+", re.I)
_GIVEN = re.compile(r"(?<!\bper )(?<!\bpro )(?<!\bje )(?<!CHOICE)(?<![\d.,])\d", re.I)
"""A number that the brief gives, and that nobody enters: "10 square metres per litre", "base fee 3.50"."""
_IT = re.compile(r"^(?:it|es|das|mir|me|us|uns)\s+(?:in\s+)?", re.I)
_LAST = re.compile(r"\s+(?:ein|aus|an|hinein|in)$", re.I)
"""The second part of a German verb."""
_OFFER = re.compile(
    rf"(?P<verb>{CHOOSES.pattern}|,\s+(?:also|namely|which is|which are|nämlich|either|"
    rf"entweder)\b)\s+(?:(?:between|from|one of|"
    rf"either|zwischen|aus|eine[nsr]? von)\s+)?"
    r"(?P<things>(?:[^,.:]{1,40},\s+)*[^,.:]{1,40}?\s+(?:or|oder)\s+[^,.:]{1,40}?)(?=,|\.|:|$|\s+(?:and|und)\s)",
    re.I,
)
_OR = re.compile(r",\s+(?:(?:or|oder)\s+)?|\s+(?:or|oder)\s+", re.I)
_ANY = re.compile(r",\s+(?:(?:or|oder|and|und)\s+)?|\s+(?:or|oder|and|und)\s+", re.I)
_WHETHER = re.compile(r"^(?:whether|if|ob)\b", re.I)
_WITHOUT_WHOM = re.compile(r"\s+(?:for (?:us|me|you)|für uns)$", re.I)
_YES_NO = {"whether": ("Yes", "No"), "if": ("Yes", "No"), "ob": ("Ja", "Nein")}


@dataclass(frozen=True)
class Input:
    """Something that is entered, or chosen from `choices`; `unit` is theirs."""

    label: str
    choices: tuple[str, ...] = ()
    unit: str = ""

    @property
    def name(self) -> str:
        """Its name in a formula."""
        words = re.findall(r"[^\W\d_]+", self.label.lower().replace("'s ", " "))
        return "_".join(words)[:40] or "value"


@dataclass
class Entered:
    """What is entered, what comes out, and words on figures that are given."""

    inputs: list[Input] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_entered(body: str, listed: str = "") -> Entered:
    """What a sentence says of it; `listed` follows its colon, and is chosen from, or entered as well."""
    held: list[Input] = []
    found = Entered()
    pending: list[str] = []
    mode, chosen = "", False
    for label in (part.strip(" .") for part in _PARTS.split(_with_choices(body, held))):
        verb = ENTERS.search(label) or GETS.search(label)
        if verb:
            mode = "input" if verb.re is ENTERS else "result"
            chosen = CHOOSES.search(verb[0]) is not None
            before = bare(BEFORE_VERB.sub("", f"{label[: verb.start()].strip()} ").strip())
            after = label[verb.end() :].strip()
            last = not after or after.lower() in ("ein", "aus", "in", "an", "kann", "können", "soll", "sollen")
            label = before if last else after
            if last and mode == "input":  # the verb of a German list stands at its end
                found.inputs += [_input(each, held) for each in pending]
            pending = []
            if not label:
                continue
        if not verb and _GIVEN.search(label):
            found.notes.append(label)
        elif not mode:
            pending.append(label)
        elif mode == "result":
            found.results.append(bare(_IT.sub("", label)))
        elif not verb and re.fullmatch(rf"{_HELD}\d+", label) and found.inputs and not found.inputs[-1].choices:
            found.inputs[-1] = Input(found.inputs[-1].label, _input(label, held).choices)
        else:
            found.inputs.append(_input(_LAST.sub("", label), held))
    _list(found, listed, chosen=chosen)
    return found


def fields_of(text: str) -> list[Input]:
    """The things of an enumeration as fields."""
    held: list[Input] = []
    return [_input(part, held) for part in _ANY.split(_with_choices(text, held)) if part.strip()]


def _with_choices(body: str, held: list[Input]) -> str:
    """The text with a mark for each choice that it offers."""

    def numbers(match: re.Match[str]) -> str:
        unit = (match["unit"] or "").strip()
        unit = "" if SMALL_END.fullmatch(unit) else unit
        label = {"%": "percent"}.get(unit, unit) or "choice"
        held.append(Input(label, tuple(NUMBER.findall(match[0])), unit))
        return f"{_HELD}{len(held) - 1}"

    def things(match: re.Match[str]) -> str:
        held.append(Input("", tuple(bare(each) for each in _OR.split(match["things"]))))
        return f"{match['verb'] if CHOOSES.search(match['verb']) else ','} {_HELD}{len(held) - 1}"

    return _OFFER.sub(things, CHOICES.sub(numbers, body))


def _list(found: Entered, listed: str, *, chosen: bool) -> None:
    if not listed:
        return
    things = tuple(bare(each) for each in _ANY.split(listed) if each.strip())
    if found.inputs and (chosen or re.search(r"\b(?:or|oder)\b", listed, re.I)) and not found.inputs[-1].choices:
        found.inputs[-1] = Input(found.inputs[-1].label, things)
    else:
        found.inputs += fields_of(listed)


def _input(label: str, held: Sequence[Input]) -> Input:
    mark = re.search(rf"{_HELD}(\d+)", label)
    if mark:
        return held[int(mark[1])]
    whether = _WHETHER.match(label)
    label = re.sub(r"\bNamen\b", "Name", _WITHOUT_WHOM.sub("", bare(label)))
    return Input(label[:60], _YES_NO[whether[0].lower()] if whether else ())


# What stands on a page: lists with prices or times, facts, a form, what is told; and which of it clauses become.

SHORT = 6
"""Words of what still is an item of a list, and no sentence."""
_WE = re.compile(r"(?:we|i|you|wir|ich|man|sie|ihr)\b", re.I)
_AT = re.compile(r"^(?:in|at|on|im|am|bei|beim)\s+(?:(?:the|der|die|das|den|dem)\s+)?", re.I)
LEADING = re.compile(
    r"^(?:in|at|on|im|am|bei|beim|auf|an|zum|zur|for|für|to)\s+(?:(?:the|der|die|das|den|dem)\s+)?", re.I
)


@dataclass(frozen=True)
class Row:
    """Something of a list, with its price, amount, day or time where it has one."""

    label: str
    value: str = ""


@dataclass
class Rows:
    """A list with its heading; `ticked` where its things are ticked off."""

    title: str
    rows: list[Row]
    ticked: bool = False


@dataclass
class Outline:
    """What the brief says, in its own words and order. `look` holds the clauses that say colours and the like.

    `name` is a given one, `subject` what the page is about or whose it is, `told` what is said of that beside.
    """

    name: str = ""
    subject: str = ""
    told: list[str] = field(default_factory=list)
    lists: list[Rows] = field(default_factory=list)
    facts: list[Row] = field(default_factory=list)
    form: list[Input] | None = None
    form_title: str = ""
    calculation: str = ""
    ticked: bool = False
    look: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self.lists or self.facts or self.form is not None or self.calculation)

    def say(self, text: str) -> None:
        """A statement that is shown as it is: what stands before the page is asked for leads to it."""
        if self.subject:
            self.facts.append(Row(IS_SAID.sub("", text)))
        else:
            self.told.append(text)


def place(found: Outline, head: str, clauses: Sequence[Clause], text: str) -> None:
    """Clauses become a list where there are several of a kind, else facts."""
    valued = [clause for clause in clauses if clause.value]
    plain = [clause for clause in clauses if not clause.value]
    kinds = {(bool(clause.label), *(run.kind for run in runs_in(clause.value)[:1])) for clause in valued}
    even = len(kinds) == 1 and not any(clause.contact for clause in valued)
    long = len(plain) >= 2 and max(each.words for each in plain) > SHORT
    loose = [clause for clause in valued if not clause.label]
    if loose and not head and len(valued) - len(loose) >= 2:
        found.facts += [Row("", clause.value) for clause in loose]
        clauses = [clause for clause in clauses if clause not in loose]
        place(found, head, clauses, text)
        return
    contact = any(clause.contact for clause in valued)
    if text and not head and len(valued) > 1 and not even and not contact and any(_WE.match(c.label) for c in valued):
        found.facts.append(Row(text))
        return
    beside = bool(text) and bool(found.lists) and len(valued) == 2
    if (head and len(clauses) >= 2) or (len(valued) >= 2 and even and not long and not beside):
        found.lists.append(Rows(head, [_row(each) for each in clauses]))
        return
    if not valued and len(plain) == 1 and not head:
        said = ASKED_FOR.sub("", text.strip() or plain[0].text)
        if said and not TASTE.search(said):
            found.say(said)
        return
    found.facts += [_fact(each, head) for each in valued]
    if len(plain) >= 2 or (head and plain):
        found.lists.append(_named_list(head, plain))
    else:
        found.facts += [Row(each.text) for each in plain if not TASTE.search(each.text)]


def _row(clause: Clause) -> Row:
    """A row of a list; of "5 March in Leeds" the place is what it is about."""
    if clause.label:
        return Row(_AT.sub("", clause.label), clause.value)
    run = runs_in(clause.value)[0]
    place = LEADING.sub("", clause.value[run.end :].strip(" ,"))
    return Row(place, clause.value[run.start : run.end]) if place and not clause.contact else Row("", clause.value)


def _fact(clause: Clause, head: str) -> Row:
    """A fact with its label, or in the words of the brief where these are a statement."""
    label = clause.label or head
    if _WE.match(label) or len(label.split()) > SHORT:
        return Row(clause.text)
    return Row(label, clause.value)


def _named_list(head: str, clauses: Sequence[Clause]) -> Rows:
    """A list; its first part may hold the heading as well: "bring a salad, a chair", "die vier Stimmen Sopran, Alt"."""
    labels = [bare(ASKED_FOR.sub("", each.label)) for each in clauses]
    begun = LISTS.match(clauses[0].text) if not head else None
    if begun and len(labels) > 1:
        size = max(len(label.split()) for label in labels[1:])
        words = clauses[0].text.split()
        if len(words) > size:
            head = bare(ASKED_FOR.sub("", SMALL_END.sub("", " ".join(words[:-size]))))
            labels[0] = " ".join(words[-size:])
    ends = re.fullmatch(r"(.+) ([a-zäöüß]+en)", labels[-1])
    if ends and not head and len(labels) > 1 and all(label.istitle() for label in labels[:-1]):
        head, labels[-1] = ends[2], ends[1]  # "Decke, Becher und Hut mitbringen"
    return Rows(head, [Row(label) for label in labels if label])


# What is entered into a page that calculates, and what comes out, read from its brief.

MOST_INPUTS = 6


@dataclass(frozen=True)
class Asked:
    """What the brief says of a calculation. `given` are numbers that it has to use, `notes` the words of these."""

    inputs: tuple[Input, ...]
    result: str
    given: tuple[float, ...]
    notes: tuple[str, ...] = ()


def read_calculation(text: str) -> Asked:
    """What is entered and what comes out, of the sentences that speak of a calculation."""
    inputs: list[Input] = []
    results: list[str] = []
    notes: list[str] = []
    said = text
    for sentence in sentences_of(text):
        body = sentence.text.partition(": ")[2] if sentence.head else sentence.text
        asked = announced(sentence.text)
        head = asked.topic if asked else sentence.head
        if found := CALCULATES.search(head):
            results.append(bare(head[found.end() :]))
        if asked and not asked.rest:
            continue
        if not (ENTERS.search(body) or GETS.search(body)):
            if NUMBER.search(body):
                notes.append(body)
            continue
        read = read_entered(body)
        inputs += read.inputs
        results += read.results
        notes += read.notes
    for each in inputs:
        for choice in each.choices:
            said = said.replace(choice, " ", 1)
    given = dict.fromkeys(float(number.replace(",", ".")) for number in NUMBER.findall(said))
    notes += [", ".join(each.choices) for each in inputs if each.choices and not NUMBER.search(each.choices[0])]
    counted = [each for each in inputs if each.label and (not each.choices or NUMBER.search(each.choices[0]))]
    unique = tuple({each.name: each for each in counted}.values())[:MOST_INPUTS]
    told = sorted((result for result in results if result), key=lambda each: not NUMBER.search(each))
    return Asked(unique, told[-1] if told else "", tuple(given), tuple(notes))
