"""A picture of the design, drawn without a window."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyvista
from manifold3d import Manifold
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from loopwright.agents.designspec.geometry.probe import MeshProbe
from loopwright.agents.designspec.network import Floats, Ints, Network
from loopwright.kernel.errors import Misconfigured

Canvas = Any
"""A pyvista.Plotter, whose decorated methods have types that no caller can satisfy."""
SIZE = (1200, 900)
GROUND, BODY, EDGES = "#f7f8fa", "#9fb3c8", "#52667a"
VESSELS = {"arterial": "#c8352b", "venous": "#2b5fc8"}
VOID = "#c8352b"
SHARP = 30.0
"""Degrees between two faces above which their edge is drawn."""
VIEW = (1.0, -1.55, 0.95)
"""From where the picture is taken: right, in front, above."""
DISTANCE = 2.2
"""Diagonals of the bounds between the eye and the middle."""
FILLED = 0.9
"""Share of the picture that the bounds fill."""
MOST_SMOOTHED = 400_000
"""Triangles up to which faces are shaded smoothly, which costs seconds above."""
ON_WALL = 1e-6
"""Share of the size within which a face counts as lying on the void's wall."""


def write_preview(
    path: Path,
    solid: Manifold | None,
    void: Manifold | None,
    networks: Sequence[Network] = (),
    *,
    size: tuple[int, int] = SIZE,
) -> None:
    """Write a PNG: the body like glass, its sharp edges, and the void in colour.

    Args:
        path: where to.
        solid: the body, carved or not, in metres.
        void: what was carved out of it.
        networks: where given, the void is coloured by the kind of the nearest vessel.
        size: pixels across and down.

    Raises:
        Misconfigured: this machine can draw nothing.
    """
    if solid is None and void is None:
        raise ValueError("there is nothing to draw")
    with pyvista.vtk_verbosity("off"):
        plotter: Canvas = pyvista.Plotter(off_screen=True, window_size=list(size), lighting="three lights")
        try:
            if not plotter.render_window.SupportsOpenGL():
                raise Misconfigured(
                    "No preview can be drawn: there is no OpenGL here, neither EGL nor OSMesa.",
                    hint="Install libegl1 or libosmesa6, or set policies.output.output_png to false.",
                )
            _compose(plotter, solid, void, networks)
            picture = np.asarray(plotter.screenshot(None, return_img=True))
            if picture.min() == picture.max():
                raise Misconfigured("No preview can be drawn: the renderer gives an empty picture.")
            path.parent.mkdir(parents=True, exist_ok=True)
            plotter.screenshot(str(path))
        finally:
            plotter.close()


def _compose(plotter: Canvas, solid: Manifold | None, void: Manifold | None, networks: Sequence[Network]) -> None:
    plotter.set_background(GROUND)
    plotter.enable_anti_aliasing("ssaa")
    if void is not None and not void.is_empty():
        surface = _surface(void)
        surface.point_data["colour"] = _colours(np.asarray(surface.points), networks)
        smooth = surface.n_cells <= MOST_SMOOTHED
        plotter.add_mesh(
            surface,
            scalars="colour",
            rgb=True,
            smooth_shading=smooth,
            split_sharp_edges=smooth,
            specular=0.35,
            ambient=0.2,
        )
    if solid is not None and not solid.is_empty():
        surface = _surface(solid)
        outside = _outside(surface, void)
        plotter.add_mesh(outside, color=BODY, opacity=0.22, smooth_shading=True, split_sharp_edges=True, specular=0.2)
        edges = outside.extract_feature_edges(SHARP, boundary_edges=False, non_manifold_edges=False)
        if edges.n_points:
            plotter.add_mesh(edges, color=EDGES, line_width=2, opacity=0.7)
    plotter.enable_depth_peeling(8)
    plotter.show_axes()
    _aim(plotter)


