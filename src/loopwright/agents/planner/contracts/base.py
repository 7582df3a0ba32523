"""What all contracts of the planner share."""

from pydantic import BaseModel, ConfigDict


class Contract(BaseModel):
    """A contract: what it does not know is refused."""

    model_config = ConfigDict(extra="forbid")
