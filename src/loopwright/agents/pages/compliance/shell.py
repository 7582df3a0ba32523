"""Repairs of a page's outer shell that need no judgement, made in the source text.

Nothing is parsed and written out again: each repair is an insertion or the replacement of one attribute value, so that
every byte the author wrote elsewhere stays as it was.
"""

import html as html_entities
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from loopwright.agents.pages.compliance.markup import Edit, Skeleton, Token, apply_edits, read_skeleton, scan
from loopwright.agents.pages.runtime import FOLDER, runtime_path, stand_in, with_pictures

VIEWPORT = "width=device-width, initial-scale=1, viewport-fit=cover"
OWN_CONTAINER_CLASSES = frozenset({"page", "app", "app-shell", "screen", "container", "phone"})

_CHARSET_IN_CONTENT = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ShellResult:
    """A repaired page and, in words, what was repaired; without fixes the page is the very same text."""

    html: str
    fixes: list[str]


def ensure_mobile_shell(
    html: str, *, title: str, lang: str = "en", css_href: str = "../design-system.css"
) -> ShellResult:
    """Add what a mobile page must have around its content, where it is missing.

    Parameters: `title` and `lang` are used only where the page has none; `css_href` is the address of the design
    system as seen from the page.  Repaired are: doctype, `<html lang>`, charset, viewport, title, the link to the
    design system, and an `#app.page` container for a page that has no container of its own.  Applying it twice
    changes nothing more.
    """
    skeleton = read_skeleton(html)
    repairs = _Repairs(skeleton)
    repairs.doctype()
    repairs.html_tag(lang)
    repairs.charset()
    repairs.viewport()
    repairs.title(title)
    repairs.stylesheet(css_href)
    repairs.finish_head()
    repairs.container()
    repairs.closing_tags()
    return ShellResult(apply_edits(html, repairs.edits), repairs.fixes)


SHELL_RULES = frozenset({"doctype", "html-lang", "charset", "viewport", "title", "design-system"})
"""Rules about the outer shell of a page whose issues are repaired without judgement."""


def fix_shell(
    html: str, rules: Collection[str], *, title: str, lang: str = "en", css_href: str = "../design-system.css"
) -> tuple[list[Edit], list[str]]:
    """The edits that repair the issues of these rules and nothing else, and in words what they do.

    Parameters: `rules` are some of `SHELL_RULES`; the others are those of `ensure_mobile_shell`.
    """
    repairs = _Repairs(read_skeleton(html))
    steps: dict[str, Callable[[], None]] = {
        "doctype": repairs.doctype,
        "html-lang": lambda: repairs.html_tag(lang),
        "charset": repairs.charset,
        "viewport": repairs.viewport,
        "title": lambda: repairs.title(title),
        "design-system": lambda: repairs.stylesheet(css_href),
    }
    for rule, repair in steps.items():
        if rule in rules:
            repair()
    repairs.finish_head()
    repairs.closing_tags()
    return repairs.edits, repairs.fixes


def inline_css(html: str, css: str, *, css_href: str = "design-system.css") -> str:
    """Put the design system into the page, for a preview that stands on its own.

    The link whose file name is that of `css_href` becomes a `<style data-href=...>` holding `css`; a page without such
    a link comes back unchanged.  `</style` inside the CSS is escaped, so it cannot end the element early.
    """
    skeleton = read_skeleton(html)
    wanted = _file_name(css_href)
    safe_css = re.sub(r"</(?=style)", r"<\\/", css, flags=re.IGNORECASE)
    edits: list[Edit] = []
    for link in skeleton.stylesheets():
        href = link.value("href") or ""
        if _file_name(href) == wanted and not edits:
            reference = html_entities.escape(href, quote=True)
            edits.append(Edit(link.start, link.end, f'<style data-href="{reference}">\n{safe_css}\n</style>'))
    return apply_edits(html, edits)


