"""Small changes of a project, and a look at all of them."""

import json

from loopwright.agents.designspec.patches import apply_patch
from loopwright.agents.designspec.project.changing import document_hash
from loopwright.agents.designspec.project.files import ChangeRecord
from loopwright.agents.designspec.project.folder import ProjectFolder


def save_seed(project: ProjectFolder, seed: int, proposal_id: str | None = None) -> ChangeRecord:
    """Save one small change, as the workflow does."""
    stored = project.document()
    operations = [{"op": "replace", "path": "/meta/seed", "value": seed}]
    return project.save(
        apply_patch(stored, operations),
        author="agent",
        operations=operations,
        proposal_id=proposal_id,
        expected_hash=document_hash(stored),
    )


def seed_of(project: ProjectFolder) -> int:
    """What the changes change."""
    seed: int = project.document()["meta"]["seed"]
    return seed


def edit_by_hand(project: ProjectFolder, seed: int) -> None:
    """Change the spec as an editor does: past the folder's back."""
    document = project.document()
    document["meta"]["seed"] = seed
    (project.path / "spec.json").write_text(json.dumps(document), encoding="utf-8")


def chain(project: ProjectFolder) -> list[tuple[str, int]]:
    """The authors and the seeds of all versions, oldest first; each record follows on the one before."""
    records = project.history()[::-1]
    assert [r.old_hash for r in records] == ["", *(r.new_hash for r in records[:-1])]
    assert records[-1].new_hash == document_hash(project.document())
    assert project.damaged_records() == {}
    return [(record.author, project.version(record.new_hash)["meta"]["seed"]) for record in records]


def loose_ends(project: ProjectFolder) -> list[str]:
    """Files that no record accounts for."""
    records = project.history()
    known = {"spec.json", ".lock", *(r.path for r in records), *(r.version_path for r in records)}
    there = {path.relative_to(project.path).as_posix() for path in project.path.rglob("*") if path.is_file()}
    return sorted(there - known)
