"""A model's plan of an app and the rules' reading of its brief, joined: the plan leads, the brief's words decide.

What the plan says and the brief does not is left out, or kept as mere structure and told; what the brief asks for and
the plan lacks is added from the rules' reading.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from loopwright.agents.pages.brief.sitemap import MAX_PAGES, named_pages, wanted_page_count
from loopwright.agents.pages.domain.app_model import HOME, RECORD_KINDS, AppModel, AppPage, Block, Field
from loopwright.agents.pages.domain.app_reader import read_app
from loopwright.agents.pages.domain.arranging import as_claim, filled_up, is_claim, is_one_page, onto_pages
from loopwright.agents.pages.domain.facts import left_out
from loopwright.agents.pages.domain.features import ENTITY_KINDS, capital, entity_of, kind_of_block, slug_of
from loopwright.agents.pages.domain.grammar import Lexicon, common_words, language_read, lexicon, said, table
from loopwright.agents.pages.domain.naming import given_name, labelled_name
from loopwright.agents.pages.domain.proposal import Part, Proposal, Thing, once
from loopwright.agents.pages.domain.said import SHORTEST, WORDS, Said, is_structure, stems_shared
from loopwright.agents.pages.domain.sample_data import field_of, filled_block, key_of, singular

SUPPORTED = 0.5
"""So much of a title must the brief say."""
MOST_FIELDS = 8
SURE = 2
"""Common words of a language in a brief from which on no model is believed that it is in another."""
_ACTED = frozenset({"list", "week", "calendar", "board", "map", "people"})
"""Kinds of block whose things have a button for what is done with them; a week of lines is a list then."""
_FACTS = frozenset({"money", "number", "year", "phone", "email"})
"""Kinds of field whose values would be facts that nobody has told."""


@dataclass(frozen=True)
class Joined:
    """The app, and in words what came of the plan.

    `invented` is structure that the brief does not speak of, `dropped` what the plan claims without the brief, `added`
    what the brief asks for and the plan had left out.
    """

    model: AppModel
    invented: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def join(plan: Proposal, brief: str, name: str = "", *, alone: bool = False) -> Joined:
    """The app that a plan and a brief describe together.

    Args:
        plan: what a model says of the app.
        brief: the user's own words, and nothing else.
        name: the app's name where the user has given it elsewhere.
        alone: whether the app has one page, whatever the plan says.
    """
    return _Joining(plan, brief, name, alone or is_one_page(brief)).joined()


def by_titles(plan: Proposal) -> Proposal:
    """The plan with the kinds that its titles and things name: a small model chooses among so many at random."""
    parts = [part.model_copy(update={"kind": kind_of_block(part.title) or "list"}) for part in plan.pages]
    return plan.model_copy(update={"pages": parts})


def supported_things(plan: Proposal, said: Said) -> list[Thing]:
    """The plan's things that a brief speaks of, each with the examples that it names."""
    return [
        thing.model_copy(
            update={"fields": once(thing.fields), "examples": list(filter(said.literally, thing.examples))}
        )
        for thing in plan.things
        if said.share(thing.name) >= SUPPORTED
    ]


@dataclass
class _Planned:
    """A block on its way to a page."""

    page: str
    block: Block