def inline_runtime(html: str, text_of: Callable[[str], str | None] = stand_in) -> str:
    """Put the files that the app's pages share into the page, for a preview that stands on its own.

    Args:
        html: the page.
        text_of: gives what takes a file's place, by its path: the text of a script or a style sheet, the address of a
            picture.
    """
    edits = []
    tokens = list(scan(html))
    for place, token in enumerate(tokens):
        path = _loaded(token)
        text = None if path is None else text_of(path)
        if path is None or text is None:
            continue
        kept = f"../{FOLDER}/{path}"
        if token.name == "link":
            edits.append(Edit(token.start, token.end, f'<style data-href="{kept}">\n{text}\n</style>'))
            continue
        end = next((each for each in tokens[place + 1 :] if each.kind == "end" and each.name == "script"), None)
        if end is not None:
            edits.append(Edit(token.start, end.end, f'<script data-src="{kept}">\n{text}\n</script>'))
    return with_pictures(apply_edits(html, edits), text_of)


def _loaded(token: Token) -> str | None:
    """The shared script or style sheet that a tag loads."""
    if token.kind != "start" or token.name not in ("script", "link"):
        return None
    return runtime_path(token.value("src" if token.name == "script" else "href") or "")


def _file_name(href: str) -> str:
    return re.split(r"[?#]", href)[0].rpartition("/")[2].strip().lower()


