"""Which tools a tactical phase tells a model of at first, and which it can ask for: never more than the config has."""

import json

from loopwright.agents.jobs.configs import load_config
from loopwright.agents.jobs.spec import AGENT, tailor, withheld
from loopwright.kernel.policy import MORE_TOOLS

NARROW = {"domain": ["cite_document", "add_requirement"]}


def options_of(name, **tools):
    config = load_config(name).model_dump(mode="json")
    return {"config": config | {"tools": config["tools"] | tools}}


def told(options):
    spec = tailor(AGENT, options)
    decision = spec.policy().decide("tactical").without(withheld(options)).for_frontier(frozenset())
    return spec, decision


def test_the_other_tools_of_the_config_come_by_their_names():
    spec, decision = told(options_of("creator"))
    assert "cite_document" in decision.offered
    assert "cite_web" in decision.tools - decision.offered
    schema = next(t for t in spec.registry().get_openai_tools() if t["function"]["name"] == MORE_TOOLS)
    assert "cite_web" in json.dumps(schema)
    assert "create_entity_node" not in json.dumps(schema), "the config of the Creator does not have it"


def test_a_tool_that_is_only_named_as_a_first_one_is_not_given():
    options = options_of("creator", **NARROW)
    assert "check_for_duplicates" in options["config"]["tools"]["first"]
    assert "check_for_duplicates" in withheld(options)
    _, decision = told(options)
    assert "check_for_duplicates" not in decision.tools


def test_planning_tells_all_its_tools():
    options = options_of("creator")
    decision = tailor(AGENT, options).policy().decide("strategic").without(withheld(options))
    assert decision.for_frontier(frozenset()).offered == decision.tools


def test_without_first_tools_all_are_told():
    _, decision = told(options_of("creator", first=[]))
    assert MORE_TOOLS not in decision.offered
    assert "cite_web" in decision.offered