@dataclass
class _Joining:
    plan: Proposal
    brief: str
    name: str
    alone: bool
    invented: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)

    def joined(self) -> Joined:
        self.language = self._language()
        self.words: Lexicon = lexicon(self.language)
        self.said = Said(self.brief, self.language)
        self.rules = read_app(self.brief, self._name(), filled=False)
        self.home = str(table("labels")[self.language]["Home"])
        planned = self._planned()
        self._merge_rules(planned)
        self._merge_actions(planned)
        name = self.rules.name
        self._add_facts(planned, name)
        pages = self._pages(planned)
        model = AppModel(name, self.language, self.rules.subject, tuple(pages), self.rules.neutral)
        return Joined(model, *(tuple(dict.fromkeys(each)) for each in (self.invented, self.dropped, self.added)))

    def _language(self) -> str:
        """The plan's language, unless the brief's own commonest words say otherwise."""
        own = language_read(self.brief)
        if own == "zh" or self.plan.language == own:
            return own
        return own if common_words(self.brief, own) >= SURE else self.plan.language

    def _name(self) -> str:
        """The name as it was given, else the plan's where the brief has its words; empty: what the app is.

        What only looks like a name, such as one behind "for", gives way to the plan's if they have nothing in common.
        """
        proposed, given = self.plan.name.strip(), self.name or labelled_name(self.brief)
        looks = given or given_name(self.brief)
        if given or not proposed:
            return looks
        if not self.said.literally(proposed):
            self.dropped.append(f"the name “{proposed}”")
            return looks
        return looks if looks and stems_shared(looks, proposed) else proposed

    # ------------------------------------------------------------------------------------------ what the plan says

    def _planned(self) -> list[_Planned]:
        """The parts of the plan that the brief supports, in their order; things without a part get a list."""
        planned: list[_Planned] = []
        shown: set[str] = set()
        drawn: set[tuple[str, str]] = set()
        for part in self.plan.pages:
            thing = self.plan.thing(part.thing)
            of = thing.name if thing else ""
            if (part.title.lower(), of) in drawn or not self._is_supported(part, thing):
                continue
            if thing is None and self._is_home(part.title) and part.kind in ("list", "about"):
                continue  # the first page leads to the others by itself
            page = self.home if self._is_home(part.title) else part.title
            again = any(each.page == page for each in planned)
            title = of if of and (page == self.home or again) else part.title
            drawn.add((part.title.lower(), of))
            shown.add(of)
            planned.append(_Planned(page, self._block(title, part.kind, thing)))
        for thing in self.plan.things:
            if thing.name in shown:
                continue
            if self.said.share(thing.name) < SUPPORTED:
                self.dropped.append(f"“{thing.name}”")
                continue
            block = self._block(thing.name, "list", thing)
            at = self._fitting(planned, block)
            if at is None:
                planned.append(_Planned(block.title, block))
            else:
                planned[at].block = self._merged(planned[at].block, replace(block, title=planned[at].block.title))
        return planned

    def _is_supported(self, part: Part, thing: Thing | None) -> bool:
        title = part.title.strip()
        if not title or self.said.missing_figures(title):
            self.dropped += [f"“{title}”"] if title else []
            return False
        if self._is_home(title) or self.said.share(title) >= SUPPORTED:
            return True
        about = thing.name if thing else part.thing
        if is_structure(title, self.language) or self.said.share(about) >= SUPPORTED:
            self.invented.append(f"the page “{title}”")
            return True
        self.dropped.append(f"“{title}”")
        return False

    def _is_home(self, title: str) -> bool:
        return title.strip().lower() in (self.home.lower(), "home", "start", self.plan.name.strip().lower())

    def _block(self, title: str, kind: str, thing: Thing | None) -> Block:
        noun = singular(thing.name if thing else title, self.language)
        fields = [each for each in (self._field(label) for label in once(thing.fields if thing else ())) if each]
        return Block(
            kind=kind,
            title=capital(title),
            noun=noun,
            entity=entity_of(noun) or f"Thing{key_of(noun)}",
            fields=tuple(fields[:MOST_FIELDS]),
            records=tuple({"name": each} for each in self._records(thing)),
        )

    def _field(self, label: str) -> Field | None:
        """A field that the brief names, or that is structure and holds no fact."""
        made = field_of(capital(label), self.language)
        if self.said.missing_figures(label):
            self.dropped.append(f"“{label}”")
            return None
        if self.said.share(label) >= SUPPORTED:
            return made
        if made.kind in _FACTS or label.strip().lower() in ("id", "name"):
            return None
        self.invented.append(f"the field “{label}”")
        return made

    def _records(self, thing: Thing | None) -> list[str]:
        """Records that the brief names; anything else would be a fact that nobody has told."""
        kept = []
        for record in once(thing.examples if thing else ()):
            if self.said.literally(record):
                kept.append(capital(record))
            else:
                self.dropped.append(f"“{record}”")
        return kept

    # ------------------------------------------------------------------------------------- what the plan leaves out

    def _merge_rules(self, planned: list[_Planned]) -> None:
        """What the rules read in the brief goes into the plan's blocks, or beside them where it has none for it."""
        titles = {block.entity: page.title for page in self.rules.pages for block in page.blocks}
        last: int | None = None
        for own in self.rules.blocks():
            at = self._fitting(planned, own)
            if at is None and last is not None and self._is_name(own):
                planned[last].block = self._with_name(planned[last].block, own.title)
                continue
            last = at if at is not None else len(planned)
            if at is None:
                self._add(planned, own, titles[own.entity])
            else:
                planned[at].block = self._merged(planned[at].block, own)

    def _with_name(self, block: Block, name: str) -> Block:
        """The block with one more name; a clause around a name that it has already is none."""
        around = Said(name, self.language)
        if any(around.literally(str(record["name"])) for record in block.records):
            return block
        if block.kind in RECORD_KINDS:
            return replace(block, records=(*block.records, {"name": name}))
        return replace(block, lines=(*block.lines, name))

    def _is_name(self, block: Block) -> bool:
        """Whether the rules took a mere name in an enumeration for a part: it is one of what stands before."""
        alone = block.kind == "list" and not (block.fields or block.records or block.lines)
        return alone and self.language != "de" and self.words.spaced and block.title in self.brief

    def _fitting(self, planned: Sequence[_Planned], block: Block) -> int | None:
        """The plan's block that shows what this one is about; a kind that does something else is another thing."""
        best, most = None, 0
        bare = not (block.fields or block.records)
        for at, each in enumerate(planned):
            mine = each.block
            same = mine.kind == block.kind
            if not same and "list" not in (mine.kind, block.kind) and not {mine.kind, block.kind} <= ENTITY_KINDS:
                continue
            about = f"{mine.title} {mine.noun}"
            shared = stems_shared(f"{block.title} {block.noun}", about) + (same and block.kind not in ENTITY_KINDS)
            named = {str(record["name"]).lower() for record in mine.records}
            names = [block.title, *(str(record["name"]) for record in block.records)]
            shared += any(each.lower() in named for each in names)
            if bare and (same or block.kind == "list"):
                shared += Said(" ".join(_texts(mine)), self.language).share(block.title) == 1
            if shared > most:
                best, most = at, shared
        return best

    def _merged(self, mine: Block, block: Block) -> Block:
        """The plan's block with what the rules read for it; a list of the plan takes what kind the brief names."""
        fields = {each.key: each for each in mine.fields} | {each.key: each for each in block.fields}
        records = {str(each["name"]).lower(): each for each in (*mine.records, *block.records)}
        shown = Said(" ".join([mine.title, *mine.lines]), self.language)
        named = {*records, *(each.label.lower() for each in fields.values())}
        lines = [line for line in (block.title, *block.lines) if shown.share(line) < 1 and line.lower() not in named]
        return replace(
            mine,
            kind=block.kind if mine.kind == "list" else mine.kind,
            fields=tuple(fields.values()),
            records=tuple(records.values()),
            lines=tuple(dict.fromkeys((*mine.lines, *lines))),
            numbers=block.numbers or mine.numbers,
        )

    def _add(self, planned: list[_Planned], block: Block, page: str) -> None:
        near = max(planned, key=lambda each: stems_shared(block.title, f"{each.page} {each.block.noun}"), default=None)
        fits = near is not None and stems_shared(block.title, f"{near.page} {near.block.noun}") > 0
        planned.append(_Planned(near.page if near is not None and fits else page, block))
        self.added.append(f"“{block.title}”")

    def _merge_actions(self, planned: list[_Planned]) -> None:
        """What users do is told beside what it is done with; what no block is about becomes one."""
        for action in once(self.plan.actions):
            if self.said.share(action) < SUPPORTED or self.said.missing_figures(action):
                self.dropped.append(f"“{action}”")
                continue
            near = max(planned, key=lambda each: _about(each.block, action), default=None)
            if near is not None and _about(near.block, action):
                if near.block.kind == "form" and 0 < _words(near.block.title) <= stems_shared(near.block.title, action):
                    near.block = replace(near.block, title=capital(action))  # what its button does
                    continue
                done = said(action, self.words).verb
                if near.block.kind in _ACTED and self.words.whole("acting", done or "-"):
                    kind = "list" if near.block.kind == "week" else near.block.kind
                    near.block = replace(near.block, kind=kind, action=near.block.action or capital(done))
                    continue
                shown = f"{near.block.title} {' '.join(near.block.lines)}"
                if stems_shared(action, shown) < len(action.split()):
                    near.block = replace(near.block, lines=(*near.block.lines, capital(action)))
                continue
            told = said(action, self.words)
            kind = kind_of_block(action) or ("form" if self.words.whole("forming", told.verb or "-") else "list")
            planned.append(_Planned(capital(action), self._block(action, kind, None)))

    def _add_facts(self, planned: list[_Planned], name: str) -> None:
        """What the brief says literally, such as a name or an hour, and no block shows."""
        shown = [text for each in planned for text in _texts(each.block)]
        facts = left_out(
            self.brief, [name, self.rules.subject, *shown, *(title for _, title in named_pages(self.brief))]
        )
        if facts:
            title = str(table("labels")[self.language]["Notes"])
            lines = tuple(
                f"{capital(row.label)}: {row.value}" if row.value and row.label else row.label or row.value
                for row in facts
            )
            planned.append(_Planned(self.home, Block("about", title, title, "Facts", lines=lines)))

    # ---------------------------------------------------------------------------------------------- onto its pages

    def _pages(self, planned: Sequence[_Planned]) -> list[AppPage]:
        blocks = [_Planned(each.page, block) for each, block in zip(planned, self._filled(planned), strict=True)]
        if listed := named_pages(self.brief):
            return onto_pages(listed, [each.block for each in blocks], self.home)
        wanted = wanted_page_count(self.brief)
        if wanted == 1 or self.alone:
            told = [is_one_page(self.brief) and is_claim(each.block) for each in planned]
            own = [as_claim(each.block) if one else each.block for each, one in zip(blocks, told, strict=True)]
            return [AppPage(HOME, self.home, tuple(own))]
        grouped: dict[str, list[Block]] = {self.home: []}
        for each in blocks:
            title = next((known for known in grouped if known.lower() == each.page.lower()), each.page)
            grouped.setdefault(title, []).append(each.block)
        most = wanted or MAX_PAGES
        while len(grouped) > most:
            title, more = grouped.popitem()
            grouped[min(grouped, key=lambda known: (known == self.home, len(grouped[known])))] += more
        pages: list[AppPage] = []
        for title, its in grouped.items():
            slug = HOME if title == self.home else slug_of(title, [page.slug for page in pages])
            pages.append(AppPage(slug, title, tuple(its)))
        return filled_up(_parted(pages, wanted), wanted, self.words)

    def _filled(self, planned: Sequence[_Planned]) -> list[Block]:
        """The blocks as they are drawn, no two with the same entity."""
        blocks: list[Block] = []
        for number, each in enumerate(planned):
            block = each.block
            if block.entity in [other.entity for other in blocks]:
                block = replace(block, entity=f"{block.entity}{number + 1}")
            blocks.append(filled_block(block, self.language, number))
        return blocks


def _words(title: str) -> int:
    return len([word for word in WORDS.findall(title) if len(word) >= SHORTEST])


def _texts(block: Block) -> list[str]:
    fields = [text for each in block.fields for text in (each.label, *each.choices)]
    records = [str(value) for record in block.records for value in record.values()]
    return [block.title, block.noun, *fields, *records, *block.lines, *map(str, block.numbers)]


def _about(block: Block, action: str) -> int:
    fields = " ".join(each.label for each in block.fields)
    return 2 * stems_shared(action, f"{block.title} {block.noun}") + stems_shared(action, fields)


def _parted(pages: list[AppPage], wanted: int | None) -> list[AppPage]:
    """So many pages as were asked for, as long as one has blocks that can stand on a page of their own."""
    while wanted and len(pages) < wanted:
        full = max(pages, key=lambda page: len(page.blocks))
        if len(full.blocks) < 2:
            break
        at, last = pages.index(full), full.blocks[-1]
        pages[at] = replace(full, blocks=full.blocks[:-1])
        pages.insert(at + 1, AppPage(slug_of(last.title, [page.slug for page in pages]), last.title, (last,)))
    return pages
