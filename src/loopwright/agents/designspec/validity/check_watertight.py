"""Whether solid and void are closed, properly oriented surfaces, also as the single-precision triangles of a file."""

import numpy as np
from manifold3d import Error, Manifold
from numpy.typing import NDArray

from loopwright.agents.designspec.document.spec import METRES, Units
from loopwright.agents.designspec.export.printable import WELD, NotPrintable, printable
from loopwright.agents.designspec.network.network import Floats, Ints
from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check
from loopwright.agents.designspec.validity.surface import Surface
from loopwright.agents.designspec.validity.wording import at, counted, place


def check_watertight(measured: Measurements) -> list[Check]:
    """One check for the solid and one for the void; where nothing was carved, the domain is the product."""
    subject = measured.subject
    units = subject.policies.output.output_units
    if subject.solid is None and subject.void is None:
        return [_check("domain_watertight", "domain", subject.body, measured.body, units)]
    return [
        _check("domain_with_void_watertight", "solid", subject.solid, measured.solid, units),
        _check("void_watertight", "void", subject.void, measured.void, units),
    ]


def _check(name: str, what: str, manifold: Manifold | None, surface: Surface | None, units: Units) -> Check:
    if manifold is None:
        return Check(name=name, passed=True, skipped=True, subject=what, message=f"There is no {what} to look at.")
    if manifold.status() != Error.NoError:
        return Check(
            name=name,
            passed=False,
            subject=what,
            message=f"The {what} is no closed surface: {manifold.status().name}.",
            measured=manifold.status().name,
            required="NoError",
        )
    if surface is None:
        return Check(name=name, passed=False, subject=what, message=f"The {what} is empty.", measured=0, required="> 0")
    faults, where, details = surface_faults(surface, 1 / METRES[units])
    if faults:
        try:
            details["simplified_by_m"] = printable(manifold, units).tolerance
            faults, where = [], None
        except NotPrintable:
            details["simplified_by_m"] = None
    volume = float(sum(shell.volume for shell in surface.shells))
    details["volume_m3"] = volume
    if volume <= 0:
        faults.append("its triangles are turned inside out")
    told = counted(len(surface.triangles), "triangle")
    return Check(
        name=name,
        passed=not faults,
        subject=what,
        message=f"The {what} is closed: {told}."
        if not faults
        else f"The {what} is not closed ({told}): {'; '.join(faults)}{' ' + at(where) if where is not None else ''}.",
        measured=len(faults) and int((details["open_edges"] or 0) + (details["crossing_edges"] or 0)),
        required=0,
        unit="edges",
        location=place(where) if where is not None else None,
        details=details,
    )


def surface_faults(surface: Surface, scale: float) -> tuple[list[str], Floats | None, dict[str, float | None]]:
    """What is wrong with a surface once its numbers are rounded to single precision in the units of the files.

    Vertices that become equal are one, as readers of files take them, and triangles that collapse thereby vanish. (In
    double precision a manifold is closed by construction; its status tells.) Export simplifies a surface until none of
    this is left; where that fails, the fault stands.

    Returns:
        The faults in words, a place of the first of them in metres, and counts for the report.
    """
    names = same_points((surface.vertices * scale).astype(np.float32))
    merged = names[surface.triangles]
    first, second, third = merged.T
    standing = (first != second) & (second != third) & (third != first)
    loose, crossing = edge_faults(merged[standing])
    faults = []
    if len(loose):
        faults.append(f"{counted(len(loose), 'edge')} without a partner in single precision")
    if len(crossing):
        faults.append(f"{counted(len(crossing), 'edge')} with more than two triangles in single precision")
    bad = [*loose, *crossing]
    where = surface.vertices[int(np.flatnonzero(names == bad[0])[0])] if bad else None
    return (
        faults,
        where,
        {
            "triangles": len(surface.triangles),
            "open_edges": len(loose),
            "crossing_edges": len(crossing),
            "collapsed_in_single_precision": int((~standing).sum()),
            "without_area": int((surface.areas <= 0).sum()),
        },
    )


def same_points(points: NDArray[np.float32]) -> Ints:
    """(n,): a number for each of the (n, 3) points, the same for those that readers of files take for one."""
    x, y, z = np.round(points.astype(np.float64) / WELD).T
    order = np.lexsort((z, y, x))
    new = np.zeros(len(points), dtype=bool)
    new[:1] = True
    for values in (x[order], y[order], z[order]):
        new[1:] |= values[1:] != values[:-1]
    names = np.empty(len(points), dtype=np.int64)
    names[order] = np.cumsum(new) - 1
    return names


def edge_faults(triangles: Ints) -> tuple[Ints, Ints]:
    """A vertex of each edge that lacks its partner in the other direction, and of each that has several."""
    if not len(triangles):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    begin, end = triangles.reshape(-1), np.roll(triangles, -1, axis=1).reshape(-1)
    size = int(triangles.max()) + 1
    halves = np.sort((np.minimum(begin, end) * size + np.maximum(begin, end)) * 2 + (begin > end))
    edges = halves[::2] // 2
    paired = len(halves) % 2 == 0 and bool(np.all((halves[::2] ^ 1) == halves[1::2]))
    if paired and np.all(edges[1:] != edges[:-1]):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    every, place, counts = np.unique(halves // 2, return_inverse=True, return_counts=True)
    back = np.bincount(place, weights=halves % 2, minlength=len(every))
    return every[2 * back != counts] // size, every[(counts > 2) & (2 * back == counts)] // size
