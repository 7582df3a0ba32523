"""What can be set for the pages agent."""

from typing import ClassVar

from pydantic import Field

from loopwright.app.settings import PackageSettings


class PagesSettings(PackageSettings):
    """Each field's alias is the environment variable."""

    run_options: ClassVar = ("self_check", "model_vision")

    model_vision: str | None = Field(None, validation_alias="MODEL_VISION")
    """Model that looks at reference images; without one their colours and shapes are measured."""
    chromium: str | None = Field(None, validation_alias="LOOPWRIGHT_CHROMIUM")
    """Program that renders pages, instead of the Chromium on the PATH."""
    time_zone: str | None = Field(None, validation_alias="TZ")
    """The time zone in which pages are looked at; that of the machine if it is not set."""
    self_check: int | None = Field(None, ge=0, le=5, validation_alias="LOOPWRIGHT_SELF_CHECK")
    """How often a run may be sent back over what its pages look like in the browser; 0 renders nothing."""
