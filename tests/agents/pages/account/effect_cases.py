"""A page before and after for each kind of effect, and pages on which it is absent."""

from dataclasses import dataclass, replace
from typing import Any

from loopwright.agents.pages.account.effects import Effect
from loopwright.agents.pages.account.looks import Looks
from tests.agents.pages.account.looked import element, look

RED, WHITE = "rgb(200, 0, 0)", "rgb(255, 255, 255)"


@dataclass
class Case:
    """An effect, the page before, a page that has the effect, and pages that have not."""

    effect: Effect
    before: Looks
    good: Looks
    bad: dict[str, Looks]


def effect(operation: str, **given: Any) -> Effect:
    return Effect.model_validate({"operation": operation, **given})


def form(*fields: dict[str, Any]) -> dict[str, Any]:
    """A form that is sent, and all of which is kept and shown."""
    labels = [each["label"] for each in fields]
    return {"head": "Book", "button": "Send", "fields": list(fields), "sent": True, "kept": labels, "needed": []}


BUTTON, CARD = element("button", text="Send"), element("card", text="A card", width=300, height=200)
OTHER, ROUND = replace(BUTTON, text="Other"), element("button", text="Send", radius=12.0)
TWO = element("heading", text="Two", tag="h2", size=20.0)
HEAD, PARTS = (
    element("headline", "heading", "text", text="Shop", tag="h1", size=30.0),
    element("text", text="Words " * 20),
)
PRICE, NAV = element("price", "text", text="$38"), element("menu item", text="Home", href="index.html", tag="a")
MAP, ADDRESS = element("text", text="Map", y=0), element("text", text="Address", y=100)
PAGE = element("page", tag="body", ground=WHITE)
AZUL, CATAN = (element("row", text=text, tag="li") for text in ("Azul Price $40.00", "Catan Price $18.00"))
DAY, TEL = {"label": "Day", "type": "date", "options": []}, {"label": "Phone", "type": "tel", "options": []}
SIZE = {"label": "Size", "type": "select", "options": ["small", "big"]}
LIST = {"head": "Bookings", "goes": True, "asks": "", "stays": True, "empty": "Nothing here yet"}
RULES = element("headline", "heading", text="Rules", tag="h1")
WAY = element("link", text="Rules", tag="a", href="rules.html")
TURNED = {"#s": ("rgb(255, 255, 255)", "rgb(10, 10, 10)", "rgb(255, 255, 255)")}
BLUE, NIGHT = "rgb(20, 60, 180)", "rgb(20, 20, 24)"
DARK = (replace(PAGE, ground=NIGHT), replace(PARTS, ground=NIGHT, colour=WHITE))
LINK = element("link", "text", text="More", tag="a", colour=BLUE, y=200)
SECOND = replace(CARD, text="B", own="B", x=310)
ROWS = [
    element("row", text="Adder $5 due 3 May 2026"),
    element("row", text="Boa $40 due 9 May 2026"),
    element("row", text="Cobra without one"),
]
FURTHER, LATER = element("text", text="Further", y=150), element("text", text="Later", y=200)
PLAYFUL, ROUND_CARD = replace(TWO, weight=800.0), replace(CARD, radius=18.0)
CALM = replace(TWO, weight=300.0)
SEND, POST = element("text", text="Send", tag="b"), replace(BUTTON, text="Post it", own="Post it")
SHOP_LINK = element("link", "text", text="Shop", tag="a", href="index.html", y=50)
TEAM, LAST = replace(NAV, text="Team", href="team.html", x=100), replace(NAV, text="Last", href="last.html", x=200)
CHOSEN = {"by": "Colour", "word": "red", "all": 4, "hits": 1, "right": True, "back": 4}
FINDS = {
    "word": "Oak", "all": 4, "hits": 1, "right": True, "none": 0, "said": True, "back": 4, "before": 9
}  # fmt: skip


