"""An installable web app (PWA): a manifest, icons, and a service worker that keeps every file for use offline."""

import hashlib
import html as html_entities
import io
import json
import re
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from loopwright.agents.pages.brief.sitemap import HOME
from loopwright.agents.pages.colour import Colour, contrast
from loopwright.agents.pages.compliance import inline_css, inline_runtime
from loopwright.agents.pages.compliance.cascade.colours import parse_colour
from loopwright.agents.pages.compliance.markup import Edit, apply_edits, read_skeleton, scan
from loopwright.agents.pages.compliance.page import broken_links, collect_links, is_design_system
from loopwright.agents.pages.design.tokens import take_inventory
from loopwright.agents.pages.runtime import FOLDER, runtime_files, stand_in
from loopwright.agents.pages.workspace import DESIGN_SYSTEM

# The colours that an app shows outside its pages: on its icon, and in the bars of an installed app.

_BRAND = ("brand", "primary", "accent", "main")
_GROUND = ("color-bg", "background", "bg", "surface", "ground")
_NOT_A_GROUND_OR_BRAND = re.compile(r"(?:^|-)(?:on|text|muted|border|soft|contrast|ink)(?:-|$)")
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,.*)?\)", re.DOTALL)
_CHAIN = 10


@dataclass(frozen=True)
class Theme:
    """Brand colour, and the ground that the app stands on."""

    brand: Colour
    ground: Colour


DEFAULT = Theme(Colour.from_hex("#2563EB"), Colour.from_hex("#FFFFFF"))
"""Where a style sheet names no colours: the default primary of the field notes, on white."""


def read_theme(css: str) -> Theme:
    """The colours of a design system, by the names of its variables."""
    variables = take_inventory(css).variables
    brand, ground = _colour(variables, _BRAND), _colour(variables, _GROUND)
    return Theme(brand or DEFAULT.brand, ground or DEFAULT.ground)


def _colour(variables: Mapping[str, str], words: tuple[str, ...]) -> Colour | None:
    """The first variable whose name has one of the words, the first word first, and whose value is a colour."""
    for word in words:
        for name in variables:
            if word not in name or _NOT_A_GROUND_OR_BRAND.search(name.removeprefix("--")):
                continue
            found = _resolved(variables, name)
            if found is not None:
                return found
    return None


def _resolved(variables: Mapping[str, str], name: str) -> Colour | None:
    value = variables[name]
    for _ in range(_CHAIN):
        other = _VARIABLE.fullmatch(value.strip())
        if other is None:
            break
        value = variables.get(other[1], "")
    return parse_colour(value)


# The icon of an installed app: its initial on its brand colour.

SIZES = (192, 512)
"""Pixels; what installers ask for (W3C Web Application Manifest, and the sizes browsers look for)."""

SAFE_ZONE = 0.8
"""The share of a maskable icon's width that every mask leaves visible (W3C Web Application Manifest)."""

_WHITE, _BLACK = Colour.from_hex("#FFFFFF"), Colour.from_hex("#000000")
_CORNER = 0.22
_LETTER = 0.56
_OVERSAMPLED = 4


def draw_icon(name: str, theme: Theme, size: int, *, maskable: bool = False) -> bytes:
    """A PNG. A maskable icon fills its square and keeps the letter small enough for every mask."""
    from PIL import Image, ImageDraw, ImageFont

    side = size * _OVERSAMPLED
    image = Image.new("RGBA", (side, side), theme.brand.hex if maskable else "#00000000")
    pen = ImageDraw.Draw(image)
    if not maskable:
        pen.rounded_rectangle((0, 0, side - 1, side - 1), radius=side * _CORNER, fill=theme.brand.hex)
    ink = "#FFFFFF" if contrast(theme.brand, _WHITE) >= contrast(theme.brand, _BLACK) else "#000000"
    share = _LETTER * (SAFE_ZONE if maskable else 1.0)
    letter = _initial(name)
    if letter:
        font = ImageFont.load_default(side * share)
        pen.text(
            (side / 2, side / 2), letter, fill=ink, font=font, anchor="mm", stroke_width=side // 90, stroke_fill=ink
        )
    else:  # a name in another script, for which no font may be there
        reach = side * share / 2
        box = (side / 2 - reach, side / 2 - reach, side / 2 + reach, side / 2 + reach)
        pen.ellipse(box, outline=ink, width=round(side * 0.07))
        pen.ellipse((side * 0.44, side * 0.44, side * 0.56, side * 0.56), fill=ink)
    data = io.BytesIO()
    image.resize((size, size), Image.Resampling.LANCZOS).save(data, "PNG", optimize=True)
    return data.getvalue()


