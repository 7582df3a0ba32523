"""Requests for other words: of what stands there, of one thing that is named, and as the name of a page."""

import re
from collections.abc import Sequence

from loopwright.agents.pages.account.effects import Effect
from loopwright.agents.pages.requests.meaning import Page, is_own, is_style, own_words, part_or_whole, quotes
from loopwright.agents.pages.requests.vocabulary import any_of, group, left_over, named, without, words

_RETITLE = (
    r"(?:please )?(?:rename|relabel|retitle|call|name|change|change the (?:name|title) of)\s+(?:the\s+)?"
    r"[\"“‹']?(?P<old>{})[\"”›']?\s+(?:page|screen|tab)(?:\s+(?:name|title))?\s+(?:(?:to|into|as)\s+)?(?P<new>\S.*)"
)


_CALLED = (
    r"(?:(?:we|i) (?:want|would like|need) |i'd like |let )?(?:the\s+)?[\"“‹']?(?P<old>{})[\"”›']?\s+"
    r"(?:page|screen|tab)\s+(?:(?:should|must|shall|to|needs to) be|is(?: now)?|be)\s+"
    r"(?:called|named|renamed(?: to)?|titled)\s+(?P<new>\S.*)"
)


def read_page_name(clause: str, pages: Sequence[Page]) -> Effect | None:
    """Another name for a page of the app; "change" may ask for anything, and counts only with a name."""
    for page in pages:
        names = "|".join(re.escape(each) for each in (page.title, page.slug.replace("-", " ")))
        plain = " ".join(clause.strip(" .!").split())
        found = re.fullmatch(_RETITLE.format(names), plain, re.IGNORECASE)
        found = found or re.fullmatch(_CALLED.format(names), plain, re.IGNORECASE)
        if found is None:
            continue
        sure = re.match(r"(?:please )?change\s+(?!the (?:name|title))", clause, re.IGNORECASE) is None
        new = re.sub(r"\s+(?:everywhere|throughout)$", "", found["new"])
        if (not sure and not (quotes(new) or new[:1].isupper())) or (is_style(new) and not quotes(new)):
            return None
        return Effect(operation="retitle", words=page.title, value=_bare(new), anchor_page=page.slug)
    return None


def read_app_name(clause: str, pages: Sequence[Page]) -> Effect | None:
    """Another name for the app; "the title" alone is the app's where the home page is headed by its name."""
    name = next((page.app for page in pages if page.app), "")
    plain = _INSTEAD.sub("", " ".join(clause.strip(" .!。").split()))
    for shape in (*_SAY_SHAPES, *_SHAPES) if name else ():
        found = re.fullmatch(shape, plain, re.IGNORECASE)
        if found is None:
            continue
        what = found.groupdict().get("what") or found["old"]
        own = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", what)
        left = without(own, [group("app_words"), group("name_words")])
        headed = any(page.slug == "index" and page.headline == name for page in pages)
        called = own != what or group("app_words").search(own) or (headed and group("name_words").search(own))
        new = _bare(found["new"])
        if not called or left_over(left) or not new or (is_style(new) and not is_own(found["new"])):
            continue
        return Effect(operation="retitle", words=name, value=new)
    return None


