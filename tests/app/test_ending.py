"""How an ending begins that leaves out what was said."""

import pytest

from loopwright.app.watching import told_first


@pytest.mark.parametrize(
    ("kept", "missing", "begins"),
    [
        ("Make the header green", "and the footer blue", "Not used: “and the footer blue”"),
        ("Mach die Überschrift größer", "und die Fußzeile blau", "Nicht umgesetzt: “und die Fußzeile blau”"),
        ("Mets le titre en vert", "et le pied de page en bleu", "Non pris en compte : “et le pied de page en bleu”"),
        (
            "Pon el título en verde",
            "y el pie de página en azul",
            "No se ha tenido en cuenta: “y el pie de página en azul”",
        ),
        ("把标题改成绿色", "页脚改成蓝色", "没有做到：“页脚改成蓝色”"),
    ],
)
def test_what_was_not_used_is_told_in_the_language_in_which_it_was_said(kept: str, missing: str, begins: str) -> None:
    account = {"kept": [{"text": kept, "reason": ""}], "not_used": [{"text": missing, "reason": ""}]}
    assert told_first(account) == f"{begins}\n\n"
    assert told_first({**account, "not_used": []}) == ""


def test_what_was_refused_is_told_with_its_reason() -> None:
    account = {"kept": [], "refused": [{"text": "höchstens 300 Euro für das Dach", "reason": "ein Plan hat kein Geld"}]}
    assert told_first(account) == "Abgelehnt: “höchstens 300 Euro für das Dach” (ein Plan hat kein Geld)\n\n"
