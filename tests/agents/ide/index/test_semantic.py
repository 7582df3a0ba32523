"""Search by meaning: other words find the right passage, and only what has changed is read again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.ide.index import semantic
from loopwright.agents.ide.index.semantic import PASSAGE_LINES, passage_lines
from loopwright.kernel.errors import Misconfigured
from tests.agents.ide.index.workshop import index_of, lay_out

SHOP = {
    "shop/retrying.py": "def call_again_later(request, attempts):\n"
    '    """Wait with exponential backoff before the next attempt after a network failure."""\n'
    "    pause = 2 ** attempts\n    return schedule(request, pause)\n\n\n"
    "def hash_password(password, salt):\n"
    "    digest = sha256(salt + password)\n    return digest\n",
    "shop/prices.py": "def compute_invoice_total(items, tax_rate):\n"
    "    net = sum(item.price * item.quantity for item in items)\n    return net * (1 + tax_rate)\n",
    "shop/pictures.py": "def resize_image(image, width, height):\n    return image.scaled(width, height)\n",
    "notes.md": "# Opening hours\n\nThe shop is open from Monday to Friday.\n",
}


@pytest.mark.parametrize(
    ("query", "path", "title"),
    [
        ("how much does the customer have to pay", "shop/prices.py", "def compute_invoice_total"),
        ("try once more when the connection is lost", "shop/retrying.py", "def call_again_later"),
        ("make a photo smaller", "shop/pictures.py", "def resize_image"),
        ("protect the user's secret login", "shop/retrying.py", "def hash_password"),
        ("on which days can I come", "notes.md", "# Opening hours"),
    ],
)
def test_other_words_find_the_passage(tmp_path: Path, query: str, path: str, title: str) -> None:
    best = index_of(tmp_path, SHOP).search_semantic(query, limit=3)[0]
    assert best.path == path
    assert best.title.startswith(title)
    lines = (tmp_path / path).read_text().splitlines()
    assert lines[best.line_start - 1].startswith(title)


def test_it_follows_the_files_and_knows_no_secrets(tmp_path: Path) -> None:
    index = index_of(
        tmp_path, {**SHOP, ".env": "RESIZE_IMAGE=photo smaller\n", "blank.py": "\n\n", "b.bin": b"\0photo"}
    )
    assert {hit.path for hit in index.search_semantic("photo", limit=50)} <= set(SHOP)
    lay_out(tmp_path, {"shop/pictures.py": "def count_words(text):\n    return len(text.split())\n"})
    (tmp_path / "notes.md").unlink()
    index.refresh()
    hits = index.search_semantic("how many words a text has", limit=50)
    assert hits[0].title.startswith("def count_words")
    assert "notes.md" not in {hit.path for hit in hits}
    assert not any("resize" in hit.title for hit in hits)
    assert index.search_semantic("?!", limit=5) == []


def test_only_what_has_changed_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(tmp_path, SHOP)
    index.search_semantic("photo")
    lay_out(tmp_path, {"notes.md": "# Closing hours\n\nThe shop is closed on Sunday.\n"})
    index.refresh()
    read: list[str] = []
    inner = index._files.read_bytes
    monkeypatch.setattr(index._files, "read_bytes", lambda path: read.append(path) or inner(path))
    index.search_semantic("photo")
    assert read == ["notes.md"]


@given(
    st.integers(1, 200),
    st.lists(st.tuples(st.integers(1, 200), st.integers(0, 90)).map(lambda pair: (pair[0], sum(pair))), max_size=12),
)
def test_passages_cover_every_line_once(length: int, symbols: list[tuple[int, int]]) -> None:
    passages = passage_lines(length, sorted(symbols, key=lambda found: (found[0], -found[1])))
    assert [line for start, end in passages for line in range(start, end + 1)] == list(range(1, length + 1))
    assert all(end - start < PASSAGE_LINES for start, end in passages)


@pytest.mark.parametrize("installed", [True, False])
def test_the_tool_is_offered_with_the_extra_alone_and_loads_nothing(installed: bool) -> None:
    code = (
        f"import sys\nif not {installed}: sys.modules['wordllama'] = None\n"
        "from loopwright.agents.ide.tools import ALL_TOOLS, READERS\n"
        "print('index_search_semantic' in {tool.name for tool in ALL_TOOLS}, 'index_search_semantic' in READERS,"
        " 'numpy' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout
    assert shown.split() == [str(installed), str(installed), "False"]


def test_without_the_extra_the_search_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(tmp_path, SHOP)
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(Misconfigured) as caught:
        index.search_semantic("photo")
    assert "loopwright[semantic]" in caught.value.hint


def test_weights_that_are_missing_are_never_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import requests
    import wordllama.wordllama as package

    def fetch(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    index = index_of(tmp_path, SHOP)
    semantic._model.cache_clear()
    monkeypatch.setattr(requests, "get", fetch)
    monkeypatch.setattr(package.WordLlama, "get_filename", staticmethod(lambda *_: "absent.safetensors"))
    with pytest.raises(Misconfigured, match="weights"):
        index.search_semantic("photo")


def test_loading_leaves_the_logging_of_the_program_alone(tmp_path: Path) -> None:
    index_of(tmp_path, SHOP)
    code = (
        "import logging, sys\nfrom pathlib import Path\nfrom loopwright.agents.ide.project import Projects\n"
        "Projects(Path(sys.argv[2])).at(Path(sys.argv[1])).index.search_semantic('photo')\n"
        "print(logging.getLogger().handlers, logging.getLogger().level)"
    )
    command = [sys.executable, "-c", code, str(tmp_path), os.environ["XDG_DATA_HOME"]]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert shown.split() == ["[]", "30"]