_SAYS = r"(?:(?:so (?:that )?)?it (?:says|reads)|(?:to )?(?:say|read)|saying)"
_SAY_SHAPES = (
    rf"(?:change|make|set|let|have|rename|edit|update)\s+(?P<what>.+?)\s+{_SAYS}\s+(?P<new>.+)",
    r"(?P<what>.+?)\s+(?:should|must|needs to|ought to)\s+(?:say|read)\s+(?P<new>.+)",
    (
        r"(?:change|set|update|edit)\s+(?:the )?(?:text|wording|label|words?|name|caption)\s+(?:of|on|in)\s+"
        r"(?P<what>.+?)\s+(?:to|into)\s+(?P<new>.+)"
    ),
    r"(?:write|say|put)\s+(?P<new>.+?)\s+instead of\s+(?P<what>.+)",
    r"instead of\s+(?P<what>.+?),?\s+(?:write|say|put)\s+(?P<new>.+)",
    (
        r"(?:change|replace|update|edit)\s+(?:(?:the|this) (?:text|words?|wording|sentence)\s+)?from\s+(?P<what>.+?)\s+"
        r"to\s+(?P<new>.+)"
    ),
    r"(?:change|replace|update|edit)\s+(?P<what>.+?)\s+(?:to|with|by|into)\s+(?P<new>.+)",
    r"(?P<what>.+?)\s+(?:soll(?:te)?|muss)\s+(?:jetzt\s+)?(?P<new>.+?)\s+(?:heißen|lauten|sein|sagen)",
    r"(?:ändere?|setze?|stelle?)\s+(?P<what>.+?)\s+(?:auf|in|zu)\s+(?P<new>.+?)(?:\s+um)?",
    r"(?P<what>.+?)\s+(?:doit|devrait)\s+(?:être|dire|afficher)\s+(?P<new>.+)",
    r"(?:change[rz]?|remplace[rz]?|modifie[rz]?|mets|mettez)\s+(?P<what>.+?)\s+(?:en|par|pour)\s+(?P<new>.+)",
    r"(?P<what>.+?)\s+(?:debe|debería)\s+(?:ser|decir|mostrar)\s+(?P<new>.+)",
    r"(?:cambia|reemplaza|pon)\s+(?P<what>.+?)\s+(?:a|por|como|en)\s+(?P<new>.+)",
    r"(?:请)?(?:把|将)?(?P<what>.+?)(?:改成|改为|换成|写成)(?P<new>.+)",
)
_SURE_SHAPES = 6
"""How many of the shapes speak of words alone; the others may ask for anything else, and need quotation marks."""


