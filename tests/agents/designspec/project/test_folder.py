import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.designspec.patches import apply_patch
from loopwright.agents.designspec.project.changing import document_hash
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from tests.agents.designspec.project.changes import chain, edit_by_hand, loose_ends, save_seed, seed_of


def test_a_new_project(tmp_path: Path) -> None:
    project = ProjectFolder.create_or_open(tmp_path / "liver", "liver")
    assert project.document()["meta"] == {
        "name": "liver",
        "description": "",
        "seed": 42,
        "input_units": "m",
        "tags": [],
    }
    folders = {path.name for path in project.path.iterdir() if path.is_dir()}
    assert folders == {"spec_history", "patches", "reports", "artifacts", "logs"}
    assert chain(project) == [("create", 42)]
    again = ProjectFolder.create_or_open(tmp_path / "liver", "another name")
    assert again.document() == project.document()
    assert chain(again) == [("create", 42)]
    unnamed = ProjectFolder.create_or_open(tmp_path / "heart")
    assert unnamed.document()["meta"]["name"] == "heart", "it is called as its folder"


def test_a_saved_change_has_its_record_and_its_version(tmp_path: Path) -> None:
    project = ProjectFolder.create_or_open(tmp_path, "liver")
    before = document_hash(project.document())
    record = save_seed(project, 7, "p1")
    stored = json.loads((project.path / record.path).read_text(encoding="utf-8"))
    assert stored["author"] == "agent"
    assert stored["proposal_id"] == "p1"
    assert stored["patches"] == [{"op": "replace", "path": "/meta/seed", "value": 7}]
    assert stored["inverse"] == [{"op": "replace", "path": "/meta/seed", "value": 42}]
    assert [stored["old_hash"], stored["new_hash"]] == [before, document_hash(project.document())]
    assert json.loads((project.path / record.version_path).read_text(encoding="utf-8")) == project.document()
    assert loose_ends(project) == []


def test_a_save_on_a_document_that_has_moved_is_refused(tmp_path: Path) -> None:
    project = ProjectFolder.create_or_open(tmp_path, "liver")
    stale = project.document()
    save_seed(project, 7)
    operations = [{"op": "replace", "path": "/meta/seed", "value": 8}]
    with pytest.raises(Conflict, match="The spec has changed since"):
        project.save(
            apply_patch(stale, operations),
            author="agent",
            operations=operations,
            proposal_id="late",
            expected_hash=document_hash(stale),
        )
    assert chain(project) == [("create", 42), ("agent", 7)]


def test_a_save_is_done_once_for_each_proposal(tmp_path: Path) -> None:
    project = ProjectFolder.create_or_open(tmp_path, "liver")
    first = save_seed(project, 7, "p1")
    assert save_seed(project, 9, "p1") == first
    assert save_seed(ProjectFolder.open(tmp_path), 9, "p1") == first
    assert chain(project) == [("create", 42), ("agent", 7)]


def test_operations_must_lead_to_the_document(tmp_path: Path) -> None:
    project = ProjectFolder.create_or_open(tmp_path, "liver")
    stored = project.document()
    operations = [{"op": "replace", "path": "/meta/seed", "value": 8}]
    with pytest.raises(InvalidInput, match="do not lead"):
        project.save(
            stored, author="agent", operations=operations, proposal_id=None, expected_hash=document_hash(stored)
        )
    assert chain(project) == [("create", 42)]


def test_undo_goes_further_back_and_redo_comes_forward(tmp_path: Path) -> None:
    project = ProjectFolder.create_or_open(tmp_path, "liver")
    for seed in (1, 2, 3):
        save_seed(project, seed)
    text = (tmp_path / "spec.json").read_text(encoding="utf-8")
    seen = []
    for act in (project.undo, project.undo, project.redo, project.undo, project.undo, project.redo, project.redo):
        act()
        seen.append(seed_of(project))
    assert seen == [2, 1, 2, 1, 42, 1, 2]
    with pytest.raises(Conflict, match="nothing to undo"):
        [project.undo() for _ in range(9)]
    assert seed_of(project) == 42
    [project.redo() for _ in range(3)]
    assert (tmp_path / "spec.json").read_text(encoding="utf-8") == text
    project.undo()
    save_seed(project, 9)
    with pytest.raises(Conflict, match="nothing to redo"):
        project.redo()
    project.undo()
    project.undo()
    assert seed_of(project) == 1
    assert len(project.history()) == len(chain(project)) == 20


