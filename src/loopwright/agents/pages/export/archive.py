"""A folder of files in a zip; the same files give the same bytes."""

import io
import zipfile
from collections.abc import Mapping

from loopwright.agents.pages.export.app import ExportedApp, side_by_side, with_head
from loopwright.agents.pages.export.policy import policy_tag
from loopwright.agents.pages.workspace import DESIGN_SYSTEM

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can tell."""


def site_files(app: ExportedApp) -> dict[str, bytes]:
    """The app as a folder: its pages and the design system side by side, `index.html` first.

    An app without a home page gets one that leads to its first page.
    """
    pages = {f"{slug}.html": with_head(side_by_side(html), policy_tag()) for slug, html in app.pages.items()}
    if "index.html" not in pages:
        pages = {"index.html": forwarding_page(app), **pages}
    return {name: html.encode() for name, html in pages.items()} | {DESIGN_SYSTEM: app.css.encode()}


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