def read_say(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    """Other words in a thing that is named: by its kind, or by the words that it shows."""
    plain = _INSTEAD.sub("", " ".join(rest.strip(" .!").split()))
    for number, shape in enumerate(_SAY_SHAPES):
        found = re.fullmatch(shape, plain, re.IGNORECASE)
        if found is None:
            continue
        new = own_words(found["new"]).strip(" .")
        what = found["what"]
        if len(quotes(what)) > 1 or (is_style(new) and not is_own(found["new"])) or not new:
            return None
        if re.search(r"\b(?:photo|picture|image|video|page|everywhere)\b", what, re.IGNORECASE):
            return None
        if _WORD.match(what) and _bare(_WORD.sub("", what)):
            return Effect(operation="rename", words=_bare(_WORD.sub("", what)), value=new, pages=slugs)
        meant = part_or_whole(what)
        sure = number < _SURE_SHAPES or is_own(found["new"]) or (number == _SURE_SHAPES and new[:1].isupper())
        if not meant.kind and number <= _SURE_SHAPES and (quotes(what) or shape in _SAY_SHAPES[3:6]):
            return Effect(operation="rename", words=_bare(what), value=new, pages=slugs)
        if not meant.kind or not sure or meant.kind in ("page", "menu", "card", "section", "icon"):
            return None
        kind = "" if meant.kind == "text" and meant.words else meant.kind
        kind = "headline" if kind == "heading" and not (meant.words or meant.nth or meant.inside) else kind
        where = slugs or (("index",) if kind == "headline" and not (meant.words or meant.inside) else ())
        return Effect(
            operation="say", kind=kind, words=meant.words, nth=meant.nth, inside=meant.inside, looking=meant.looking,
            value=new, pages=where,
        )  # fmt: skip
    return None


_SHAPES = (
    r"(?:re(?:name|label|place)|change|turn)\s+(?:the (?:word|name) )?(?P<old>.+?) (?:to|into|with|by|as)\s(?P<new>.+)",
    r"(?:call|name)\s+(?P<old>.+?)\s+[\"“‹]?(?P<new>(?-i:[A-ZÄÖÜÉ\ue010-\ue0ff])[^\"”›]*)›?",
    r"(?P<what>.+?)\s+(?:is|are|should be|must be) (?:called|named)\s+(?P<new>.+?),?\s+(?:not|instead of)\s(?P<old>.+)",
    r"(?P<old>.+?)\s+(?:is|are|should be|must be) (?:called|named)\s+(?P<new>.+)",
    r"(?:benenne?|nenne?)\s+(?P<old>.+?)\s+(?:in\s+|zu\s+)?(?P<new>\S+(?: \S+){0,3}?)(?:\s+um)?",
    r"(?:ersetze?|ändere?|tausche?)\s+(?P<old>.+?)\s+(?:durch|in|zu|gegen)\s+(?P<new>.+?)(?:\s+(?:um|aus))?",
    r"(?P<old>.+?)\s+(?:doit|devrait)\s+s['’]appeler\s+(?P<new>.+)",
    r"(?P<old>.+?)\s+(?:debe|debería)\s+llamarse\s+(?P<new>.+)",
    r"(?P<old>.+?)\s+(?:heißt|soll(?:en)?)\s+(?:jetzt\s+)?(?P<new>.+?)(?:\s+(?:heißen|genannt werden))",
    r"(?:renomme[rz]?|remplace[rz]?|change[rz]?)\s+(?P<old>.+?)\s+(?:en|par)\s+(?P<new>.+)",
    r"(?:renombra|reemplaza|cambia|sustituye)\s+(?P<old>.+?)\s+(?:a|por|como|en)\s+(?P<new>.+)",
    r"(?:请)?(?:把|将)?(?P<old>.+?)(?:全部|都|统一)?(?:改成|改为|改名为|改名叫|换成|替换为|替换成)(?P<new>.+)",
)
_INSTEAD = re.compile(r",?\s+(?:instead|stattdessen|à la place|en su lugar)$", re.IGNORECASE)
_WORD = re.compile(
    r"^(?:(?:the|das|le|la)\s+)?(?:words?|wort|wörter|mots?|palabras?)\s+|^(?:这个)?词语?", re.IGNORECASE
)
"""What says that a request is about a word, wherever it stands."""
_ARTICLE = re.compile(r"^(?:the (?:word |name |label )?|den |die |das |der |le |la |les |el |los )", re.IGNORECASE)


def read_rename(clause: str, rest: str, slugs: tuple[str, ...], last: Effect | None) -> Effect | None:
    """Other words for words that stand there; without quotes only where a word says that it is about words."""
    plain = _INSTEAD.sub("", " ".join(rest.strip(" .!。").split()))
    for shape in _SHAPES:
        found = re.fullmatch(shape, plain, re.IGNORECASE)
        if found is None:
            continue
        quoted = quotes(plain)
        old, new = found["old"].strip(), found["new"].strip()
        if len(quoted) == 2:
            old, new = (
                (quoted[0], quoted[1]) if plain.find(quoted[0]) <= plain.find(quoted[1]) else (quoted[1], quoted[0])
            )
            if "what" in found.groupdict():
                old, new = new, old
        is_word = _WORD.match(old) is not None
        old, new = (_bare(_WORD.sub("", each)) for each in (old, new))
        kind = named("kinds", old)
        if is_style(new) and not quoted:
            return None
        if kind and kind[0] == "headline" and not left_over(any_of(*words()["kinds"]["headline"]).sub(" ", old)):
            return Effect(operation="show", kind="headline", value=new, pages=slugs or ("index",))
        sure = (
            is_word
            or bool(quoted)
            or re.match(r"(?:rename|relabel|renomm|renombr|benenn|call|nenn)", plain, re.IGNORECASE)
            or re.search(r"called|named|hei(?:ß|ss)|改名", plain) is not None
            or re.match(r"replace|ersetz|remplac", plain, re.I)
        )
        if not sure or group("pronouns").fullmatch(old) or not (quoted or left_over(old)):
            return None
        if re.search(r"\b(?:photo|picture|image|foto|bild|video)\b|图片|照片", f"{old} {new}", re.IGNORECASE):
            return None
        return Effect(operation="rename", words=old, value=new, pages=slugs)
    return None


def _bare(text: str) -> str:
    text = own_words(text)
    text = re.sub(r"\s+(?:everywhere|throughout|überall|partout|um)$", "", text.strip(" .,!。，"), flags=re.IGNORECASE)
    return _ARTICLE.sub("", text).strip(" \"“”„«»「」'’.,")
