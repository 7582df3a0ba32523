"""Configs: they extend each other, old ones are read, and what is wrong is told with its place."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.jobs.configs import config_schema, examine_config, load_config, merged, shipped_names
from loopwright.agents.jobs.contracts import JobConfig
from loopwright.agents.jobs.tools import STRATEGIC, TACTICAL, WORKSPACE
from loopwright.kernel.errors import InvalidInput, NotFound

SHIPPED = Path(__file__).parents[4] / "src" / "loopwright" / "agents" / "jobs" / "configs"
OLD = Path(__file__).parents[5] / "shared" / "data" / "gobd" / "configs"


def write(path: Path, data: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def written_tools(name: str) -> list[list[str]]:
    """The tools as the files have them."""
    defaults = json.loads((SHIPPED / "defaults.json").read_text("utf-8"))["tools"]
    if name == "defaults":
        return list(defaults.values())
    return list({**defaults, **json.loads((SHIPPED / name / "config.json").read_text("utf-8"))["tools"]}.values())


@pytest.mark.parametrize("name", ["defaults", *shipped_names()])
@pytest.mark.parametrize("language", ["en", "de"])
def test_what_ships_is_whole(name: str, language: str) -> None:
    """No warning, all the tools of planning, instructions in both languages that fit their share of the prompt."""
    report = examine_config(name, language=language)
    assert report.issues == []
    config = report.config
    assert config is not None
    named = {tool for names in config.tools.model_dump().values() for tool in names}
    assert named >= WORKSPACE | STRATEGIC | TACTICAL
    assert named == {tool for names in written_tools(name) for tool in names}, "no tool of a shipped config is unknown"
    assert "Phase 1" in config.instructions
    assert ("Aufgabe" in config.instructions) == (language == "de")
    assert len(config.instructions) < config.limits.pinned_tokens * 3
    assert JobConfig.model_validate(config.model_dump(mode="json")) == config


def test_creator_and_validator_ship() -> None:
    assert shipped_names() == ("creator", "validator")
    assert load_config("creator").document_processing.chunking_strategy == "legal"
    assert "next_requirements" in load_config("validator").tools.domain


def test_children_change_their_parents(tmp_path: Path) -> None:
    """Mappings merge, lists replace, null takes away; the nearest instructions win."""
    write(tmp_path / "base.json", {"$extends": "creator", "validation": {"batch_size": 7, "require_citations": False}})
    child = {
        "$extends": "base",
        "job_type": "narrow",
        "tools": {"domain": ["web_search"]},
        "validation": {"require_citations": None},
        "phase_settings": {"min_todos": 2, "reason": "a small job"},
    }
    config = load_config(write(tmp_path / "child.json", child))
    assert (config.job_type, config.display_name) == ("narrow", "Creator")
    assert config.tools.domain == ["web_search"]
    assert (config.validation.batch_size, config.validation.require_citations) == (7, True)
    assert (config.phase_settings.min_todos, config.phase_settings.max_todos) == (2, 20)
    assert config.instructions == load_config("creator").instructions
    write(tmp_path / "instructions.md", "Do this.")
    assert load_config(tmp_path / "child.json").instructions == "Do this."
    write(tmp_path / "instructions.de.md", "Tu dies.")
    assert load_config(tmp_path / "child.json", language="de").instructions == "Tu dies."


def test_a_folder_is_a_config(tmp_path: Path) -> None:
    write(tmp_path / "mine" / "config.json", {"job_type": "mine"})
    config = load_config(tmp_path / "mine")
    assert config.job_type == "mine"
    assert "todo_write" in config.tools.strategic, "a config that extends nothing stands on the defaults"


def test_extending_nothing_takes_nothing(tmp_path: Path) -> None:
    """Then the tools without which no job ends are missing, and that is said."""
    report = examine_config(write(tmp_path / "a.json", {"$extends": None, "job_type": "bare"}))
    assert [issue.pointer for issue in report.errors] == ["/tools/strategic", "/tools/strategic"]
    bare = {"$extends": None, "job_type": "bare", "tools": {"strategic": ["todo_write", "job_complete"]}}
    assert load_config(write(tmp_path / "b.json", bare)).tools.workspace == []


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("{", "not valid JSON"),
        ("[]", "must hold a JSON object"),
        ('{"job_type": "a", "job_type": "b"}', "stands twice"),
        ('{"job_type": "a", "limits": {"wall_seconds": NaN}}', "not a JSON number"),
        ("[" * 100_000, "not valid JSON"),
        (" " * 1_000_001, "larger than"),
        ({"$extends": 5}, "/$extends: it must be the name"),
        ({"$extends": "../outside"}, "outside the config's own folder"),
        ({"$extends": "/etc/passwd"}, "outside the config's own folder"),
        ({"$extends": "a\0b"}, "/$extends"),
        ({"$extends": "crator"}, "there is no config 'crator'"),
        ({"$extends": "config.json"}, "in a ring: config.json"),
        ({"job_type": ""}, "config.json: /job_type: String should have at least 1 character"),
        ({"phase_settings": {"min_todos": 3}}, "config.json: /phase_settings: Value error, min_todos below 5"),
        (
            {"phase_settings": {"max_todos": "20"}},
            "config.json: /phase_settings/max_todos: Input should be a valid int",
        ),
        ({"todo": {"max_items": 0}}, "config.json: /todo/max_items: Input should be greater"),
        ({"language": "fr"}, "config.json: /language: Input should be 'en' or 'de'"),
        ({"tools": {"domain": [1]}}, "config.json: /tools/domain/0: Input should be a valid string"),
        ({"tools": []}, "config.json: /tools: Input should be"),
        ({"tools": {"strategic": ["todo_write"]}}, "config.json: /tools/strategic: it lacks job_complete"),
        (
            {"workspace": {"instructions_template": "../secret.md"}},
            "instructions_template: '../secret.md' lies outside",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(data: Any, told: str, tmp_path: Path) -> None:
    write(tmp_path / "outside.json", {"job_type": "outside"})
    write(tmp_path / "secret.md", "secret")
    path = write(tmp_path / "jobs" / "config.json", data)
    with pytest.raises(InvalidInput) as refused:
        load_config(path.rename(tmp_path / "jobs" / "config.json"))
    assert told in refused.value.message.replace("jobs/config.json", "config.json")


def test_links_do_not_lead_out(tmp_path: Path) -> None:
    write(tmp_path / "outside.json", {"job_type": "outside"})
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "link.json").symlink_to(tmp_path / "outside.json")
    with pytest.raises(InvalidInput, match="outside"):
        load_config(write(tmp_path / "jobs" / "a.json", {"$extends": "link"}))
    (tmp_path / "jobs" / "instructions.md").symlink_to(tmp_path / "outside.json")
    with pytest.raises(InvalidInput, match="leaves"):
        load_config(write(tmp_path / "jobs" / "b.json", {}))


def test_rings_and_towers_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.json", {"$extends": "b"})
    write(tmp_path / "b.json", {"$extends": "a"})
    with pytest.raises(InvalidInput, match=r"a\.json → b\.json → a\.json"):
        load_config(tmp_path / "a.json")
    for number in range(12):
        write(tmp_path / f"t{number}.json", {"$extends": f"t{number + 1}"})
    with pytest.raises(InvalidInput, match="more than 10"):
        load_config(tmp_path / "t0.json")


def test_unknown_names_get_a_guess(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as unknown:
        load_config("validater")
    assert "Did you mean 'validator'?" in unknown.value.hint
    slip = {
        "phase_setings": {"min_todos": 9},
        "tools": {"domain": ["web_serch", "archive_and_reset"]},
        "mine": 1,
        "llm": {"model": "x", "temperature": 0},
    }
    report = examine_config(write(tmp_path / "slip.json", slip))
    assert report.config is not None
    said = {issue.pointer: (issue.message, issue.hint) for issue in report.issues}
    assert said["/phase_setings"] == ("nothing reads this field.", "Did you mean 'phase_settings'?")
    assert said["/tools/domain/1"] == ("archive_and_reset is now done by todo_complete.", "")
    assert "only `model` counts" in said["/llm/temperature"][1]
    assert "/llm/model" not in said
    assert "/mine" not in said
    assert report.config.model_extra is not None
    assert report.config.model_extra["mine"] == 1
    assert report.config.tools.domain == ["todo_complete"]
    with pytest.raises(InvalidInput, match="no language"):
        load_config("creator", language="fr")


def test_old_fields_are_read(tmp_path: Path) -> None:
    """Written as earlier configs were."""
    old = {
        "agent_id": "collector",
        "todo": {"max_items": 12, "archive_on_reset": False},
        "tools": {"todo": ["todo_write", "todo_complete"], "completion": ["mark_complete"], "domain": []},
        "polling": {"table": "requirements", "interval_seconds": 10},
        "connections": {"neo4j": True},
    }
    report = examine_config(write(tmp_path / "old.json", old))
    config = report.config
    assert config is not None
    assert config.job_type == "collector"
    assert (config.phase_settings.max_todos, config.phase_settings.archive_on_transition) == (12, False)
    assert config.tools.strategic == ["todo_write", "job_complete"]
    assert config.tools.tactical == ["todo_complete"]
    assert "next_requirements" in config.tools.domain
    assert config.connections == {"neo4j": True}
    assert config.model_extra is not None
    assert config.model_extra["polling"]["interval_seconds"] == 10
    assert [issue.message for issue in report.issues] == ["mark_complete is now done by job_complete."]


@pytest.mark.skipif(not OLD.is_dir(), reason=f"{OLD} is not there")
@pytest.mark.parametrize("name", ["creator", "validator"])
def test_the_real_old_configs_are_accepted_unchanged(name: str) -> None:
    report = examine_config(OLD / name)
    assert report.errors == []
    assert report.config is not None
    assert report.config.job_type == name
    assert report.config.instructions == (OLD / name / "instructions.md").read_text(encoding="utf-8")
    asked = json.loads((OLD / name / "config.json").read_text())["tools"]["domain"]
    assert set(asked) <= set(report.config.tools.domain)
    assert not [issue for issue in report.issues if issue.pointer.startswith("/tools")]


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 300) | st.floats(0, 2) | st.sampled_from(["en", "legal", "x", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(list(JobConfig.model_fields)), inner),
    max_leaves=6,
)
sections = st.sampled_from(["phase_settings", "workspace", "limits", "tools", "document_processing", "research"])
known_keys = st.sampled_from(["min_todos", "max_todos", "reason", "structure", "domain", "provider", "wall_seconds"])
files = st.dictionaries(sections, st.dictionaries(known_keys, values, max_size=3) | values, max_size=3)


@given(data=files)
@settings(max_examples=60)
def test_schema_and_loader_agree(data: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    """What the published schema refuses is refused; the loader alone knows how fields depend on each other."""
    path = write(tmp_path_factory.mktemp("config") / "config.json", data)
    valid = jsonschema.Draft202012Validator(config_schema()).is_valid(data)
    report = examine_config(path)
    assert valid or report.config is None
    if valid and report.config is None:
        between = ("min_todos", "it lacks")
        assert all(any(word in issue.message for word in between) for issue in report.errors), report.errors


@given(below=st.dictionaries(known_keys, values), above=st.dictionaries(known_keys, values))
@settings(max_examples=60)
def test_merging_has_the_last_word(below: dict[str, Any], above: dict[str, Any]) -> None:
    """Merging twice changes nothing more, and neither argument is touched."""
    before = json.dumps([below, above])
    once = merged(below, above)
    assert merged(once, above) == once
    assert json.dumps([below, above]) == before
    for key, value in above.items():
        if not isinstance(value, dict):
            assert once.get(key) == value


def test_the_schema_is_one() -> None:
    schema = config_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    for path in SHIPPED.glob("**/*.json"):
        jsonschema.validate(json.loads(path.read_text("utf-8")), schema)
