"""Looks at meshes with tools that share no code with the pipeline."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import trimesh


def read_mesh(path: Path) -> trimesh.Trimesh:
    """The mesh of a file, its corners joined."""
    mesh = trimesh.load(path, force="mesh", process=True)
    assert isinstance(mesh, trimesh.Trimesh)
    return mesh


def assert_printable(path: Path, *, bodies: int | None = 1) -> trimesh.Trimesh:
    """A closed, outward surface in as many bodies as expected, as trimesh sees it."""
    mesh = read_mesh(path)
    assert mesh.is_watertight, f"{path.name} is not watertight"
    assert mesh.is_winding_consistent
    assert mesh.volume > 0
    if bodies is not None:
        assert mesh.body_count == bodies
    return mesh


def genus_of(mesh: trimesh.Trimesh) -> int:
    """The genus of a closed surface: χ = 2·bodies − 2·genus."""
    return int(mesh.body_count - mesh.euler_number // 2)


def assert_clean_for_admesh(path: Path) -> None:
    """Debian's admesh finds nothing to repair."""
    if shutil.which("admesh") is None:
        pytest.skip("admesh is not installed")
    # admesh prints the header of a binary file as it is in memory, so what it prints need not be UTF-8.
    answer = subprocess.run(["admesh", str(path)], capture_output=True, check=True, timeout=120)
    shown = answer.stdout.decode("utf-8", errors="replace")
    repairs = {
        name: int(count)
        for name, count in re.findall(
            r"(Total disconnected facets|Degenerate facets|Facets removed|Facets added)\s*:\s*(\d+)", shown
        )
    }
    assert len(repairs) >= 3, shown
    assert not any(repairs.values()), repairs
