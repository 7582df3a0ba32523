"""Composition: the voids of all components as one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from manifold3d import Error, Manifold, OpType

from loopwright.agents.designspec.document.policies import Policies
from loopwright.kernel.errors import InvalidInput


@dataclass(frozen=True)
class Union:
    """The united void, in metres, and what was left out of it."""

    void: Manifold
    notes: tuple[str, ...] = ()


def unite_voids(voids: Mapping[str, Manifold] | Sequence[Manifold], policies: Policies) -> Manifold:
    """The union of the components' voids; `united` also says what was removed.

    Raises:
        InvalidInput: the boolean failed, or nothing is left.
    """
    return united(voids, policies).void


def united(voids: Mapping[str, Manifold] | Sequence[Manifold], policies: Policies) -> Union:
    """The union of the components' voids without crumbs.

    Parts smaller than `composition.min_component_volume` are removed, as are all but the largest part where
    `composition.keep_largest_component` (or `mesh_merge`'s) says so: both are the user's wish, and each is noted.

    Raises:
        InvalidInput: the boolean failed, or nothing is left.
    """
    each = list(voids.values()) if isinstance(voids, Mapping) else list(voids)
    whole = Manifold.batch_boolean(each, OpType.Add)
    if whole.status() != Error.NoError or not whole.num_tri():
        raise InvalidInput(
            f"/composition: the voids of {len(each)} components could not be united ({whole.status().name})."
        )
    composition = policies.composition
    merging = {**policies.mesh_merge.model_dump(), **composition.merge_policy}
    largest_only = composition.keep_largest_component or merging["keep_largest_component"]
    if not largest_only and composition.min_component_volume <= 0:
        return Union(whole)
    parts = sorted(whole.decompose(), key=lambda part: -part.volume())
    kept = [part for part in parts if part.volume() >= composition.min_component_volume]
    notes = []
    if len(kept) < len(parts):
        notes.append(
            f"{len(parts) - len(kept)} parts of the void below {composition.min_component_volume:.3g} m³ were removed."
        )
    if largest_only and len(kept) > 1:
        lost = sum(part.volume() for part in kept[1:]) / sum(part.volume() for part in kept)
        notes.append(
            f"Only the largest of {len(kept)} separate parts of the void was kept, as the policy says:"
            f" {lost:.1%} of the volume is gone."
        )
        kept = kept[:1]
    if not kept:
        raise InvalidInput(
            "Nothing is left of the void.",
            hint="Lower policies.composition.min_component_volume: every part is smaller.",
        )
    if not notes:
        return Union(whole)
    return Union(Manifold.batch_boolean(kept, OpType.Add), tuple(notes))
