"""Images go only to models that can see them: left out in silence, they would be invented by the model."""

from collections.abc import Sequence

from loopwright.kernel.errors import ModelRejected
from loopwright.kernel.messages import Message
from loopwright.models.capabilities import Capabilities


def check_images(messages: Sequence[Message], model: str, can: Capabilities) -> None:
    """Let the messages pass, if the model can take them.

    Raises:
        ModelRejected: there is an image among them and the model has no vision.
    """
    if not can.vision and any(message.images for message in messages):
        raise ModelRejected(
            f"{model} cannot see images, and one was sent.",
            hint="Choose a model with vision (MODEL_STANDARD, MODEL_POWERFUL), or send the message without the image.",
        )
