"""An installable web app (PWA): a manifest, icons, and a service worker that keeps every file for use offline."""

import hashlib
import html as html_entities
import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

from loopwright.agents.pages.export.app import ExportedApp, side_by_side, with_head
from loopwright.agents.pages.export.archive import forwarding_page
from loopwright.agents.pages.export.icons import SIZES, draw_icon
from loopwright.agents.pages.export.policy import policy_tag
from loopwright.agents.pages.workspace import DESIGN_SYSTEM

MANIFEST, WORKER, REGISTER = "manifest.webmanifest", "service-worker.js", "register.js"
SHORT_NAME = 12
"""Characters that fit below an icon on a home screen."""


def web_app_files(app: ExportedApp) -> dict[str, bytes]:
    """The files of the app, to be put on any web server as they are."""
    pages = {f"{slug}.html": with_head(side_by_side(html), _head(app)) for slug, html in app.pages.items()}
    if "index.html" not in pages:
        pages = {"index.html": with_head(forwarding_page(app), _head(app)), **pages}
    files = {name: html.encode() for name, html in pages.items()}
    files[DESIGN_SYSTEM] = app.css.encode()
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
