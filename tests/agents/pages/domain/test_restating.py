"""What things have, which states they know and what is done to them, said as people say it, in five languages."""

import pytest

from loopwright.agents.pages.domain.app_model import Block
from loopwright.agents.pages.domain.app_reader import read_app


def blocks_of(brief: str) -> list[Block]:
    return [block for page in read_app(brief).pages for block in page.blocks]


def block_of(brief: str, title: str) -> Block:
    return next(block for block in blocks_of(brief) if block.title == title)


@pytest.mark.parametrize(
    ("brief", "title", "fields"),
    [
        ("A food bank app. Each donation has a donor, a weight and a use-by date.", "Donations",
         ["Donor", "Weight", "Use-by date"]),
        ("A food bank app. Families who come to us are kept in a list with number of children and allergies.",
         "Families", ["Number of children", "Allergies"]),
        ("A climbing app. I want to add new routes with a grade, a colour and the wall they are on.", "Routes",
         ["Grade", "Colour", "Wall"]),
        ("A theatre app. Props (name, scene, where it is stored, who brings it).", "Props",
         ["Scene", "Where it is stored", "Who brings it"]),
        ("A theatre app. Rehearsals are listed with date, scenes and who is called.", "Rehearsals",
         ["Date", "Scenes", "Who is called"]),
        ("Eine App für die Fahrschule. Jeder Fahrschüler hat eine Klasse, einen Fahrlehrer und die Zahl der Stunden.",
         "Fahrschüler", ["Klasse", "Fahrlehrer", "Zahl der Stunden"]),
        ("Eine App für die Feuerwehr: Geräte mit Inventarnummer, letzter Prüfung und nächster Prüfung.", "Geräte",
         ["Inventarnummer", "Letzter Prüfung", "Nächster Prüfung"]),
        ("Une application pour le club. Chaque sortie a une date, un point de départ et un dénivelé.", "Sorties",
         ["Date", "Point de départ", "Dénivelé"]),
        ("Una app para el taller. Cada coche tiene matrícula, modelo, kilómetros y dueño.", "Coches",
         ["Matrícula", "Modelo", "Kilómetros", "Dueño"]),
        ("宠物店小程序。每只宠物有喂食记录和遛狗时间。", "宠物", ["喂食记录", "遛狗时间"]),
        ("Une application pour l'épicerie. Les produits (prix, producteur, stock).", "Produits",
         ["Prix", "Producteur", "Stock"]),
    ],
)  # fmt: skip
def test_what_each_thing_has_is_its_fields(brief: str, title: str, fields: list[str]) -> None:
    assert [field.label for field in block_of(brief, title).fields if field.key != "name"] == fields


@pytest.mark.parametrize(
    ("brief", "title", "states"),
    [
        ("A food bank app. Parcels are packed; a parcel is waiting, packed or collected.", "Parcels",
         ("Waiting", "Packed", "Collected")),
        ("Una app. Una reparación puede estar pendiente, en curso o terminada.", "Reparaciones",
         ("Pendiente", "En curso", "Terminada")),
        ("An app for our hall where you see which dryers are free, and reserve a slot.", "Dryers", ("Yes", "No")),
        ("Eine Segel-App. Jedes Boot hat einen Liegeplatz und einen Zustand (fahrbereit, gesperrt).", "Boot",
         ("Fahrbereit", "Gesperrt")),
        ("食堂的订餐小程序。老人提前一天订餐，选择堂食或送餐上门。", "订餐", ("堂食", "送餐上门")),
    ],
)  # fmt: skip
def test_what_a_thing_can_be_is_chosen_of_its_states(brief: str, title: str, states: tuple[str, ...]) -> None:
    assert states in [field.choices for field in block_of(brief, title).fields]


@pytest.mark.parametrize(
    ("brief", "titles"),
    [
        ("App called DiveBook.\nRequirements:\n- log each dive\n- map of dive sites\n* kit checklist",
         ["Log each dive", "Map of dive sites", "Kit checklist"]),
        ("食堂的订餐系统，功能：1. 每日菜单；2. 意见反馈。", ["菜单", "意见反馈"]),
        ("Feuerwehr-App:\n* Fahrzeuge\n* Mängel melden mit Foto", ["Fahrzeuge", "Mängel"]),
    ],
)  # fmt: skip
def test_neither_a_bullet_nor_a_number_nor_the_line_over_a_list_is_a_part_of_an_app(
    brief: str, titles: list[str]
) -> None:
    assert [block.title for block in blocks_of(brief)] == titles


def test_what_is_entered_belongs_to_the_form_before_it() -> None:
    form = block_of("宠物店小程序。主人可以预约寄养，填写宠物的名字、品种和入住日期。", "预约寄养")
    assert [field.label for field in form.fields] == ["宠物的名字", "品种", "入住日期"]


def test_who_somebody_is_says_what_the_app_is() -> None:
    assert read_app("We run a small food bank in Millbrook. Donations are weighed.").name == "Small Food Bank"
    assert (
        read_app("Wir sind die Fahrschule Kessler und brauchen eine App für Fahrschüler.").name == "Fahrschule Kessler"
    )


@pytest.mark.parametrize("look", ["theatre red and black", "nothing childish"])
def test_what_only_paints_is_no_part_of_an_app(look: str) -> None:
    assert [block.title for block in blocks_of(f"A theatre app. A list of props, {look}.")] == ["Props"]


def test_no_two_pages_have_one_title() -> None:
    """Two lists of the same things stand on one page."""
    brief = "健身房小程序。教练有姓名和电话。会员可以查看课程。会员可以选择教练。"
    titles = [page.title for page in read_app(brief).pages]
    assert len(set(titles)) == len(titles)


def test_what_is_done_with_the_things_of_a_list_is_a_button_at_each() -> None:
    brief = "A piano app. A list of lessons. Parents should be able to cancel a lesson."
    assert block_of(brief, "Lessons").action == "Cancel"


def test_what_was_said_as_deeds_ends_its_sentence() -> None:
    brief = "Fahrschule. Stunden sollen gebucht und abgesagt werden können. Jeder Schüler hat Klasse und Alter."
    assert [block.title for block in blocks_of(brief)][:2] == ["Stunden", "Schüler"]


@pytest.mark.parametrize(
    ("brief", "kind"),
    [
        ("A music app. Each pupil has a parents' phone number and a level.", "phone"),
        ("宠物店小程序。每只宠物有喂食记录和遛狗时间。", "time"),
    ],
)
def test_what_a_field_holds_is_known_by_its_last_words(brief: str, kind: str) -> None:
    assert kind in [field.kind for block in blocks_of(brief) for field in block.fields]


def test_no_part_of_an_app_has_the_id_of_a_part_of_every_page() -> None:
    entities = [block.entity.lower() for block in blocks_of("A hall app. A list of apps, a list of heroes, and pages.")]
    assert entities
    assert not {"app", "hero", "main", "more", "pages", "toast"}.intersection(entities)
