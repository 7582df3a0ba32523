"""The files that a page is made of, served to the browser from memory; everything else is refused."""

import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from posixpath import normpath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from playwright.async_api import Route

HOST = "prototype.invalid"
ORIGIN = f"https://{HOST}"
"""Where the files seem to lie. `.invalid` is nobody's (RFC 6761), and https gives scripts what a file on disk has."""

_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".webmanifest": "application/manifest+json"}
ICON = "favicon.ico"
"""Browsers ask for it by themselves; no page is to blame that there is none."""


@dataclass
class PageFiles:
    """Files by their path relative to the session's folder, such as `pages/index.html`."""

    files: Mapping[str, str | bytes]
    refused: list[str] = field(default_factory=list)
    """Addresses that were asked for and are none of the files, in the order of the requests."""

    async def serve(self, route: "Route") -> None:
        """Answer one request of the browser."""
        url = route.request.url
        path = self.path_of(url)
        content = None if path is None else self.files.get(path)
        if content is not None and path is not None:
            body = content.encode() if isinstance(content, str) else content
            await route.fulfill(status=200, headers={"content-type": content_type(path)}, body=body)
        elif path is not None and path.endswith(ICON):
            await route.fulfill(status=204)
        elif path is not None:
            self.refused.append(url)
            await route.fulfill(status=404, headers={"content-type": "text/plain"}, body="There is no such file.")
        else:
            self.refused.append(url)
            await route.abort("blockedbyclient")

    def path_of(self, url: str) -> str | None:
        """The path of a file that the address means, or None for an address elsewhere."""
        parts = urlsplit(url)
        if parts.hostname != HOST or parts.scheme != "https":
            return None
        path = normpath(unquote(parts.path)).lstrip("/")
        return "index.html" if path in (".", "") else path


def address_of(path: str) -> str:
    """The address under which a file is served; query and fragment may follow the path."""
    return f"{ORIGIN}/{path.lstrip('/')}"


def content_type(path: str) -> str:
    """The media type by the name; text is UTF-8."""
    suffix = path[path.rfind(".") :].lower() if "." in path else ""
    found = _TYPES.get(suffix) or mimetypes.guess_type(path, strict=True)[0] or "application/octet-stream"
    return f"{found}; charset=utf-8" if found.startswith("text/") else found


def project_files(pages: Mapping[str, str], css: str) -> dict[str, str]:
    """The files of a session: `pages` are the HTML by slug, `css` the design system."""
    return {"design-system.css": css, **{f"pages/{slug}.html": html for slug, html in pages.items()}}
