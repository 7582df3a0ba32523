"""Blocks on pages: in the order of the brief, or on the pages that are planned."""

import re
from collections.abc import Sequence
from dataclasses import replace

from loopwright.agents.pages.brief.sitemap import named_pages, wanted_page_count
from loopwright.agents.pages.domain.app_model import HOME, AppPage, Block
from loopwright.agents.pages.domain.features import (
    ENTITY_KINDS,
    Feature,
    capital,
    entity_of,
    kind_of_block,
    short_title,
    slug_of,
)
from loopwright.agents.pages.domain.grammar import Lexicon, before_preposition, language_read, stripped, table
from loopwright.agents.pages.domain.kept.measures import dated, with_measures
from loopwright.agents.pages.domain.kept.relating import decides, merged, with_name, with_references, with_state
from loopwright.agents.pages.domain.roles import action_of, button_of, infinitive, only_read
from loopwright.agents.pages.domain.sample_data import field_of, filled_block, singular
from loopwright.agents.pages.domain.sample_names import of_holder


def page_of_title(slug: str, title: str, language: str, told: Sequence[Block] = ()) -> AppPage:
    """A page that the brief knows nothing of: what its title names, with the fields and figures of what is told of it.

    Args:
        slug: of the page.
        title: of the page.
        language: of the app.
        told: what a description of the page was read as; the first block of the same kind that says more counts.
    """
    block = titled_block(kind_of_block(title) or "list", title)
    same = next((each for each in told if each.kind == block.kind and (each.numbers or each.fields)), block)
    whole = replace(block, numbers=same.numbers, fields=same.fields)
    return AppPage(slug, title, (filled_block(whole, language, len(slug)),))


def titled_block(kind: str, title: str) -> Block:
    """A block that has nothing but its title."""
    return Block(kind=kind, title=title, noun=title, entity=entity_of(title) or f"Thing{len(title)}")


def is_claim(block: Block) -> bool:
    """Whether a block, as the brief says it, is on a page that advertises something said of the product."""
    return block.kind == "list" and not (block.fields or block.read_only)


def as_claim(block: Block) -> Block:
    """A plain list as something said of the product: it has no records."""
    return replace(block, kind="claim", records=(), fields=())


def onto_pages(listed: list[tuple[str, str]], blocks: list[Block], home: str) -> list[AppPage]:
    """The blocks on pages that are planned: each on the page whose title has most of its words, else in order."""
    kept: dict[str, list[Block]] = {slug: [] for slug, _ in listed}
    titles = dict(listed)
    left = []
    for block in blocks:
        fitting = max(titles, key=lambda slug: _shared(titles[slug], block.title), default=HOME)
        if _shared(titles[fitting], block.title):
            kept[fitting].append(block)
        else:
            left.append(block)
    empty = [slug for slug in kept if not kept[slug] and slug != HOME]
    for number, block in enumerate(left):
        slug = empty[number] if number < len(empty) else list(kept)[-1 - number % max(1, len(kept) - 1)]
        kept[slug].append(block)
    language = language_read(" ".join(titles.values()))
    for slug, title in listed:
        if not kept[slug] and slug != HOME:
            kind = kind_of_block(title) or "list"
            kept[slug] = [filled_block(titled_block(kind, title), language, len(slug))]
    pages = [AppPage(slug, title, tuple(kept[slug])) for slug, title in listed]
    if HOME not in titles:
        pages.insert(0, AppPage(HOME, home, ()))
    return pages


def _shared(title: str, other: str) -> int:
    if not title.isascii():
        return len(set(title) & set(other))
    mine = {word[:5] for word in re.findall(r"\w{3,}", title.lower())}
    return len(mine & {word[:5] for word in re.findall(r"\w{3,}", other.lower())})


def groups(blocks: list[Block], most: int) -> list[list[Block]]:
    """The blocks in so many groups at the most, in their order."""
    count = max(1, min(most, len(blocks)))
    size, more = divmod(len(blocks), count)
    groups, at = [], 0
    for number in range(count):
        end = at + size + (number < more)
        groups.append(blocks[at:end])
        at = end
    return [group for group in groups if group]


