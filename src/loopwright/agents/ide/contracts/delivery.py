"""The delivery check: whether what the user asked for is there (spec 002, 2.5)."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

DeliveryState = Literal["DONE", "NEEDS_WORK"]


class DeliveryCheck(BaseModel):
    """The model's answer in the stage `delivery_check`."""

    model_config = ConfigDict(extra="ignore")

    state: DeliveryState
    missing: list[str] = Field(default_factory=list, max_length=20)
    reason: str = Field("", max_length=2_000)
