"""The geometry files of a run."""

import hashlib
import shutil
from pathlib import Path

import numpy as np
from manifold3d import Manifold

from loopwright.agents.designspec.document.policies.results import OutputPolicy
from loopwright.agents.designspec.export.meshes import write_mesh
from loopwright.agents.designspec.export.networks import write_graphml, write_network_json
from loopwright.agents.designspec.network.network import Network

ALL_FORMATS = ("solid",)
"""Bodies that are written in every format; the others as STL only."""
ONLY_WHEN_KEPT = ("domain", "union")
"""Bodies on the way to the result, written by themselves only with `save_intermediates`."""


class ArtifactWriter:
    """Writes meshes and networks into a run's folder, and keeps the list of what each file is.

    The names are those of `naming.output_names` or fixed ones, so that they lie within the folder.
    """

    def __init__(self, run_dir: Path, policy: OutputPolicy) -> None:
        """Write below `run_dir`, in the policy's units and formats."""
        self.run_dir, self.policy, self.units = run_dir, policy, policy.output_units
        self.artifacts: dict[str, str] = {}
        self.warnings: list[str] = []
        self._files: dict[tuple[str, str], Path] = {}

    def usual_mesh(self, kind: str, body: Manifold) -> None:
        """Write a body under the usual name, in the formats that the policy wants."""
        if kind in ONLY_WHEN_KEPT and not self.policy.save_intermediates:
            return
        wanted = {"stl": self.policy.output_stl, "3mf": self.policy.output_3mf, "glb": self.policy.output_glb}
        for suffix, switch in wanted.items():
            if switch and (suffix == "stl" or kind in ALL_FORMATS):
                self.mesh(f"{kind}_{suffix}", body, f"{kind}.{suffix}")

    def mesh(self, label: str, body: Manifold, name: str) -> None:
        """Write a body under a name; one that is written already in this format is copied."""
        path = self.run_dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        same = (_content(body), path.suffix.lower())
        if same in self._files and self._files[same] != path:
            shutil.copyfile(self._files[same], path)
        elif same not in self._files:
            written = write_mesh(body, path, self.units)
            if written.tolerance:
                self.warnings.append(
                    f"{name} was simplified by {written.tolerance:.2g} m: in {written.units} a file of single "
                    "precision holds no finer edges."
                )
            self._files[same] = path
        self.artifacts[label] = name

    def network(self, kind: str, network: Network, name: str, component: str) -> None:
        """Write a network: as the name's ending says, or in all formats that the policy wants where it has none."""
        wanted = {".json": self.policy.output_json, ".graphml": self.policy.output_graphml}
        suffixes = [""] if name.endswith(tuple(wanted)) else [suffix for suffix, switch in wanted.items() if switch]
        for suffix in suffixes:
            path = self.run_dir / (name + suffix)
            path.parent.mkdir(parents=True, exist_ok=True)
            same = (component, path.suffix)
            if same in self._files and self._files[same] != path:
                shutil.copyfile(self._files[same], path)
            elif path.suffix == ".graphml":
                write_graphml(network, path, self.units)
            else:
                write_network_json(network, path, self.units, metadata={"component": component})
            self._files[same] = path
            extra = "_graphml" if suffix == ".graphml" else ""
            self.artifacts[f"{kind}{extra}:{component}"] = name + suffix


def _content(body: Manifold) -> str:
    """What tells equal bodies from others: a design of one component has its void several times."""
    mesh = body.to_mesh64()
    digest = hashlib.sha256(np.asarray(mesh.vert_properties).tobytes())
    digest.update(np.asarray(mesh.tri_verts).tobytes())
    return digest.hexdigest()