def with_figures(groups: list[list[Block]], figures: Sequence[Block]) -> list[list[Block]]:
    """The groups of blocks with the figures of what they keep before them."""
    for figure in sorted(figures, key=lambda each: bool(each.measure and each.measure.by)):
        entity = figure.measure.entity if figure.measure else ""
        group = next((each for each in groups if any(block.entity == entity for block in each)), None)
        if group is None:
            groups.append([figure])
        else:
            group.insert(next(at for at, block in enumerate(group) if block.entity == entity), figure)
    return groups


def filled_up(pages: list[AppPage], wanted: int | None, words: Lexicon) -> list[AppPage]:
    """As many pages as were asked for: pages that any app may have fill the rest."""
    labels = table("labels")[words.language]
    for key in ("About", "Settings", "Help", "Activity", "Profile"):
        if wanted is None or len(pages) >= wanted:
            break
        kind = {"Settings": "switches", "About": "about", "Help": "about"}.get(key, "list")
        block = filled_block(titled_block(kind, labels[key]), words.language, len(pages))
        pages.append(AppPage(slug_of(labels[key], [page.slug for page in pages]), labels[key], (block,)))
    return pages


def is_one_page(brief: str) -> bool:
    """Whether a brief asks for a landing page or a single page."""
    return bool(
        re.match(
            r"(?i).{0,40}\b(?:landing ?page|one[- ]pager|single page|one page|landingpage|page d'accueil)\b",
            brief,
        )
    )


_FRAME = frozenset({"app", "hero", "main", "more", "pages", "toast"})
"""Parts of every page, by the ids that they have there."""
MOST_PAGES = 6
_HOME = re.compile(
    r"\b(?:home ?page|front page|start ?page|startseite|page d'accueil|página de inicio)\b|首页|主页", re.I
)
_NOBODY = re.compile(r"it|they|he|she|i|we|you|users?|es|sie|ich|wir|il|elle|ils|je|nous|yo|用户|我们?", re.I)
"""Words before a verb that tell nobody anything of who does it."""
HEARD = re.compile(r"audio|listen|play|podcast|radio|hör|écout|escuch|reproduc|播放|收听|音频", re.I)
"""That something is to be heard: a song that only has fields is a thing of a list."""
_NUMBER = re.compile(r"\d+")


def arrange(
    brief: str, words: Lexicon, features: list[Feature], planned: tuple[tuple[str, str], ...], *, filled: bool = True
) -> tuple[AppPage, ...]:
    """The pages of an app: those that are planned or listed in the brief, else as many as its parts need.

    Without `filled` the blocks have only what the brief says.
    """
    return tuple(_Arranger(brief, words, features, planned, filled).pages())


def _person(noun: str, words: Lexicon) -> str:
    """One of the people that a noun names, "neighbour"; empty where it names none."""
    one = singular(before_preposition(stripped(noun, words), words)[0], words.language)
    last = one.split()[-1:] if words.spaced else [one]
    known = last and (words.whole("people", last[0]) or words.whole("people", last[0].lower()))
    return capital(one) if known and len(one.split()) <= 2 else ""


def _is_past(feature: Feature, words: Lexicon) -> bool:
    """Whether the things of a list are written down after they happened."""
    reports = re.fullmatch(table("measures")["reports"], feature.verb or "-", re.I) is not None
    return reports or words.whole("logging", feature.verb or "-")


_KEEPING = re.compile(
    r"(?:add|create|manage|maintain|keep|list|hinzufügen|anlegen|verwalten|ajouter|créer|gérer|añadir|crear|gestionar)\s+"
    r"(?:(?:new|neue[nr]?|nouve(?:aux?|lles?)|nuev[oa]s?)\s+)?(?=\w)|\s+(?:hinzufügen|anlegen|verwalten)$|^(?:添加|新增|管理)(?=..)",
    re.I,
)
"""Verbs that only say that a list is kept: the page is called by its things."""


