"""Business objects as nodes of the graph."""

from loopwright.agents.jobs.offline.lexicon import BusinessObject
from loopwright.agents.jobs.offline.replay import call
from loopwright.agents.jobs.offline.view import Call


def object_node(item: BusinessObject, source: str | None = None) -> Call:
    """The call that puts a business object into the graph."""
    aliases = [name for name in item.names if name != item.name]
    return call(
        "create_entity_node",
        kind="BusinessObject",
        name=item.name,
        aliases=aliases,
        description=item.description,
        source=source,
    )
