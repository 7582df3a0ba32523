"""What can be set for the planner."""

from typing import ClassVar

from pydantic import Field

from loopwright.app.settings import PackageSettings


class PlannerSettings(PackageSettings):
    """Each field's alias is the environment variable."""

    run_options: ClassVar = (
        "allow_new_subtype_proposals",
        "require_rfc_for_new_subtype",
        "continue_from",
        "retry_from",
    )

    allow_new_subtype_proposals: bool | None = Field(None, validation_alias="ALLOW_NEW_SUBTYPE_PROPOSALS")
    """Whether the planner may propose subtypes of patterns that nobody knows yet."""
    require_rfc_for_new_subtype: bool | None = Field(None, validation_alias="REQUIRE_RFC_FOR_NEW_SUBTYPE")
    """Whether such a proposal waits for a human."""
    continue_from: float | None = Field(None, ge=0, le=1, validation_alias="LOOPWRIGHT_CONTINUE_FROM")
    """Confidence in a draft from which the planner goes on."""
    retry_from: float | None = Field(None, ge=0, le=1, validation_alias="LOOPWRIGHT_RETRY_FROM")
    """Confidence in a draft from which the planner tries again by itself; below it the user is asked."""
