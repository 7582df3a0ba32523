"""Tokens that a sheet says are derived from others follow them, by the formula by which they were made."""

import pytest

from loopwright.agents.pages.compliance.cascade.colours import contrast
from loopwright.agents.pages.design.derivations import DerivationError, evaluate, parse_expression, read_derivations
from loopwright.agents.pages.design.impact import impact_lines, measure_impact
from loopwright.agents.pages.design.schemes import SCHEMES
from loopwright.agents.pages.design.tokens import read_design_system
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from tests.agents.pages.studio import SESSION, Studio

BRAND = "--color-brand"
INKS = (("on-brand", "brand"), ("on-brand", "brand-2"), ("on-primary", "primary"), ("on-primary-soft", "primary-soft"))
GROUNDS = ("bg", "surface", "surface-2", "primary-soft")


def changed(css: str, scheme: str = "both", **values: str) -> str:
    """The sheet after a change of these tokens, with all that follows."""
    changes = {f"--color-{name.replace('_', '-')}": value for name, value in values.items()}
    return measure_impact(css, changes, scheme, {})[1]  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["booking", "streaming", "food_and_drink"])
@pytest.mark.parametrize("brand", ["#0A7D5A", "#FFE600", "#111111"])
def test_another_brand_is_as_if_the_sheet_had_been_made_with_it(kind: str, brand: str) -> None:
    css = render_design_system(kind, brand_colors=("#E4002B",))
    after = changed(css, brand=brand)
    made, wanted = read_design_system(after), read_design_system(render_design_system(kind, brand_colors=(brand,)))
    for scheme in SCHEMES:
        colours = {token.name: token.colour(scheme) for token in made.of_kind("colour")}
        assert colours == {token.name: token.colour(scheme) for token in wanted.of_kind("colour")}
        pairs = [*INKS, *((text, ground) for text in ("text", "muted", "primary") for ground in GROUNDS)]
        for text, ground in pairs:
            one, other = colours[f"--color-{text}"], colours[f"--color-{ground}"]
            assert one is not None
            assert other is not None
            assert contrast(one, other) >= 4.5, (text, ground, scheme)
    assert changed(after, brand="#E4002B") == css


def test_a_colour_of_its_own_stays() -> None:
    """A token that somebody has set keeps its value; what is derived from it goes by that value."""
    css = changed(render_design_system("booking", brand_colors=("#E4002B",)), primary_soft="#FFF3B0")
    after = read_design_system(changed(css, brand="#0A7D5A")).tokens
    assert (after["--color-primary-soft"].light, after["--color-primary-soft"].dark) == ("#FFF3B0", "#FFF3B0")
    assert after["--color-on-brand"].light == "#FFFFFF"
    text, ground = after["--color-on-primary-soft"].colour("light"), after["--color-primary-soft"].colour("light")
    assert text is not None
    assert ground is not None
    assert contrast(text, ground) >= 7


def test_what_follows_was_asked_for_too() -> None:
    css = render_design_system("booking", brand_colors=("#E4002B",))
    after = read_design_system(changed(css, brand="#0A7D5A", on_brand="#FFEECC")).tokens
    assert after["--color-on-brand"].light == "#FFEECC"
    assert after["--color-brand-2"].light != read_design_system(css).tokens["--color-brand-2"].light


def test_one_scheme_alone() -> None:
    css = render_design_system("booking", brand_colors=("#E4002B",))
    old, new = read_design_system(css).tokens, read_design_system(changed(css, "dark", brand="#0A7D5A")).tokens
    assert {name: token.light for name, token in new.items()} == {name: token.light for name, token in old.items()}
    assert new["--color-primary"].dark != old["--color-primary"].dark


def test_a_sheet_without_statements_invents_nothing() -> None:
    css = ":root { --brand: #E4002B; --on-brand: #fff; --soft: #FEE0DD }\n.btn { background: var(--brand) }\n"
    impact, after = measure_impact(css, {"--brand": "#0a7d5a"}, "both", {})
    assert after == css.replace("#E4002B", "#0a7d5a")
    assert {change.token for change in impact.changes} == {"--brand"}


@pytest.mark.parametrize(
    "statement",
    [
        "--soft: ink(--soft)",
        "--soft: ink(--nowhere)",
        "--soft: cast(--brand)",
        "--soft: ink(--brand",
        "--soft: toned(0.5, 0.1, --brand)",
        "--soft: readable(--brand)",
        "--soft: readable(--brand, 4.5)",
        "--soft: seen(--brand)",
        "--soft: readable(--brand, --brand, --brand)",
        "--soft: toned(--brand, 0.5, 99999999999999999999)",
        "--soft: 3",
        "--soft: ink(ink(ink(ink(ink(ink(--brand))))))",
        "--soft: url(https://evil.example)",
        "--nowhere: ink(--brand)",
    ],
)
def test_statements_that_make_no_sense_change_nothing(statement: str) -> None:
    css = f":root {{ --brand: #E4002B; --soft: #FFFFFF }}\n/* @derived light\n{statement};\n*/\n"
    assert measure_impact(css, {"--brand": "#ffe600"}, "both", {})[1] == css.replace("#E4002B", "#ffe600")


def test_what_goes_round_in_a_circle_has_no_value() -> None:
    stated = {"--one": parse_expression("ink(--two)"), "--two": parse_expression("ink(--one)")}
    with pytest.raises(DerivationError, match="derived from itself"):
        evaluate(stated, {})


def test_the_statements_of_both_schemes_are_read() -> None:
    stated = read_derivations(render_design_system("booking"))
    assert stated["light"].keys() == stated["dark"].keys()
    assert BRAND not in stated["light"]
    assert read_derivations("/* @derived light\n--a: ink(--b);")["light"] == {}


async def test_the_report_says_what_follows_and_undo_brings_all_back(studio: Studio) -> None:
    css = render_design_system("booking", brand_colors=("#E4002B",))
    (studio.folder / "design-system.css").write_text(css, encoding="utf-8")
    lines = impact_lines(measure_impact(css, {BRAND: "#FFE600"}, "both", {})[0])
    assert lines[0] == "--color-brand: #E4002B → #FFE600 (light and dark)"
    assert any(line.startswith("  --color-on-brand follows --color-brand: #FFFFFF → #1") for line in lines), lines
    made = await studio.call("change_tokens", {"changes": {BRAND: "#FFE600"}})
    assert made.success, made.output
    assert "--color-on-brand follows --color-brand" in made.output
    now = (studio.folder / "design-system.css").read_text(encoding="utf-8")
    target = await studio.stores.design_systems.undo_target(SESSION, on_disk=now)
    record = await studio.stores.design_systems.restore(SESSION, target, on_disk=now)
    assert await studio.stores.design_systems.css(SESSION, record.version) == css