MOST_OF_FIGURE = 64
MOST_OF_FORM = 10
"""Characters of what a form is called where it also names its page in the navigation."""


def _several(noun: str, words: Lexicon) -> str:
    """What things are called in a title, in the plural where one letter makes it."""
    plain = capital(noun)
    y = re.sub(r"(?<=[^aeiou])y$", "ie", plain)
    return f"{y}s" if words.language == "en" and not plain.endswith(("s", "x", "ch", "sh")) else plain


def _things(block: Block, words: Lexicon) -> str:
    return capital(before_preposition(block.noun, words)[0])


def _title(feature: Feature, kind: str, words: Lexicon) -> str:
    """What a block is called: by its things, where its words are only that they are kept or decided on."""
    text = feature.text.partition("\n")[0]
    if kind == "figure" and len(text) <= MOST_OF_FIGURE:
        return capital(re.sub(r"^(?:see|show|each|every) ", "", text, flags=re.I))
    if kind not in ("list", "checklist") or not feature.verb:
        return feature.title
    if decides(feature.verb):
        return _several(feature.noun, words)
    found = _KEEPING.search(feature.title) if feature.fields else None
    keeps = found and (found.start() == 0 or words.language == "de")
    return capital(_KEEPING.sub("", feature.title)) if keeps else feature.title


