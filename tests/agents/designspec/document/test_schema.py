"""The published schema."""

import json
from typing import Any

from loopwright.agents.designspec.document import json_schema
from loopwright.agents.designspec.document.policies import POLICY_NAMES


def references(node: Any) -> set[str]:
    """Every definition that is pointed at."""
    if isinstance(node, dict):
        own = {node["$ref"]} if isinstance(node.get("$ref"), str) else set()
        return own.union(*map(references, node.values()))
    return set().union(*map(references, node)) if isinstance(node, list) else set()


def test_it_hangs_together() -> None:
    """Every reference leads somewhere, every definition is used, and it is the same each time."""
    schema = json_schema()
    names = {f"#/$defs/{name}" for name in schema["$defs"]}
    assert references(schema) == names
    assert json.dumps(schema) == json.dumps(json_schema())
    assert len(json.dumps(schema)) < 100_000


def test_the_document_as_users_write_it() -> None:
    schema = json_schema()
    assert schema["required"] == ["schema", "meta", "policies", "domains", "components"]
    definitions = schema["$defs"]
    assert set(definitions["Policies"]["properties"]) == set(POLICY_NAMES)
    assert definitions["CylinderDomain"]["properties"]["radius"]["x-dimension"] == "length"
    assert definitions["RepairPolicy"]["properties"]["min_component_volume"]["x-dimension"] == "volume"
    port = definitions["Port"]["properties"]
    assert [item["x-dimension"] for item in port["position"]["anyOf"][0]["prefixItems"]] == ["length"] * 3
    assert "x-dimension" not in json.dumps(port["direction"])
    assert definitions["Route"]["required"] == ["op", "from", "to"]
    params = definitions["Build"]["properties"]["backend_params"]["anyOf"]
    assert [each["$ref"].rpartition("/")[2] for each in params] == [
        "ScaffoldParams",
        "SpaceColonizationParams",
        "ProgrammaticParams",
    ]
    assert definitions["Component"]["properties"]["policies"] == {"$ref": "#/$defs/Policies"}
