"""Whether solid and void hang together as designed: pieces, sealed hollows, and that one is the other's complement."""

from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.rays import across
from loopwright.agents.designspec.validity.report import Check
from loopwright.agents.designspec.validity.surface import Shell, Surface
from loopwright.agents.designspec.validity.wording import Place, at, counted

SAME_VOLUME = 1e-6
"""Solid and void together may differ from the body by this share of it."""
CRUMB = 3
"""A piece smaller than this many channels across is a crumb."""


def check_components(measured: Measurements) -> list[Check]:
    """The void's pieces, the solid's, the hollows in it, and the two against each other."""
    return [
        _void_components(measured),
        _solid_components(measured),
        _sealed_cavities(measured),
        _complement(measured),
    ]


def _void_components(measured: Measurements) -> Check:
    name = "void_components"
    if measured.void is None:
        return _nothing(name, "void")
    limit = measured.subject.policies.validity.max_components
    pieces = [shell for shell in measured.void.shells if shell.volume > 0]
    expected = measured.designed.voids
    told = f"{counted(len(pieces), 'connected void')}, {expected} designed"
    problems: list[str] = []
    where: Place | None = None
    subject = "void"
    if len(pieces) != expected:
        problems, where, subject = _void_pieces(measured, pieces, expected)
    if limit is not None and len(pieces) > limit:
        problems.append(f"policies.validity.max_components allows {limit}")
        where = where or pieces[-1].place
    return Check(
        name=name,
        passed=not problems,
        subject=subject,
        message=f"{told}." if not problems else f"{told}: {'; '.join(problems)}.",
        measured=len(pieces),
        required=min(expected, limit) if limit is not None else expected,
        unit="components",
        location=where,
        details={"volumes_m3": [piece.volume for piece in pieces[:50]], "max_components": limit},
    )


def _void_pieces(measured: Measurements, pieces: list[Shell], expected: int) -> tuple[list[str], Place | None, str]:
    if len(pieces) < expected:
        return ["parts that are separate by design have grown together"], None, "void"
    with_lines = shells_with_centre_lines(measured, measured.void)
    crumbs = [piece for piece in pieces if piece.number not in with_lines]
    if crumbs:
        smallest = crumbs[-1]
        what = "detached crumb" if smallest.size < CRUMB * measured.subject.required_diameter else "stray void"
        told = f"{counted(len(crumbs), what)} without a centre line, the smallest {at(smallest.place)}"
        return [f"{told}, {smallest.volume * 1e9:.3g} mm³"], smallest.place, what
    return [f"a channel is cut, a piece of it is {at(pieces[-1].place)}"], pieces[-1].place, "cut channel"


def shells_with_centre_lines(measured: Measurements, surface: Surface | None) -> set[int]:
    """The void's shells in which a centre line runs."""
    lines, scene = measured.lines, measured.void_scene
    if surface is None or scene is None or not len(lines.nodes):
        return {shell.number for shell in surface.shells} if surface is not None else set()
    found: set[int] = set()
    along = lines.ends - lines.starts
    sideways = across(along)
    for share in (0.1, 0.5, 0.9):
        hits = scene.cast(lines.starts + share * along, sideways)
        found.update(surface.shell_of[hits.triangle[hits.leaving]].tolist())
    return found


def _solid_components(measured: Measurements) -> Check:
    name = "domain_with_void_components"
    if measured.solid is None:
        return _nothing(name, "solid")
    pieces = [shell for shell in measured.solid.shells if shell.volume > 0]
    expected = sum(shell.volume > 0 for shell in measured.body.shells)
    passed = len(pieces) == expected
    told = f"{counted(len(pieces), 'piece')} of solid, {expected} designed"
    return Check(
        name=name,
        passed=passed,
        subject="solid",
        message=f"{told}."
        if passed
        else f"{told}: the void cuts off a piece of {abs(pieces[-1].volume) * 1e9:.3g} mm³ {at(pieces[-1].place)}.",
        measured=len(pieces),
        required=expected,
        unit="components",
        location=None if passed else pieces[-1].place,
    )


def _sealed_cavities(measured: Measurements) -> Check:
    name = "sealed_cavities"
    if measured.solid is None:
        return _nothing(name, "solid")
    hollows = [shell for shell in measured.solid.shells if shell.volume < 0]
    expected = measured.designed.cavities
    told = f"{counted(len(hollows), 'sealed cavity', 'sealed cavities')}, {expected} designed"
    if len(hollows) == expected:
        return Check(
            name=name, passed=True, message=f"{told}.", measured=len(hollows), required=expected, unit="cavities"
        )
    where = hollows[-1].place if hollows else None
    largest = f": the smallest is {abs(hollows[-1].volume) * 1e9:.3g} mm³ {at(hollows[-1].place)}" if hollows else ""
    return Check(
        name=name,
        passed=False,
        subject="cavity",
        message=f"{told}{largest}. Nothing can be washed out of a sealed cavity.",
        measured=len(hollows),
        required=expected,
        unit="cavities",
        location=where,
    )


def _complement(measured: Measurements) -> Check:
    name = "void_matches_solid"
    if measured.solid is None or measured.void is None:
        return _nothing(name, "solid and void together")
    body, solid, void = (
        sum(shell.volume for shell in surface.shells) for surface in (measured.body, measured.solid, measured.void)
    )
    passed = abs(body - solid - void) <= SAME_VOLUME * body
    return Check(
        name=name,
        passed=passed,
        subject="void",
        message="The void is what the body lacks."
        if passed
        else f"The body lacks {(body - solid) * 1e9:.6g} mm³, but the void has {void * 1e9:.6g} mm³.",
        measured=body - solid,
        required=void,
        unit="m3",
    )


def _nothing(name: str, what: str) -> Check:
    return Check(name=name, passed=True, skipped=True, message=f"There is no {what} to look at.")
