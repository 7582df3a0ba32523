"""The one reader of a text's language."""

import pytest

from loopwright.kernel.account.reading import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("A list of patients by bed", "en"),
        ("Rezepte nach Kategorie mit Einkaufsliste und Wochenplan", "de"),
        ("Mach die Karten runder", "de"),
        ("Les membres empruntent des outils", "fr"),
        ("Los vecinos reservan parcelas del huerto", "es"),
        ("有商品列表、购物车和门店地址", "zh"),
        ("把 Cart 全部改成 Basket", "zh"),
        ("rename Tea to 龙井 everywhere", "en"),
        ("Füge das Gericht 宫保鸡丁 zur Karte hinzu", "de"),
        ("#0A6E5C", "en"),
        ("", "en"),
    ],
)
def test_the_language_is_that_of_the_sentence_and_not_of_a_name_in_it(text: str, language: str) -> None:
    assert language_of(text) == language
