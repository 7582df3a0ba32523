"""The app as a project that a developer goes on with: Vite and TypeScript, a component for each kind of page.

Markup stays where it is, in one HTML file for each page. A page of the shared script parts with its styles and its
behaviour: they become a component, named after the kind of page, which pages of one kind share where they are alike.
A page that a model wrote keeps them, since its scripts may count on being plain ones.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from loopwright.agents.pages.brief.sitemap import is_slug, slugify
from loopwright.agents.pages.compliance.markup import Edit, Token, apply_edits, read_skeleton, scan
from loopwright.agents.pages.compliance.page import is_design_system
from loopwright.agents.pages.export.app_files import ExportedApp, forwarding_page
from loopwright.agents.pages.runtime import (
    is_picture,
    runtime_file,
    runtime_files,
    runtime_path,
    script_parts,
    with_pictures,
)

DATA = "app-data"
"""The id of the element that holds what an app starts with."""
READING = f'JSON.parse(document.getElementById("{DATA}").textContent)'
"""How the shared script reads it in a prototype; in the project it is imported."""
STYLES = "src/styles"
Files = dict[str, bytes]


@dataclass(frozen=True)
class Page:
    """A page taken apart. `kind` is what kind of page it is; None where it keeps its styles and scripts."""

    slug: str
    html: str
    kind: str | None
    style: str
    behaviour: str
    data: str
    parts: tuple[tuple[Token, int, str], ...]
    """Start tag, end and name of what may leave the markup: `style`, `script` and `data`."""


def vite_project(app: ExportedApp, promises: Sequence[Mapping[str, Any]]) -> Files:
    """The files of the project, by their paths.

    Args:
        app: the pages and the design system.
        promises: what holds of the app: `id`, `request` and `checks`, each of which `says` what it looks at.
    """
    pages = [_taken_apart(slug, html) for slug, html in app.pages.items()]
    data = {page.data for page in pages if page.kind is not None}
    is_shared = len(data) == 1
    files = _frame(app, next(iter(sorted(data)), "") or "{}", is_shared=is_shared)
    components = _components(pages)
    for page in pages:
        files[f"{page.slug}.html"] = _markup(page, components.get(page.slug), with_data=not is_shared).encode()
    if "index.html" not in files:
        files["index.html"] = forwarding_page(app).encode()
    for page in pages:
        if page.kind is not None:
            files |= _component(components[page.slug], page)
    files["src/promises.json"] = (json.dumps(list(promises), ensure_ascii=False, indent=2) + "\n").encode()
    for html in app.pages.values():
        files |= {f"public/{path}": text.encode() for path, text in runtime_files(html).items() if is_picture(path)}
    return dict(sorted(files.items()))


def _frame(app: ExportedApp, data: str, *, is_shared: bool) -> Files:
    """What every project has: its configuration, its tests, what pages share, and the data."""
    said = {
        "@name@": slugify(app.name) or "app",
        "@title@": app.name,
        "@description@": app.description,
        "@imports@": "\n".join(f'import "./{name}.js";' for name in script_parts()),
    }
    files: Files = {}
    for path, text in _templates(resources.files("loopwright.agents.pages.export").joinpath("data", "project")):
        for mark, words in said.items():
            text = text.replace(mark, json.dumps(words)[1:-1] if path.endswith(".json") else words)
        files[".gitignore" if path == "gitignore" else path] = text.encode()
    for name, text in script_parts().items():
        if is_shared and READING in text:
            text = 'import data from "../data/app.json";\n\n' + text.replace(READING, "data")
        files[f"src/runtime/{name}.js"] = text.encode()
    files["src/data/app.json"] = (json.dumps(json.loads(data), ensure_ascii=False, indent=2) + "\n").encode()
    files[f"{STYLES}/design-system.css"] = app.css.encode()
    files[f"{STYLES}/app.css"] = (runtime_file("app.css") or "").encode()
    return files


def _templates(folder: Traversable, path: str = "") -> Iterator[tuple[str, str]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _templates(each, f"{path}{each.name}/")
        else:
            yield f"{path}{each.name}", each.read_text(encoding="utf-8")


def _taken_apart(slug: str, html: str) -> Page:
    tokens = list(scan(html))
    texts: dict[str, list[str]] = {"style": [], "script": [], "data": []}
    parts: list[tuple[Token, int, str]] = []
    for place, token in enumerate(tokens):
        name = _part(token)
        end = next((each for each in tokens[place:] if each.kind == "end" and each.name == token.name), None)
        if name is not None and end is not None:
            texts[name].append(html[token.end : end.start].strip())
            parts.append((token, end.end, name))
    body = read_skeleton(html).body
    kind = (body.value("data-archetype") if body is not None else None) or slug
    is_ours = "app.js" in runtime_files(html) and bool(texts["data"])
    return Page(
        slug,
        html,
        (kind if is_slug(kind) else slug) if is_ours else None,
        "\n".join(texts["style"]),
        "\n".join(texts["script"]),
        "\n".join(texts["data"]),
        tuple(parts),
    )


def _part(token: Token) -> str | None:
    """What the element of a tag is to the project; None for what stays in the markup."""
    if token.kind != "start":
        return None
    if token.name == "style":
        return "style" if token.attribute("data-href") is None else None
    if token.name != "script" or token.attribute("src") is not None:
        return None
    if token.value("id") == DATA:
        return "data"
    return "script" if token.attribute("type") is None else None


def _components(pages: Sequence[Page]) -> dict[str, str]:
    """The component of each page: pages of one kind share one where their styles and behaviours are alike."""
    names: dict[tuple[str, str, str], str] = {}
    for page in pages:
        key = (page.kind or "", page.style, page.behaviour)
        if page.kind is None or key in names:
            continue
        names[key] = page.kind if page.kind not in names.values() else f"{page.kind}-{page.slug}"
    return {p.slug: names[p.kind, p.style, p.behaviour] for p in pages if p.kind is not None}


def _component(name: str, page: Page) -> Files:
    folder = f"src/components/{name}"
    lines = [
        f"// Pages of the kind “{page.kind}”: what they share, then what they do themselves.",
        'import "../../runtime";',
    ]
    files: Files = {}
    if page.style:
        files[f"{folder}/style.css"] = f"{page.style}\n".encode()
    if page.behaviour:
        lines.append('import "./behaviour.js";')
        files[f"{folder}/behaviour.js"] = f"{page.behaviour}\n".encode()
    files[f"{folder}/index.ts"] = ("\n".join(lines) + "\n").encode()
    return files


def _markup(page: Page, component: str | None, *, with_data: bool) -> str:
    """The page's HTML file: its styles and scripts are loaded from where the project keeps them."""
    edits = []
    for token in scan(page.html):
        address = token.attribute("href" if token.name == "link" else "src") if token.kind == "start" else None
        path = None if address is None else runtime_path(address.value)
        if address is not None and token.name == "link" and is_design_system(address.value):
            edits.append(_readdressed(token, f"/{STYLES}/design-system.css", _own_style(page, component)))
        elif token.name == "link" and path is not None:
            edits.append(_readdressed(token, f"/{STYLES}/{path}"))
        elif token.name == "script" and path is not None:
            end = page.html.index(">", page.html.index("</script", token.end)) + 1
            edits.append(Edit(token.start, end, _module(component)))
    if component is not None:
        gone = ("style", "script") if with_data else ("style", "script", "data")
        edits += [Edit(token.start, end, "") for token, end, name in page.parts if name in gone]
    html = apply_edits(page.html, sorted(edits, key=lambda edit: edit.start))
    lines = (line for line in html.split("\n") if component is None or line.strip())
    return with_pictures("\n".join(lines).rstrip() + "\n", lambda path: f"/{path}")


def _readdressed(token: Token, address: str, after: str = "") -> Edit:
    return Edit(token.start, token.end, f'<link rel="stylesheet" href="{address}">{after}')


def _own_style(page: Page, component: str | None) -> str:
    return f'\n<link rel="stylesheet" href="/src/components/{component}/style.css">' if component and page.style else ""


def _module(component: str | None) -> str:
    return f'<script type="module" src="/src/components/{component}/index.ts"></script>' if component else ""
