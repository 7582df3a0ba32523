"""How much of a package only its offline part needs."""

from pathlib import Path

from bench.code_size import measured


def package(folder: Path, **modules: str) -> Path:
    root = folder / "shop"
    for name, text in {"__init__": "", **modules}.items():
        path = root / f"{name.replace('__in__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_what_only_offline_modules_import_counts_with_them(tmp_path: Path) -> None:
    """Also through another module of its kind; what somebody else imports too does not, nor does an entry point."""
    root = package(
        tmp_path,
        offline__in__rules="from shop.helper import a\nfrom shop import shared\n",
        helper="from shop import deep\na = 1\n",
        deep="b = 2\n",
        shared="c = 3\n",
        main="from shop.shared import c\n",
    )
    (root / "offline" / "texts.json").write_text('{"a":\n1}\n', encoding="utf-8")
    (root / "prompt.md").write_text("Hello.\n", encoding="utf-8")
    found = measured(root)
    assert (found["python_files"], found["python_lines"]) == (6, 7)
    assert (found["offline_python_files"], found["offline_python_lines"]) == (3, 5)
    assert found["offline_python_lines_elsewhere"] == 3
    assert (found["data_lines"], found["offline_data_lines"]) == (3, 2)
    assert found["offline_share"] == 0.7
