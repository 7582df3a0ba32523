"""Exports of hostile and odd apps."""

import io
import json
import re
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.export.app_files import (
    DEFAULT,
    ExportedApp,
    draw_icon,
    make_zip,
    manifest,
    page_of,
    read_theme,
    side_by_side,
    single_file,
    site_files,
    web_app_files,
    with_head,
)
from tests.agents.pages.studio import CSS, page


def app(**changes: object) -> ExportedApp:
    fields = {
        "name": "Bean There",
        "description": "Coffee.",
        "pages": {"index": page("index", ["menu", "nowhere"]), "menu": page("menu", ["index"])},
        "css": CSS,
        "theme": read_theme(CSS),
    }
    return ExportedApp(**(fields | changes))  # type: ignore[arg-type]


def embedded(text: str) -> dict[str, object]:
    """The data in a single file, as a browser reads it."""
    found = re.search(r'<script type="application/json" id="app">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data: dict[str, object] = json.loads(found[1])
    return data


@given(st.text(max_size=300))
def test_no_page_can_leave_its_place_in_the_single_file(text: str) -> None:
    hostile = f"<html><head></head><body>{text}</script><script>alert(1)</script><!--{text}</body></html>"
    made = single_file(app(pages={"index": hostile}, name=text or "x", css=f"a{{}}{text}</style><script>"))
    assert made.count("</script>") == 2
    assert list(embedded(made)["pages"]) == ["index"]  # type: ignore[call-overload]
    assert "</style" not in str(embedded(made)["shared"]).lower()


def test_links_and_addresses_in_scripts_lead_inside() -> None:
    html = (
        '<html><head></head><body><a href="menu.html?x=1#y">a</a><a href=menu.html>b</a><a href="other.html">c</a>'
        "<p>menu.html</p><script>go('menu.html'); go(`./menu.html?id=${id}`); go(\"submenu.html\")</script></body>"
        "</html>"
    )
    made = page_of(html, ["index", "menu"])
    assert '<a href="?page=menu&amp;x=1#y">' in made
    assert '<a href="?page=menu">' in made
    assert '<a href="other.html">' in made
    assert "<p>menu.html</p>" in made
    assert "go('?page=menu'); go(`?page=menu&id=${id}`); go(\"submenu.html\")" in made


def test_only_the_link_to_the_design_system_changes() -> None:
    html = page("index", ["menu"])
    assert side_by_side(html) == html.replace("../design-system.css", "design-system.css")
    assert with_head(html, "<meta>") == html.replace("<head>", "<head><meta>")
    assert with_head("<!doctype html><p>x", "<meta>") == "<!doctype html><meta><p>x"


def test_files_that_the_pages_share_come_along_once() -> None:
    art = "runtime/art/latte-40-day-square-3f2a.svg"
    html = page("index", body=f'<img alt="" src="../{art}">')
    html = html.replace("</head>", '<script src="../runtime/app.js"></script></head>')
    made = app(pages={"index": html, "menu": html.replace("index", "menu")})
    files = site_files(made)
    assert {"runtime/app.js", art} <= set(files)
    assert f'src="{art}"' in files["index.html"].decode()
    assert {"runtime/app.js", art} <= set(web_app_files(made))
    text = single_file(made)
    data = embedded(text)
    assert "window.App" in data["shared"]["/*@app.js@*/"]  # type: ignore[index]
    assert text.count("window.App = ") == 1
    assert "../runtime/" not in str(data["pages"]).replace('data-src="../runtime/app.js"', "")


def test_pages_that_are_missing_are_named() -> None:
    assert app().broken_links() == {"index": ["nowhere"]}


def test_an_app_without_a_home_page_opens_on_its_first() -> None:
    files = site_files(app(pages={"menu": page("menu")}))
    assert next(iter(files)) == "index.html"
    assert b"url=menu.html" in files["index.html"]
    assert manifest(app(pages={"menu": page("menu")}))["start_url"] == "./menu.html"


def test_the_worker_keeps_every_file_but_itself() -> None:
    files = web_app_files(app())
    worker = files["service-worker.js"].decode()
    kept = json.loads(re.search(r"const FILES = (\[.*?\]);", worker)[1])  # type: ignore[index]
    assert set(kept) == set(files) - {"service-worker.js"}
    changed = web_app_files(app(css=CSS + "a{}"))["service-worker.js"]
    assert changed != files["service-worker.js"]


@pytest.mark.parametrize("name", ["Bean There", "咖啡馆", "", "…"])
@pytest.mark.parametrize("maskable", [False, True])
def test_every_name_has_an_icon(name: str, maskable: bool) -> None:
    from PIL import Image

    with Image.open(io.BytesIO(draw_icon(name, DEFAULT, 192, maskable=maskable))) as picture:
        assert picture.size == (192, 192)
        assert len(picture.convert("RGBA").getcolors(100_000) or []) > 2
        corner = picture.convert("RGBA").getpixel((0, 0))
        assert corner[3] == (255 if maskable else 0)  # type: ignore[index]


def test_the_theme_is_that_of_the_design_system() -> None:
    theme = read_theme(
        ":root{--on-brand:#000;--color-brand-soft:#eee;--color-brand:var(--green);--green:#2e8b4f;--bg:#fafafa}"
    )
    assert (theme.brand.hex, theme.ground.hex) == ("#2E8B4F", "#FAFAFA")
    assert read_theme("") == DEFAULT


def test_a_zip_holds_the_files_in_their_order() -> None:
    files = {"b.txt": b"1", "a.txt": b"2"}
    with zipfile.ZipFile(io.BytesIO(make_zip(files))) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == files
        assert archive.namelist() == ["b.txt", "a.txt"]