def _initial(name: str) -> str:
    return next((character.upper() for character in name if character.isascii() and character.isalnum()), "")


# What an exported page may do. Its scripts come from a model: they run, but they reach nothing outside.

_COMMON = (
    "img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' data:; form-action 'self'; base-uri 'none'"
)


def policy_tag(*, worker: bool = False) -> str:
    """A Content-Security-Policy as markup (a file has no headers): no requests to anywhere but the app's own files.

    `worker` allows what an installed web app needs: its manifest and its service worker.
    """
    files = "connect-src 'self'; worker-src 'self'; manifest-src 'self'" if worker else "connect-src 'none'"
    content = (
        f"default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; {_COMMON}; {files}"
    )
    return f'<meta http-equiv="Content-Security-Policy" content="{content}">'


# A prototype as it is exported: its pages side by side, and what is told of it.


@dataclass(frozen=True)
class ExportedApp:
    """What an export is made of. `pages` are the HTML by slug, in the order of the app."""

    name: str
    description: str
    pages: Mapping[str, str]
    css: str
    theme: Theme

    @property
    def start(self) -> str:
        """The page that opens first: the home page, or the first one where there is none."""
        return HOME if HOME in self.pages else next(iter(self.pages))

    def broken_links(self) -> dict[str, list[str]]:
        """By page, the pages that its links name and that are not in the export."""
        return broken_links(self.pages)


def side_by_side(html: str) -> str:
    """The page for a folder that also holds what it shares with others: in a session's folder that is one level up."""
    edits = []
    for link in read_skeleton(html).stylesheets():
        href = link.attribute("href")
        if href is not None and is_design_system(href.value):
            edits.append(Edit(href.value_start, href.value_end, DESIGN_SYSTEM if href.quote else f'"{DESIGN_SYSTEM}"'))
    return apply_edits(html, edits).replace(f"../{FOLDER}/", f"{FOLDER}/")


def with_head(html: str, markup: str) -> str:
    """The page with more in its head, before everything that is there."""
    place = 0
    for token in scan(html):
        if token.kind == "doctype" or (token.kind == "start" and token.name in ("html", "head")):
            place = token.end
        if token.kind == "start" and token.name != "html":
            break
    return apply_edits(html, [Edit(place, place, markup)])


# A folder of files in a zip; the same files give the same bytes.

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can tell."""


def site_files(app: ExportedApp) -> dict[str, bytes]:
    """The app as a folder: its pages and the design system side by side, `index.html` first.

    An app without a home page gets one that leads to its first page.
    """
    pages = {f"{slug}.html": with_head(side_by_side(html), policy_tag()) for slug, html in app.pages.items()}
    if "index.html" not in pages:
        pages = {"index.html": forwarding_page(app), **pages}
    return {name: html.encode() for name, html in pages.items()} | shared_files(app)


def shared_files(app: ExportedApp) -> dict[str, bytes]:
    """The design system, and the files that the pages share: scripts, styles and pictures."""
    named = {path: text for html in app.pages.values() for path, text in runtime_files(html).items()}
    shared = {f"{FOLDER}/{path}": text.encode() for path, text in sorted(named.items())}
    return {DESIGN_SYSTEM: app.css.encode(), **shared}


def forwarding_page(app: ExportedApp) -> str:
    """A page that leads to the app's first one."""
    target = f"{app.start}.html"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="refresh" content="0;url={target}"><title>Opening</title></head>'
        f'<body><p><a href="{target}">Open the app</a></p></body></html>\n'
    )