class _Arranger:
    """Puts what was read onto pages."""

    def __init__(
        self, brief: str, words: Lexicon, features: list[Feature], planned: tuple[tuple[str, str], ...], filled: bool
    ) -> None:
        self.brief, self.words, self.features, self.planned = brief, words, features, planned
        self.filled = filled
        self.at_home: set[str] = set()
        self.advertises = is_one_page(brief) and not planned and not named_pages(brief)

    def pages(self) -> list[AppPage]:
        """All pages, the home page first."""
        wanted = wanted_page_count(self.brief)
        listed = list(self.planned) or named_pages(self.brief)
        blocks = self._blocks()
        home = table("labels")[self.words.language]["Home"]
        if self.planned or listed:
            return onto_pages(listed, blocks, home)
        most = wanted or MOST_PAGES
        if most == 1 or is_one_page(self.brief):
            return [AppPage(HOME, home, tuple(blocks))]
        at_home = [block for block in blocks if block.entity in self.at_home]
        first = at_home + (
            [block for block in blocks if block.kind in ("phone", "address", "switches")]
            if len(blocks) > most - 1
            else []
        )
        if len(blocks) - len(first) < most - 1:
            first = first[: max(len(at_home), len(blocks) - (most - 1))]
        others = [block for block in blocks if block not in first and block.measure is None]
        figures = [block for block in blocks if block not in first and block.measure is not None]
        grouped = with_figures(groups(others, most - 1), figures)
        pages = [AppPage(HOME, home, tuple(first))]
        for group in grouped:
            lead = next((block for block in group if block.measure is None), group[0])
            long = lead.kind == "form" and len(lead.title) > MOST_OF_FORM and self.words.spaced
            title = short_title(_things(lead, self.words) if long else lead.title, self.words, lead.noun)
            title = title or str(self.words.words["labels"]["Entry"])
            same = next((at for at, page in enumerate(pages) if page.title == title), None)
            if same is not None:
                pages[same] = replace(pages[same], blocks=(*pages[same].blocks, *group))
                continue
            pages.append(AppPage(slug_of(title, [page.slug for page in pages]), title, tuple(group)))
        return filled_up(pages, wanted, self.words)

    def _blocks(self) -> list[Block]:
        """The features as blocks, no two with the same entity, and none with the name of a part of every page."""
        plain = [(self._block(each, number), each) for number, each in enumerate(self.features)]
        if self.filled:
            plain = merged(plain, self.words)
        blocks: list[Block] = []
        for number, (block, feature) in enumerate(plain):
            if block.entity.lower() in {*_FRAME, *(other.entity.lower() for other in blocks)}:
                block = replace(block, entity=f"{block.entity}{number + 1}")
            said = [
                infinitive(each, self.words.language) for each in (feature.verb, feature.action.lower(), *feature.deeds)
            ]
            deeds = [each for each in dict.fromkeys(said) if decides(each)]
            block = with_state(block, deeds, self.words)
            if self.filled and block.kind != "claim":
                block = with_name(block, *self._who(feature), self.words)
                block = filled_block(block, self.words.language, number, past=_is_past(feature, self.words))
                block = block if block.state else with_state(block, (), self.words)
            blocks.append(block)
            self.at_home |= {block.entity} if _HOME.search(feature.actor) else set()
        if not self.filled:
            return blocks
        texts = [feature.text for _, feature in plain]
        return dated(with_measures(with_references(blocks, self.words), texts, self.words), self.words)

    def _who(self, feature: Feature) -> tuple[str, bool]:
        """Who fills in a form, else whom it is about, one of the pupils of the list, and whether it is the latter."""
        if person := _person(feature.actor, self.words):
            return person, False
        own = not feature.actor or _NOBODY.fullmatch(feature.actor)
        lists = [each for each in self.features if each.kind in ("list", "people") and each is not feature]
        found = [person for each in lists if (person := _person(each.noun, self.words))]
        return (found[0], True) if found and own and _is_past(feature, self.words) else ("", False)

    def _block(self, feature: Feature, number: int) -> Block:
        language = self.words.language
        fields = [field_of(label, language, choices) for label, choices in feature.fields.items()]
        unique = tuple({each.key: each for each in fields}.values())
        labels = table("labels")[language]
        lines = [line for line in dict.fromkeys(feature.lines) if line]
        if (
            feature.actor
            and not _NOBODY.fullmatch(feature.actor)
            and not _HOME.search(feature.actor)
            and feature.actor.lower() not in feature.title.lower()
        ):
            lines.insert(0, capital(stripped(feature.actor, self.words)))
        people = [str(each) for each in self.words.words["names"]][:4] if feature.by_people else []
        numbers = tuple(int(each) for each in _NUMBER.findall(feature.text))[:3]
        kind = "list" if feature.kind == "player" and unique and not HEARD.search(feature.text) else feature.kind
        logs = bool(_is_past(feature, self.words) and (feature.fields or feature.actor) and not feature.fixed)
        reads = any(
            self.words.whole(name, feature.verb or "-") for name in ("reading", "showing", "searching", "acting")
        )
        enters = feature.verb and feature.fields and _person(feature.actor, self.words) and not (feature.fixed or reads)
        logs = logs or bool(enters and not _KEEPING.search(f"{feature.verb} x"))
        kind = "form" if kind == "list" and logs else kind
        kind = "list" if kind == "points" and (unique or feature.verb) else kind  # badges that somebody gets
        kind = "list" if kind == "checklist" and any(each.label == labels["Status"] for each in unique) else kind
        plain = Block(
            kind=kind,
            title=_title(feature, kind, self.words),
            noun=singular(of_holder(feature.title, language) or feature.noun or feature.title, language),
            entity=entity_of(singular(feature.noun, language) if feature.kind in ENTITY_KINDS else feature.title)
            or f"Thing{number + 1}",
            fields=unique,
            records=tuple({"name": capital(each)} for each in dict.fromkeys(feature.examples or people)),
            lines=() if kind == "figure" else tuple(lines),
            numbers=numbers,
            action=button_of(feature, self.words) if kind == "form" else action_of(feature, self.words),
            choice=self.words.whole("one", feature.verb or "-"),
            read_only=feature.fixed or (kind != "form" and only_read(feature, self.words)),
            searched=feature.searched,
        )
        if self.advertises and is_claim(plain):
            return as_claim(plain)
        return plain