class _Repairs:
    """The edits that one page needs, gathered in the order of the source."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.edits: list[Edit] = []
        self.fixes: list[str] = []
        self.opened_html = False
        self.head_lines: list[str] = []
        """What has to be written into the head, one line each."""

    def insert(self, position: int, text: str) -> None:
        self.edits.append(Edit(position, position, text))

    def set_attribute(self, token: Token, name: str, value: str) -> None:
        """Replace an attribute's value in place, or add the attribute after the tag's name."""
        escaped = html_entities.escape(value, quote=True)
        attribute = token.attribute(name)
        if attribute is None:
            self.insert(token.start + 1 + len(token.name), f' {name}="{escaped}"')
        elif attribute.quote:
            self.edits.append(Edit(attribute.value_start, attribute.value_end, escaped))
        else:
            self.edits.append(Edit(attribute.start, attribute.end, f'{name}="{escaped}"'))

    def doctype(self) -> None:
        if self.skeleton.doctype is None:
            self.insert(1 if self.skeleton.source.startswith("\ufeff") else 0, "<!doctype html>\n")
            self.fixes.append("added the doctype")

    def html_tag(self, lang: str) -> None:
        tag = self.skeleton.html
        if tag is None:
            lead = "\n" if self.skeleton.doctype else ""
            self.insert(self.skeleton.head_start, f'{lead}<html lang="{html_entities.escape(lang, quote=True)}">\n')
            self.opened_html = True
            self.fixes.append(f"added <html lang={lang}>")
        elif not (tag.value("lang") or "").strip():
            self.set_attribute(tag, "lang", lang)
            self.fixes.append(f"added lang={lang}")

    def charset(self) -> None:
        metas = [token for token in self.skeleton.head_tags if token.name == "meta"]
        for meta in metas:
            declared = meta.value("charset")
            content = _CHARSET_IN_CONTENT.search(meta.value("content") or "") if meta.value("http-equiv") else None
            found = declared.strip() if declared is not None else content.group(1) if content else None
            if found is None:
                continue
            if found.lower() not in ("utf-8", "utf8"):
                name, value = ("charset", "utf-8") if declared is not None else ("content", "text/html; charset=utf-8")
                self.set_attribute(meta, name, value)
                self.fixes.append("set the charset to utf-8")
            return
        self.head_lines.append('<meta charset="utf-8">')
        self.fixes.append("added the charset")

    def viewport(self) -> None:
        meta = self.skeleton.meta("viewport")
        if meta is None:
            self.head_lines.append(f'<meta name="viewport" content="{VIEWPORT}">')
            self.fixes.append("added the viewport")
        elif not viewport_is_mobile(meta.value("content") or ""):
            self.set_attribute(meta, "content", VIEWPORT)
            self.fixes.append("corrected the viewport")

    def title(self, title: str) -> None:
        tag = self.skeleton.title
        text = html_entities.escape(title.strip() or "Untitled", quote=False)
        if tag is None:
            self.head_lines.append(f"<title>{text}</title>")
            self.fixes.append("added the title")
        elif not self.skeleton.title_text.strip():
            self.insert(tag.end, text)
            self.fixes.append("filled the empty title")

    def stylesheet(self, css_href: str) -> None:
        wanted = _file_name(css_href)
        inlined = self.skeleton.head_values("style", "data-href")
        if any(_file_name(href) == wanted for href in inlined):
            return
        for link in self.skeleton.stylesheets():
            href = (link.value("href") or "").strip()
            if _file_name(href) != wanted:
                continue
            if re.split(r"[?#]", href)[0] != re.split(r"[?#]", css_href)[0]:
                self.set_attribute(link, "href", css_href)
                self.fixes.append("corrected the address of the design system")
            return
        self.head_lines.append(f'<link rel="stylesheet" href="{html_entities.escape(css_href, quote=True)}">')
        self.fixes.append("linked the design system")

    def finish_head(self) -> None:
        """Write the gathered lines into the head, after the charset, with head tags where the source has none."""
        skeleton = self.skeleton
        lines = "".join(f"\n{line}" for line in self.head_lines)
        if skeleton.head is None and self.head_lines:
            opening = "<head>" if self.opened_html else "\n<head>"
            self.insert(skeleton.head_start, f"{opening}{lines}\n")
            if skeleton.head_close is None:
                self.insert(skeleton.head_end, "</head>\n")
        elif lines:
            self.insert(self._after_charset(), lines)
        if skeleton.body is None and self.opened_html:
            self.insert(self._implied_body_start(), "<body>\n")

    def _after_charset(self) -> int:
        """Behind an early charset declaration (it counts only in the first 1024 bytes), else at the head's start."""
        for token in self.skeleton.head_tags:
            if token.name == "meta" and token.attribute("charset"):
                return token.end
        return self.skeleton.head_start

    def container(self) -> None:
        """Wrap the body in `#app.page` when the page brings no main container."""
        skeleton = self.skeleton
        visible = [token for token in skeleton.body_tags if token.name not in ("script", "style", "link", "template")]
        if not visible or any(_is_container(token) for token in visible):
            return
        if skeleton.body is not None:
            self.insert(skeleton.body.end, '\n<div id="app" class="page">')
        elif self.opened_html:
            self.insert(self._implied_body_start(), '<div id="app" class="page">\n')
        else:
            return
        end = self._body_end()
        lead = "" if skeleton.source[:end].endswith("\n") else "\n"
        self.insert(end, f"{lead}</div>\n")
        self.fixes.append("wrapped the content in #app.page")

    def _implied_body_start(self) -> int:
        """Where a body that has no tag of its own begins."""
        close = self.skeleton.head_close
        return self.skeleton.head_end if close is None else close.end

    def _body_end(self) -> int:
        for close in (self.skeleton.body_close, self.skeleton.html_close):
            if close is not None:
                return close.start
        return self.skeleton.end

    def closing_tags(self) -> None:
        """Close the tags that were opened here."""
        if not self.opened_html or self.skeleton.html_close is not None:
            return
        has_wrapped = bool(self.edits) and self.edits[-1].text.endswith("</div>\n")
        lead = "" if has_wrapped or self.skeleton.source[: self.skeleton.end].endswith("\n") else "\n"
        closing = f"{lead}</html>\n" if self.skeleton.body_close else f"{lead}</body>\n</html>\n"
        self.insert(self.skeleton.end, closing)


def viewport_is_mobile(content: str) -> bool:
    """Whether a viewport's content says `width=device-width` and `initial-scale=1`."""
    pairs = (part.partition("=") for part in re.split(r"[,;]", content.lower()))
    values = {name.strip(): value.strip() for name, _, value in pairs}
    scale = values.get("initial-scale", "")
    is_one = re.fullmatch(r"\+?0*1(\.0*)?", scale) is not None
    return values.get("width") == "device-width" and is_one


def _is_container(token: Token) -> bool:
    classes = set((token.value("class") or "").lower().split())
    has_name = token.name == "main" or token.value("id") == "app" or token.value("role") == "main"
    return has_name or bool(classes & OWN_CONTAINER_CLASSES)