def make_zip(files: Mapping[str, bytes]) -> bytes:
    """The files, compressed, in their order."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


MANIFEST, WORKER, REGISTER = "manifest.webmanifest", "service-worker.js", "register.js"
SHORT_NAME = 12
"""Characters that fit below an icon on a home screen."""


def web_app_files(app: ExportedApp) -> dict[str, bytes]:
    """The files of the app, to be put on any web server as they are."""
    pages = {f"{slug}.html": with_head(side_by_side(html), _head(app)) for slug, html in app.pages.items()}
    if "index.html" not in pages:
        pages = {"index.html": with_head(forwarding_page(app), _head(app)), **pages}
    files = {name: html.encode() for name, html in pages.items()}
    files |= shared_files(app)
    for size in SIZES:
        files[f"icons/icon-{size}.png"] = draw_icon(app.name, app.theme, size)
        files[f"icons/maskable-{size}.png"] = draw_icon(app.name, app.theme, size, maskable=True)
    files[REGISTER] = _script(REGISTER).encode()
    files[MANIFEST] = (json.dumps(manifest(app), ensure_ascii=False, indent=2) + "\n").encode()
    files[WORKER] = _worker(files).encode()
    return files


def manifest(app: ExportedApp) -> dict[str, object]:
    """The web application manifest (W3C)."""
    icons = [
        {"src": f"icons/{kind}-{size}.png", "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
        for kind, purpose in (("icon", "any"), ("maskable", "maskable"))
        for size in SIZES
    ]
    return {
        "id": "./",
        "name": app.name,
        "short_name": app.name if len(app.name) <= SHORT_NAME else app.name.split()[0][:SHORT_NAME],
        "description": app.description,
        "start_url": f"./{app.start}.html",
        "scope": "./",
        "display": "standalone",
        "orientation": "any",
        "background_color": app.theme.ground.hex,
        "theme_color": app.theme.brand.hex,
        "icons": icons,
    }


def _head(app: ExportedApp) -> str:
    name = html_entities.escape(app.name, quote=True)
    return (
        f'{policy_tag(worker=True)}<link rel="manifest" href="{MANIFEST}">'
        f'<meta name="apple-mobile-web-app-title" content="{name}"><link rel="icon" href="icons/icon-192.png">'
        f'<link rel="apple-touch-icon" href="icons/maskable-192.png"><script src="{REGISTER}" defer></script>'
    )


def _worker(files: Mapping[str, bytes]) -> str:
    """The service worker; its cache has a name of its own for every content, so that an update replaces all files."""
    digest = hashlib.sha256()
    for name, content in files.items():
        digest.update(f"{name}:{len(content)}:".encode())
        digest.update(content)
    script = _script(WORKER)
    return script.replace('"@version@"', json.dumps(digest.hexdigest()[:16])).replace(
        '"@files@"', json.dumps(list(files))
    )


@cache
def _script(name: str) -> str:
    folder = resources.files("loopwright.agents.pages.export").joinpath("data")
    return folder.joinpath(name).read_text(encoding="utf-8")


# The whole app in one HTML file.

MARK = "/*@{}@*/"
"""Stands in every page where a file belongs that the pages share, so that the single file holds it once."""


def single_file(app: ExportedApp) -> str:
    """One file that opens from disk: `?page=SLUG` chooses the page, links lead from one to the other."""
    pages = {slug: page_of(html, app.pages) for slug, html in app.pages.items()}
    shared = {MARK.format(DESIGN_SYSTEM): app.css.replace("</", "<\\/")}
    for html in app.pages.values():
        shared |= {MARK.format(path): stand_in(path) or "" for path in runtime_files(html)}
    data = {"start": app.start, "shared": shared, "pages": pages}
    # `<` never stands in the JSON, so that nothing in a page can end the script that holds it.
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    script = resources.files("loopwright.agents.pages.export").joinpath("data/single-file.js").read_text("utf-8")
    name = html_entities.escape(app.name)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{policy_tag()}\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{name}</title>\n</head>\n'
        f"<body>\n<noscript><p>This prototype needs JavaScript.</p></noscript>\n"
        f'<script type="application/json" id="app">{text}</script>\n'
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )


def page_of(html: str, slugs: Collection[str]) -> str:
    """A page for the single file: shared files marked, links and the addresses in scripts leading inside.

    The policy of the file itself stays in force for the pages that are written into it.
    """
    marked = inline_runtime(inline_css(html, MARK.format(DESIGN_SYSTEM)), _marked)
    edits = [
        Edit(link.start, link.end, _quoted(_inside(link.slug, link.suffix), link.quote))
        for link in collect_links(marked)
        if link.slug in slugs and link.slug is not None
    ]
    linked = apply_edits(marked, edits)
    addresses = re.compile(rf"""(?<=["'`])(?:\./)?({"|".join(map(re.escape, slugs))})\.html(\?)?""")
    scripts = [
        Edit(t.start, t.end, addresses.sub(lambda found: _inside(found[1], found[2] or ""), linked[t.start : t.end]))
        for t in scan(linked)
        if t.kind == "text" and t.name == "script"
    ]
    return apply_edits(linked, scripts)


def _marked(path: str) -> str | None:
    """The mark of a shared file; None where there is no such file."""
    return None if stand_in(path) is None else MARK.format(path)


def _inside(slug: str, suffix: str) -> str:
    """The address of a page inside the file; a query goes on behind the page's name."""
    return f"?page={slug}" + (f"&{suffix[1:]}" if suffix.startswith("?") else suffix)


def _quoted(address: str, quote: str) -> str:
    text = html_entities.escape(address, quote=True)
    return text if quote else f'"{text}"'
