"""What a requirement is compared with: what stands in the graph, and what was added before it and is not turned down.

A requirement is a duplicate of what came first, never of what came later: of two alike, one stays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.agents.jobs.graph.reading import all_rows
from loopwright.agents.jobs.graph.similarity import most_alike
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.errors import NotFound

_NODES = (
    "MATCH (n:Requirement) RETURN n.rid AS rid, n.name AS name, n.text AS text, n.requirementId AS requirement_id "
    "ORDER BY rid"
)


@dataclass(frozen=True)
class Known:
    """A requirement that others are compared with; `place` is its turn of being added, -1 in the graph alone."""

    key: str
    requirement_id: str | None
    job_id: str | None
    rid: str | None
    status: str
    text: str
    place: int

    def shown(self, ratio: float) -> dict[str, Any]:
        """As a tool shows it."""
        return {
            "similarity": round(ratio, 4),
            "requirement_id": self.requirement_id,
            "job_id": self.job_id,
            "rid": self.rid,
            "status": self.status,
            "text": self.text[:400],
        }


@dataclass(frozen=True)
class Corpus:
    """Everything that may be compared."""

    known: Sequence[Known]

    @classmethod
    async def of(cls, services: JobServices) -> "Corpus":
        """Read it; a requirement that is in both places counts once."""
        texts = await services.requirements.texts()
        stored = [
            Known(row.requirement_id, row.requirement_id, row.job_id, row.graph_id, row.status, row.text, place)
            for place, row in enumerate(texts)
        ]
        ids = {row.requirement_id for row in texts}
        nodes = [
            Known(
                str(row["rid"]), row["requirement_id"], None, str(row["rid"]), "integrated", str(row["text"] or ""), -1
            )
            for row in await all_rows(services.graph, _NODES)
            if row["requirement_id"] not in ids
        ]
        return cls([*nodes, *stored])

    def text_of(self, requirement_id: str) -> str:
        """The text of a stored requirement.

        Raises:
            NotFound: there is none with this id, or it was turned down.
        """
        found = next((each.text for each in self.known if each.requirement_id == requirement_id), None)
        if found is None:
            raise NotFound(
                f"There is no open or integrated requirement {requirement_id}.", hint="Look at list_requirements."
            )
        return found

    def like(self, text: str, least: float, limit: int, requirement_id: str | None = None) -> list[dict[str, Any]]:
        """What is like the text, the most alike first; for a stored requirement, only what came before it."""
        place = next((each.place for each in self.known if requirement_id and each.key == requirement_id), None)
        allowed = {
            each.key: each
            for each in self.known
            if each.key != requirement_id and (place is None or each.place < place or each.status == "integrated")
        }
        found = most_alike(text, ((key, each.text) for key, each in allowed.items()), least)
        return [allowed[each.key].shown(each.ratio) for each in found[:limit]]