def test_an_edit_by_hand_is_kept_as_a_version(tmp_path: Path) -> None:
    project = ProjectFolder.create_or_open(tmp_path, "liver")
    before = document_hash(project.document())
    edit_by_hand(project, 5)
    record = project.refresh()
    assert record is not None
    assert record.patches == [{"op": "replace", "path": "/meta/seed", "value": 5}]
    assert project.refresh() is None
    edit_by_hand(project, 6)
    with pytest.raises(Conflict):
        project.save({}, author="agent", operations=[], proposal_id=None, expected_hash=before)
    edit_by_hand(project, 7)
    ProjectFolder.open(tmp_path)
    edit_by_hand(project, 42)  # back to what it was: an edit too
    project.undo()
    assert chain(project) == [("create", 42), ("hand", 5), ("hand", 6), ("hand", 7), ("hand", 42), ("undo", 7)]


def test_a_found_spec_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text('{"meta": {"seed": 3}}', encoding="utf-8")
    project = ProjectFolder.create_or_open(tmp_path, "liver")
    assert (tmp_path / "spec.json").read_text(encoding="utf-8") == '{"meta": {"seed": 3}}'
    assert chain(project) == [("create", 3)]


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"a": 1, "a": 2}', '{"a": NaN}', '{"a": 1e999}', "[]", "[" * 100_000, '{"a": ' + "9" * 5_000 + "}"],
)
def test_an_edit_that_cannot_be_read_is_never_overwritten(tmp_path: Path, text: str) -> None:
    project = ProjectFolder.create_or_open(tmp_path, "liver")
    save_seed(project, 7)
    spec = tmp_path / "spec.json"
    spec.write_text(text, encoding="utf-8")
    for act in (project.refresh, project.undo, project.document, lambda: ProjectFolder.open(tmp_path)):
        with pytest.raises(InvalidInput, match=r"^spec\.json"):
            act()
    assert spec.read_text(encoding="utf-8") == text
    aside = ProjectFolder(tmp_path).restore()
    assert (tmp_path / aside).read_text(encoding="utf-8") == text
    assert seed_of(project) == 7
    with pytest.raises(Conflict, match="can be read"):
        project.restore()


def test_a_spec_that_was_removed_comes_back(tmp_path: Path) -> None:
    project = ProjectFolder.create_or_open(tmp_path, "liver")
    save_seed(project, 7)
    (tmp_path / "spec.json").unlink()
    assert seed_of(ProjectFolder.open(tmp_path)) == 7


def test_what_is_no_project(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no project"):
        ProjectFolder.open(tmp_path / "nowhere")
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(InvalidInput, match="cannot be a project folder"):
        ProjectFolder.create_or_open(file)


def test_a_spec_whose_indents_are_too_much_can_be_opened_again(tmp_path: Path) -> None:
    project = ProjectFolder.create_or_open(tmp_path, "liver")
    deep: list[Any] = [0] * 20_000
    for _ in range(55):
        deep = [deep]
    operations = [{"op": "add", "path": "/features", "value": {"deep": deep}}]
    document = apply_patch(project.document(), operations)
    project.save(document, author="user", operations=operations)
    assert ProjectFolder.open(tmp_path).document() == document
    project.undo()
    assert chain(project)[-1] == ("undo", 42)


def test_a_spec_that_could_not_be_opened_again_is_not_written(tmp_path: Path) -> None:
    project = ProjectFolder.create_or_open(tmp_path, "liver")
    operations = [{"op": "add", "path": "/features", "value": {"points": [0] * 250_000}}]
    document = apply_patch(project.document(), operations)
    with pytest.raises(InvalidInput, match=r"The new spec\.json"):
        project.save(document, author="user", operations=operations)
    assert chain(project) == [("create", 42)]
    assert loose_ends(project) == []
