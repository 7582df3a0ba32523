"""What a person sees of a designspec run on the terminal."""

from tests.agents.designspec.commands.test_designspec_command import written


def test_each_stage_is_told_with_its_time_and_what_was_unchanged(loopwright_command, tmp_path):
    path = str(written(tmp_path))
    first = loopwright_command("designspec", "run", path, "--out", "part", "--run-until", "union_voids")
    assert "✓ component_mesh:channel" in first.err
    assert "unchanged" not in first.err
    assert "The run succeeded" in first.out
    again = loopwright_command("designspec", "run", path, "--out", "part", "--run-until", "union_voids")
    assert "unchanged" in again.err
    wrong = written(tmp_path, "wrong.json", **{"components/0/ports/inlets/0/radius": 40})
    failed = loopwright_command("designspec", "run", str(wrong), "--out", "other", code=4)
    assert "✗ compile_policies" in failed.err
    assert "/components/0/ports/inlets/0" in failed.out


def test_an_approval_shows_the_change_what_runs_again_and_the_way_to_answer(loopwright_command, tmp_path):
    waiting = loopwright_command(
        "designspec", "-p", "part", "-m", "Create a box domain 20x60x30mm", "--legacy-agent", code=3
    )
    assert "Add domains" in waiting.out
    assert "--approve" in waiting.out
    assert "--reject" in waiting.out