def _aim(plotter: Canvas) -> None:
    """Take the picture from the usual side, with the bounds of what is drawn filling it."""
    bounds = np.array(plotter.bounds).reshape(3, 2).T
    middle, reach = bounds.mean(axis=0), float(np.linalg.norm(bounds[1] - bounds[0]))
    forward = -np.array(VIEW) / np.linalg.norm(VIEW)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    place = middle - DISTANCE * reach * forward
    corners = bounds[[0, 1]][np.indices((2, 2, 2)).reshape(3, -1).T, [0, 1, 2]] - place
    away = corners @ forward
    across, over = corners @ right / away, corners @ np.cross(right, forward) / away
    # What is nearer to the eye lies lower in the picture: aiming at the middle of both fills the frame evenly.
    shift = np.array([across.max() + across.min(), over.max() + over.min()]) / 2
    half = max(float(np.ptp(over)), float(np.ptp(across)) * plotter.window_size[1] / plotter.window_size[0]) / 2
    aim = forward + shift[0] * right + shift[1] * np.cross(right, forward)
    plotter.camera_position = [tuple(place), tuple(place + DISTANCE * reach * aim), (0.0, 0.0, 1.0)]
    plotter.camera.view_angle = 2 * np.degrees(np.arctan(half / FILLED))
    plotter.reset_camera_clipping_range()


def _surface(body: Manifold) -> pyvista.PolyData:
    mesh = body.to_mesh64()
    return _poly_data(np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts).astype(np.int64))


def _outside(solid: pyvista.PolyData, void: Manifold | None) -> pyvista.PolyData:
    """The faces of the solid that are not the walls of the void, which are drawn as the void already.

    Most walls are the void's own faces, turned. For the few that the boolean has cut otherwise, the distance decides.
    """
    if void is None or void.is_empty():
        return solid
    points, faces = np.asarray(solid.points, dtype=np.float64), np.asarray(solid.regular_faces)
    mesh = void.to_mesh64()
    walls = np.asarray(mesh.tri_verts).astype(np.int64) + len(points)
    number = _place_numbers(np.concatenate([points, np.asarray(mesh.vert_properties)[:, :3]]))
    own, others = _face_keys(number[faces]), _face_keys(number[walls])
    same = np.isin(own, others, kind="sort")
    suspects = np.flatnonzero(np.isin(number[faces], number[walls], kind="sort").all(axis=1) & ~same)
    middles = points[faces[suspects]].mean(axis=1)
    same[suspects] = np.abs(MeshProbe(void).depth(middles)) < ON_WALL * solid.length
    return _poly_data(points, faces[~same])


def _place_numbers(points: Floats) -> Ints:
    """(n,): equal numbers for equal points."""
    order = np.lexsort(points.T)
    fresh = np.ones(len(points), dtype=np.int64)
    fresh[1:] = (points[order[1:]] != points[order[:-1]]).any(axis=1)
    number = np.empty(len(points), dtype=np.int64)
    number[order] = np.cumsum(fresh) - 1
    return number


def _face_keys(corners: Ints) -> Ints:
    """(m,): one number for each set of three places, of which there are less than two millions."""
    low, middle, high = np.sort(corners, axis=1).T
    return np.asarray((low << 42) + (middle << 21) + high)


def _poly_data(points: Floats, faces: Ints) -> pyvista.PolyData:
    cells = np.column_stack([np.full(len(faces), 3), faces]).ravel()
    return pyvista.PolyData(np.array(points), cells)


def _colours(points: Floats, networks: Sequence[Network]) -> NDArray[np.uint8]:
    """(n, 3): the colour of each corner of the void."""
    filled = [network for network in networks if len(network.positions)]
    rgb = {kind: np.array(pyvista.Color(colour).int_rgb, dtype=np.uint8) for kind, colour in VESSELS.items()}
    plain = np.array(pyvista.Color(VOID).int_rgb, dtype=np.uint8)
    if not filled:
        return np.tile(plain, (len(points), 1))
    places = np.concatenate([network.positions for network in filled])
    kinds = [kind for network in filled for kind in network.vessel_types]
    palette = np.array([rgb.get(kind, plain) for kind in kinds])
    return np.asarray(palette[cKDTree(places).query(points)[1]])
