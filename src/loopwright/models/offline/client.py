"""The offline model in this very process, behind the same client as every other model."""

from collections.abc import Sequence

from loopwright.kernel.playbook import Playbook
from loopwright.models.client import OpenAIClient
from loopwright.models.offline.app import create_offline_app
from loopwright.models.offline.wire import MODELS
from loopwright.models.settings import ModelSettings
from loopwright.models.transport.asgi import AsgiTransport


def create_offline_client(playbooks: Sequence[Playbook]) -> OpenAIClient:
    """A client whose every request is answered by these playbooks; nothing leaves the process."""
    fast, standard, powerful = MODELS
    settings = ModelSettings(
        base_url="http://offline.invalid/v1",
        models={"fast": fast, "standard": standard, "powerful": powerful},
        tools="native",
        free=True,
    )
    return OpenAIClient(settings, AsgiTransport(create_offline_app(playbooks)))