CASES = {
    "rounder": Case(
        effect("style", kind="button", property="radius", relation="more"),
        look(BUTTON, OTHER, CARD), look(ROUND, replace(OTHER, radius=12.0), CARD),
        {
            "nothing changed": look(BUTTON, OTHER, CARD),
            "another way": look(replace(BUTTON, radius=0.0), CARD),
            "the cards too": look(ROUND, replace(CARD, radius=30.0)),
            "only one of them": look(ROUND, OTHER, CARD),
        },
    ),
    "smaller headline": Case(
        effect("style", kind="headline", property="size", relation="less"),
        look(HEAD, TWO),
        look(replace(HEAD, size=24.0), TWO),
        {
            "nothing changed": look(HEAD, TWO),
            "smaller than what is below": look(replace(HEAD, size=16.0), TWO),
        },
    ),
    "red button": Case(
        effect("style", kind="button", words="send", property="ground", relation="set", value="#c80000"),
        look(BUTTON), look(replace(BUTTON, ground=RED, colour=WHITE)),
        {
            "a variable that nobody uses": look(BUTTON),
            "ink that cannot be read": look(replace(BUTTON, ground=RED, colour="rgb(180, 30, 30)")),
            "another colour": look(replace(BUTTON, ground="rgb(0, 0, 200)", colour=WHITE)),
        },
    ),
    "brand": Case(
        effect("brand", value="#c80000"),
        look(BUTTON), look(replace(BUTTON, ground=RED, colour=WHITE)), {"nothing changed": look(BUTTON)},
    ),
    "larger text": Case(
        effect("text_size", kind="text", property="size", relation="more"),
        look(PARTS, HEAD), look(replace(PARTS, size=18.0), HEAD),
        {"only the headline": look(PARTS, replace(HEAD, size=40.0))},
    ),
    "another name": Case(
        effect("rename", words="Cart", value="Basket"),
        look(element("text", text="Your cart"), element("button", label="Open Cart"), PARTS),
        look(element("text", text="Your basket"), element("button", label="Open Basket"), PARTS),
        {
            "a label is left": look(element("text", text="Your basket"), element("button", label="Open Cart"), PARTS),
            "only taken away": look(element("text", text="Your"), element("button", label="Open"), PARTS),
            "the title is left": look(element("text", text="basket"), element("text", text="basket"), title="Cart"),
        },
    ),
    "no prices": Case(
        effect("remove", kind="price"),
        look(PRICE, PARTS), look(PARTS),
        {"one is left": look(PRICE, PARTS), "all went": look(element("text", text="x"))},
    ),
    "no link to what went": Case(
        effect("remove", words="Team"),
        look(element("section", text="Team", path="#team"), element("link", text="See", href="#team", tag="a"), PARTS),
        look(PARTS),
        {"a link is left": look(element("link", text="See", href="#team", tag="a"), PARTS)},
    ),
    "a number to call": Case(
        effect("show", kind="phone", value="Emergency: 555 0199"),
        look(PARTS), look(PARTS, element("link", "text", text="Emergency: 555 0199", href="tel:5550199", tag="a")),
        {"not there": look(PARTS), "no link": look(PARTS, element("text", text="Emergency: 555 0199"))},
    ),
    "code under the headline": Case(
        effect("show", kind="code", value="curl x | sh", place="after_headline"),
        look(replace(HEAD, y=0), replace(PARTS, y=50)),
        look(replace(HEAD, y=0), element("text", text="curl x | sh", mono=True, y=50), replace(PARTS, y=100)),
        {
            "no code": look(replace(HEAD, y=0), element("text", text="curl x | sh", y=50), replace(PARTS, y=100)),
            "far below": look(
                replace(HEAD, y=0), replace(PARTS, y=50), replace(PARTS, y=100, text="More"),
                replace(PARTS, y=150, text="Even more"), element("text", text="curl x | sh", mono=True, y=250),
            ),
        },
    ),
    "below": Case(
        effect("move", words="Map", place="below", anchor="Address"),
        look(MAP, ADDRESS), look(replace(ADDRESS, y=0), replace(MAP, y=100)),
        {"not moved": look(MAP, ADDRESS), "two": look(MAP, ADDRESS, replace(MAP, y=200)), "gone": look(ADDRESS)},
    ),
    "two columns": Case(
        effect("columns", kind="card", value="2"),
        look(CARD, replace(CARD, text="B", y=300)),
        look(replace(CARD, width=150), replace(CARD, text="B", x=160, width=150)),
        {
            "below each other": look(CARD, replace(CARD, text="B", y=300)),
            "off the screen": look(CARD, replace(CARD, text="B", x=500)),
        },
    ),
    "a switch": Case(
        effect("switch", kind="button"),
        look(PAGE, PARTS), look(PAGE, PARTS, taps=TURNED),
        {
            "none": look(PAGE, PARTS),
            "one that does nothing": look(PAGE, PARTS, taps={"#s": (WHITE, WHITE, WHITE)}),
            "one that never goes back": look(PAGE, PARTS, taps={"#s": (WHITE, "rgb(0, 0, 0)", "rgb(0, 0, 0)")}),
            "the theme turned over": look(replace(PAGE, ground="rgb(0, 0, 0)"), PARTS, taps=TURNED),
        },
    ),
    "francs": Case(
        effect("currency", value="CHF"),
        look(PRICE), look(replace(PRICE, text="CHF 38", own="CHF 38")),
        {
            "not all": look(replace(PRICE, text="CHF 38", own="CHF 38"), replace(PRICE, text="$4", own="$4")),
            "another figure": look(replace(PRICE, text="CHF 40", own="CHF 40")),
        },
    ),
    "an entry of the menu": Case(
        effect("menu", words="GitHub", value="https://github.com/"),
        look(NAV), look(NAV, replace(NAV, text="GitHub", href="https://github.com/")),
        {"elsewhere": look(NAV, element("link", text="GitHub", href="https://github.com/"))},
    ),
    "the second button only": Case(
        effect("style", kind="button", nth=2, property="ground", relation="set", value="#c80000"),
        look(BUTTON, replace(OTHER, y=60)), look(BUTTON, replace(OTHER, y=60, ground=RED, colour=WHITE)),
        {
            "the first": look(replace(BUTTON, ground=RED, colour=WHITE), replace(OTHER, y=60)),
            "nothing changed": look(BUTTON, replace(OTHER, y=60)),
        },
    ),
    "the last card gone": Case(
        effect("remove", kind="card", nth=-1),
        look(CARD, replace(CARD, text="B", own="B", y=300), PARTS), look(CARD, PARTS),
        {
            "the first went": look(replace(CARD, text="B", own="B", y=300), PARTS),
            "both went": look(PARTS),
            "still there": look(CARD, replace(CARD, text="B", own="B", y=300), PARTS),
        },
    ),
    "much bigger": Case(
        effect("style", kind="headline", property="size", relation="more", amount="much"),
        look(HEAD), look(replace(HEAD, size=42.0)), {"a bit bigger": look(replace(HEAD, size=32.0))},
    ),
    "a bit smaller": Case(
        effect("style", kind="heading", property="size", relation="less", amount="small"),
        look(TWO), look(replace(TWO, size=18.0)), {"much smaller": look(replace(TWO, size=12.0))},
    ),
    "much larger text": Case(
        effect("text_size", kind="text", property="size", relation="more", amount="much"),
        look(PARTS), look(replace(PARTS, size=22.0)), {"a bit larger": look(replace(PARTS, size=17.5))},
    ),
    "as blue as the link": Case(
        effect("style", kind="button", property="ground", relation="like", anchor_kind="link"),
        look(BUTTON, LINK), look(replace(BUTTON, ground=BLUE, colour=WHITE), LINK),
        {
            "nothing changed": look(BUTTON, LINK),
            "the link changed instead": look(BUTTON, replace(LINK, colour="rgb(255, 255, 255)")),
            "another colour": look(replace(BUTTON, ground=RED, colour=WHITE), LINK),
            "words that cannot be read": look(replace(BUTTON, ground=BLUE, colour=BLUE), LINK),
        },
    ),
    "headings as large as on another page": Case(
        effect("style", kind="heading", property="size", relation="like", anchor_page="news"),
        {**look(TWO), **look(replace(TWO, text="N", size=26.0), slug="news")},
        {**look(replace(TWO, size=26.0)), **look(replace(TWO, text="N", size=26.0), slug="news")},
        {"another size": {**look(replace(TWO, size=22.0)), **look(replace(TWO, text="N", size=26.0), slug="news")}},
    ),
    "a dark theme": Case(
        effect("theme", value="dark"),
        {**look(PAGE, PARTS), **look(PAGE, slug="cart")}, {**look(*DARK), **look(DARK[0], slug="cart")},
        {
            "a switch that nobody tapped": {**look(PAGE, PARTS, taps=TURNED), **look(PAGE, slug="cart")},
            "words that cannot be read": {
                **look(DARK[0], replace(PARTS, ground=NIGHT)), **look(DARK[0], slug="cart")
            },
            "one page only": {**look(*DARK), **look(PAGE, slug="cart")},
        },
    ),
    "two cards swapped": Case(
        effect("swap", kind="card", nth=1, anchor_kind="card", anchor_nth=2),
        look(CARD, SECOND), look(replace(SECOND, x=0), replace(CARD, x=310)),
        {
            "nothing changed": look(CARD, SECOND),
            "one is gone": look(replace(SECOND, x=0)),
            "one is there twice": look(replace(SECOND, x=0), replace(CARD, x=310), replace(CARD, y=400)),
        },
    ),
    "sorted by name": Case(
        effect("sort", value="name", relation="more"),
        look(ROWS[1], replace(ROWS[0], y=50)), look(ROWS[0], replace(ROWS[1], y=50)),
        {
            "nothing changed": look(ROWS[1], replace(ROWS[0], y=50)),
            "an entry went": look(ROWS[0]),
        },
    ),
    "the dearest first": Case(
        effect("sort", value="price", relation="less"),
        look(ROWS[0], replace(ROWS[1], y=50)), look(ROWS[1], replace(ROWS[0], y=50)),
        {"the cheapest first": look(ROWS[0], replace(ROWS[1], y=50))},
    ),
    "the soonest first": Case(
        effect("sort", value="date", relation="more"),
        look(ROWS[1], replace(ROWS[2], y=50), replace(ROWS[0], y=100)),
        look(ROWS[0], replace(ROWS[1], y=50), replace(ROWS[2], y=100)),
        {"what has no date is first": look(ROWS[2], replace(ROWS[0], y=50), replace(ROWS[1], y=100))},
    ),
    "more playful": Case(
        effect("restyle", value="playful"),
        {**look(TWO, CARD), **look(TWO, CARD, slug="cart")},
        {**look(PLAYFUL, ROUND_CARD), **look(PLAYFUL, ROUND_CARD, slug="cart")},
        {
            "nothing changed": {**look(TWO, CARD), **look(TWO, CARD, slug="cart")},
            "one page is as before": {**look(PLAYFUL, ROUND_CARD), **look(TWO, CARD, slug="cart")},
            "another colour only": {
                **look(replace(TWO, colour=NIGHT), CARD), **look(replace(TWO, colour=NIGHT), CARD, slug="cart")
            },
            "calmer instead": {
                **look(CALM, ROUND_CARD), **look(CALM, ROUND_CARD, slug="cart")
            },
        },
    ),
    "a search": Case(
        effect("search", kind="field"),
        look(ROWS[0]), look(ROWS[0], searches=[FINDS]),
        {
            "no field": look(ROWS[0]),
            "it hides nothing": look(ROWS[0], searches=[FINDS | {"hits": 4}]),
            "it leaves other rows": look(ROWS[0], searches=[FINDS | {"right": False}]),
            "nonsense finds something": look(ROWS[0], searches=[FINDS | {"none": 2}]),
            "an empty result says nothing": look(ROWS[0], searches=[FINDS | {"said": False}]),
            "the rows do not come back": look(ROWS[0], searches=[FINDS | {"back": 1}]),
        },
    ),
    "a filter": Case(
        effect("filter", kind="field", words="Colour"),
        look(ROWS[0]), look(ROWS[0], searches=[CHOSEN]),
        {
            "by something else": look(ROWS[0], searches=[CHOSEN | {"by": "Size"}]),
            "it hides nothing": look(ROWS[0], searches=[CHOSEN | {"hits": 4}]),
            "it leaves other rows": look(ROWS[0], searches=[CHOSEN | {"right": False}]),
        },
    ),
    "shown again": Case(
        effect("unhide", kind="card"), look(TWO), look(TWO, CARD), {"still hidden": look(TWO)},
    ),
    "set in serifs": Case(
        effect("style", kind="heading", property="face", relation="set", value="serif"),
        look(replace(TWO, font="Inter, sans-serif")), look(replace(TWO, font="Georgia, serif")),
        {"another one without": look(replace(TWO, font="Arial, sans-serif"))},
    ),
    "a warmer ground": Case(
        effect("style", kind="page", property="warmth", relation="more"),
        look(PAGE), look(replace(PAGE, ground="rgb(255, 250, 240)")),
        {"a cooler one": look(replace(PAGE, ground="rgb(240, 250, 255)"))},
    ),
    "bolder": Case(
        effect("style", kind="heading", property="weight", relation="more"),
        look(TWO), look(replace(TWO, weight=800.0)), {"larger instead": look(replace(TWO, size=30.0))},
    ),
    "more space": Case(
        effect("style", kind="card", property="space", relation="more"),
        look(CARD), look(replace(CARD, padding=14.0)), {"wider instead": look(replace(CARD, width=400))},
    ),
    "in the middle": Case(
        effect("style", kind="headline", property="align", relation="set", value="center"),
        look(HEAD), look(replace(HEAD, align="center")),
        {
            "on the right": look(replace(HEAD, align="right")),
            "a narrow box at the left": look(replace(HEAD, align="center", stands="left")),
        },
    ),
    "darker letters": Case(
        effect("style", kind="text", property="colour", relation="less"),
        look(replace(PARTS, colour="rgb(120, 120, 120)")), look(replace(PARTS, colour="rgb(60, 60, 60)")),
        {"lighter": look(replace(PARTS, colour="rgb(150, 150, 150)"))},
    ),
    "to the top": Case(
        effect("move", words="Map", place="top"),
        look(replace(ADDRESS, y=0), FURTHER, LATER, replace(MAP, y=300)),
        look(MAP, replace(ADDRESS, y=100), FURTHER, LATER),
        {"not moved": look(replace(ADDRESS, y=0), FURTHER, LATER, replace(MAP, y=300))},
    ),
    "to the bottom": Case(
        effect("move", words="Map", place="bottom"),
        look(MAP, ADDRESS), look(replace(ADDRESS, y=0), replace(MAP, y=200)), {"not moved": look(MAP, ADDRESS)},
    ),
    "one more record": Case(
        effect("add_record", kind="row", words="Catan", values=(("", "$18"),)),
        look(AZUL, PARTS), look(AZUL, CATAN, PARTS),
        {
            "another price": look(AZUL, replace(CATAN, text="Catan Price $81.00"), PARTS),
            "in the place of another one": look(CATAN, PARTS),
            "as a text": look(AZUL, element("text", text="Catan Price $18.00"), PARTS),
        },
    ),
    "another value": Case(
        effect("set_value", kind="row", words="Azul", values=(("Price", "35,50 €"),)),
        look(AZUL, CATAN), look(replace(AZUL, text="Azul Price €35.50"), CATAN),
        {
            "in another row": look(AZUL, replace(CATAN, text="Catan Price €35.50")),
            "in every row": look(replace(AZUL, text="Azul Price €35.50"), replace(CATAN, text="Catan Price €35.50")),
        },
    ),
    "another telephone number": Case(
        effect("set_value", kind="row", words="Azul", values=(("Phone", "555 0190"),)),
        look(replace(AZUL, text="Azul Phone 555 0141"), CATAN), look(replace(AZUL, text="Azul Phone 555 0190"), CATAN),
        {"half of it": look(replace(AZUL, text="Azul Phone 555 0191"), CATAN)},
    ),
    "one more field": Case(
        effect("add_field", kind="field", words="Phone", value="phone"),
        look(PARTS, forms=[form(DAY)]), look(PARTS, forms=[form(DAY, TEL)]),
        {
            "not kept": look(PARTS, forms=[{**form(DAY, TEL), "kept": ["Day"]}]),
            "cannot be sent": look(PARTS, forms=[{**form(DAY, TEL), "sent": False}]),
            "another kind": look(PARTS, forms=[form(DAY, {**TEL, "type": "date"})]),
            "in the place of another one": look(PARTS, forms=[form(TEL)]),
        },
    ),
    "a field less": Case(
        effect("remove_field", kind="field", words="Phone"),
        look(replace(AZUL, text="Azul Phone 555 0141"), forms=[form(DAY, TEL)]), look(AZUL, forms=[form(DAY)]),
        {
            "still in the rows": look(replace(AZUL, text="Azul Phone 555 0141"), forms=[form(DAY)]),
            "another one went too": look(AZUL, forms=[form()]),
            "cannot be sent": look(AZUL, forms=[{**form(DAY), "sent": False}]),
        },
    ),
    "a choice": Case(
        effect("add_field", kind="field", words="Size", value="choice", values=(("", "small"), ("", "big"))),
        look(PARTS, forms=[form(DAY)]), look(PARTS, forms=[form(DAY, SIZE)]),
        {"without one of the choices": look(PARTS, forms=[form(DAY, {**SIZE, "options": ["small"]})])},
    ),
    "needed": Case(
        effect("require", kind="field", words="Day"),
        look(PARTS, forms=[form(DAY)]), look(PARTS, forms=[{**form(DAY), "needed": ["Day"]}]),
        {
            "another one is": look(PARTS, forms=[{**form(DAY), "needed": ["Name"]}]),
            "never sent": look(PARTS, forms=[{**form(DAY), "needed": ["Day"], "sent": False}]),
        },
    ),
    "asked first": Case(
        effect("ask_first", kind="button"),
        look(PARTS, lists=[LIST, LIST]), look(PARTS, lists=[{**LIST, "asks": "Sure?"}] * 2),
        {
            "in one list only": look(PARTS, lists=[{**LIST, "asks": "Sure?"}, LIST]),
            "gone whatever is answered": look(PARTS, lists=[{**LIST, "asks": "Sure?", "stays": False}] * 2),
            "nothing can be deleted": look(PARTS, lists=[{**LIST, "asks": "Sure?", "goes": False}] * 2),
        },
    ),
    "what an empty list says": Case(
        effect("when_empty", value="No bookings yet"),
        look(PARTS, lists=[LIST]), look(PARTS, lists=[{**LIST, "empty": "No bookings yet!"}]),
        {"the old words": look(PARTS, lists=[{**LIST, "empty": "Nothing here"}])},
    ),
    "one more page": Case(
        effect("new_page", words="Rules", values=(("", "Be kind"),)),
        look(PARTS), {**look(PARTS, WAY), **look(RULES, element("text", text="Be kind"), slug="rules")},
        {
            "no way to it": {**look(PARTS), **look(RULES, element("text", text="Be kind"), slug="rules")},
            "without the words": {**look(PARTS, WAY), **look(RULES, slug="rules")},
            "another title": {**look(PARTS, WAY), **look(element("headline", text="Be kind"), slug="rules")},
            "no page": look(PARTS, RULES),
        },
    ),
    "above": Case(
        effect("move", words="Address", place="above", anchor="Map"),
        look(MAP, ADDRESS), look(replace(ADDRESS, y=0), replace(MAP, y=100)), {"not moved": look(MAP, ADDRESS)},
    ),
    "says something else": Case(
        effect("say", kind="button", words="Send", value="Post it"),
        look(BUTTON, SEND), look(POST, SEND),
        {
            "nothing changed": look(BUTTON, SEND),
            "another button came": look(BUTTON, SEND, POST),
            "what says the same elsewhere too": look(POST, replace(SEND, text="Post it", own="Post it")),
        },
    ),
    "another name for a page": Case(
        effect("retitle", words="Shop", value="Store", anchor_page="index"),
        look(HEAD, SHOP_LINK, title="Shop"),
        look(replace(HEAD, text="Store"), replace(SHOP_LINK, text="Store"), title="Store"),
        {
            "the link is left": look(replace(HEAD, text="Store"), SHOP_LINK, title="Store"),
            "the heading is left": look(HEAD, replace(SHOP_LINK, text="Store"), title="Store"),
            "the title is left": look(replace(HEAD, text="Store"), replace(SHOP_LINK, text="Store"), title="Shop"),
        },
    ),
    "another name for the app": Case(
        effect("retitle", words="Shop", value="Store"),
        look(HEAD, title="Cart · Shop"), look(replace(HEAD, text="Store", own="Store"), title="Cart · Store"),
        {
            "the title is left": look(replace(HEAD, text="Store", own="Store"), title="Cart · Shop"),
        },
    ),
    "no shadows": Case(
        effect("style", kind="card", property="shadow", relation="less"),
        look(replace(CARD, shadow=True)), look(CARD), {"still there": look(replace(CARD, shadow=True))},
    ),
    "a red border": Case(
        effect("style", kind="card", property="edge", relation="more", value="#c80000"),
        look(CARD), look(replace(CARD, edge=1.0, edge_colour=RED)),
        {"none": look(CARD), "a blue one": look(replace(CARD, edge=1.0, edge_colour=BLUE))},
    ),
    "further apart": Case(
        effect("style", kind="card", property="gap", relation="more"),
        look(CARD, replace(CARD, text="B", y=210)), look(CARD, replace(CARD, text="B", y=230)),
        {"as before": look(CARD, replace(CARD, text="B", y=210)), "closer": look(CARD, replace(CARD, text="B", y=205))},
    ),
    "the first of the menu": Case(
        effect("move", kind="menu item", words="Team", place="at", anchor_nth=1),
        look(NAV, TEAM, LAST), look(replace(TEAM, x=0), replace(NAV, x=100), LAST),
        {
            "as before": look(NAV, TEAM, LAST),
            "the last": look(NAV, replace(LAST, x=100), replace(TEAM, x=200)),
            "the others the other way round": look(replace(TEAM, x=0), replace(LAST, x=100), replace(NAV, x=200)),
            "one went": look(replace(TEAM, x=0), replace(NAV, x=100)),
        },
    ),
    "at the bottom": Case(
        effect("show", value="Open daily", place="bottom"),
        look(FURTHER), look(FURTHER, replace(LATER, text="Open daily")),
        {"above the rest": look(replace(LATER, text="Open daily", y=0), FURTHER)},
    ),
    "a link that leads there": Case(
        effect("show", kind="link", value="Shop", leads="shop.html"),
        look(PARTS), look(PARTS, replace(LINK, text="Shop", href="shop.html")),
        {"elsewhere": look(PARTS, replace(LINK, text="Shop", href="other.html")), "no link": look(FURTHER, PARTS)},
    ),
    "the grey text gone": Case(
        effect("remove", kind="text", looking="#808080"),
        look(replace(LATER, colour="rgb(110, 110, 110)"), PARTS, FURTHER), look(PARTS, FURTHER),
        {"another one went": look(replace(LATER, colour="rgb(110, 110, 110)"), PARTS)},
    ),
    "white letters where nothing is filled": Case(
        effect("style", words="Later", property="ground", relation="set", value="#c80000"),
        look(PAGE, replace(LATER, inside=0)), look(PAGE, replace(LATER, inside=0, colour=RED)),
        {"a fill behind them": look(PAGE, replace(LATER, inside=0, ground=RED, colour=WHITE))},
    ),
}  # fmt: skip
