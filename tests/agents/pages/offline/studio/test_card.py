"""Cards: contacts to take along, codes to scan, greetings to open."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.agents.pages.offline.studio.phone_app import steps
from tests.agents.pages.offline.studio.sample_apps import APPS

CARD = APPS["card"]
DENTIST = replace(CARD, brief="Business card for Dr. Mia Chen, pediatric dentist in Boston")
BIRTHDAY = replace(CARD, brief="Birthday card for my sister Emma")


def test_the_card_shows_the_person_of_the_brief() -> None:
    page = DENTIST.render("index")

    assert all(words in page for words in ("Dr. Mia Chen", "Pediatric dentist", "Boston"))
    assert "Ekström" not in page


@pytest.mark.browser
async def test_the_contact_is_saved_as_a_vcard(tmp_path: Path) -> None:
    """What is downloaded is a complete vCard of the person on the card."""
    name, kind, text = await steps(
        DENTIST,
        "index",
        tmp_path,
        """
        const saved = []; App.saveFile = (...all) => saved.push(...all);
        tap('#save-contact'); return saved;
        """,
    )

    lines = text.split("\r\n")
    assert (name, kind) == ("nora.vcf", "text/vcard")
    assert lines[:2] == ["BEGIN:VCARD", "VERSION:3.0"]
    assert lines[-2:] == ["END:VCARD", ""]
    assert "FN:Dr. Mia Chen" in lines
    assert "TITLE:Pediatric dentist" in lines


@pytest.mark.browser
async def test_a_greeting_opens_glows_and_gathers_wishes(tmp_path: Path) -> None:
    """The card stays open; all candles together end the ritual; the wishes are there."""
    seen = await steps(
        BIRTHDAY,
        "index",
        tmp_path,
        """
        const closed = $('#inside').inert; tap('#open-card');
        $$('[data-light]').forEach((light) => light.click());
        const ritual = $('#ritual').textContent, before = $$('#wish-list li').length;
                return [closed, $('#inside').inert, App.load('opened'), ritual, before, $('#inside h2').textContent];
        """,
    )

    assert seen == [True, False, True, "Your wish is on its way.", 3, "Happy birthday, Emma!"]


@pytest.mark.browser
async def test_pictures_turn_round_at_the_end(tmp_path: Path) -> None:
    seen = await steps(
        CARD,
        "gallery",
        tmp_path,
        """
        tap('[data-show="0"]'); const first = $('#viewer-name').textContent;
        tap('[data-turn="-1"]'); return [first, $('#viewer-place').textContent, $('#viewer').open];
        """,
    )

    assert seen == ["Walking meetings", "6 / 6", True]
