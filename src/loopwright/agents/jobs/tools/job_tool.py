"""The tools of this agent: what a model is told of them is less than what they take.

A model fills every field that it sees. So it is told of the arguments that are needed, and of those few others that a
tool names; the rest can be given by callers that know them, such as the offline rules, and unknown ones are refused.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict

from loopwright.agents.jobs.graph.compliance import NamesParameters, resolve_names
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

ParametersT = TypeVar("ParametersT", bound=BaseModel)
ServicesT = TypeVar("ServicesT")
UNTOLD = frozenset({"title", "default", "minLength", "minimum", "$defs"})
"""Keywords that the check keeps to and the model need not read."""


class Arguments(BaseModel):
    """The arguments of a tool; one that it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


class JobTool(BaseTool[ParametersT, ServicesT]):
    """A tool whose schema has the required arguments and those named in `told` (`list.field` inside a list)."""

    told: ClassVar[tuple[str, ...]] = ()

    def get_openai_schema(self) -> dict[str, Any]:
        """The tool in the OpenAI function format."""
        parameters = _told_schema(self.parameters_model, self.told)
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": parameters},
        }


@cache
def _told_schema(model: type[BaseModel], told: tuple[str, ...]) -> dict[str, Any]:
    schema = model.model_json_schema()
    definitions: Mapping[str, Any] = schema.get("$defs", {})

    def shown(node: Any, path: str) -> Any:
        if isinstance(node, list):
            return [shown(each, path) for each in node]
        if not isinstance(node, Mapping):
            return node
        if "$ref" in node:
            name = str(node["$ref"]).rpartition("/")[2]
            return shown({key: value for key, value in definitions[name].items() if key != "description"}, path)
        made: dict[str, Any] = {}
        for key, value in node.items():
            if key == "properties":
                required = node.get("required", ())
                kept = [name for name in value if name in required or f"{path}{name}" in told]
                made[key] = {name: shown(value[name], f"{path}{name}.") for name in kept}
            elif key not in UNTOLD:
                made[key] = value if key in ("enum", "required") else shown(value, path)
        return made

    parameters: dict[str, Any] = shown(schema, "")
    parameters.pop("description", None)
    return parameters


# `resolve_message`: which message of the graph a name means.


class ResolveMessage(JobTool[NamesParameters, JobServices]):
    """Compares with the names and other names of all nodes."""

    name = "resolve_message"
    parameters_model = NamesParameters
    told = ("entity_names",)
    effect = "idempotent"

    async def execute(self, params: NamesParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Resolve."""
        return await resolve_names(ctx, "Message", params.names)
