"""A model with eyes: what it adds, what it cannot change, and what happens when it says nothing of use."""

import base64
import io
import json
from typing import Any

import pytest
from PIL import Image

from loopwright.agents.pages.style.tokens import LONGEST_SIDE
from loopwright.kernel.errors import ModelRejected
from tests.agents.pages.studio import Studio
from tests.agents.pages.style.pictures import data_url, poster

IMAGE = {"image_url": data_url(poster())}
EYES = {"model_vision": "eyes-1"}


async def looked(studio: Studio, *script: Any) -> dict[str, Any]:
    result = await studio.call("extract_style", IMAGE, *script, settings=EYES)
    assert result.success, result.output
    return dict(result.artifacts or {})


async def test_what_is_seen_replaces_what_was_assumed(studio: Studio) -> None:
    seen = {"primary": "#E51015", "font": "serif", "scale": "spacious", "radius": "large", "shadow": "strong"}
    found = await looked(studio, f"Here:\n```json\n{json.dumps(seen)}\n```")
    tokens = found["style_tokens"]
    assert found["vision"] == "seen by eyes-1"
    assert tokens["typography"] == {"fontFamily": "Georgia, serif", "scale": "spacious"}
    assert (tokens["radius"], tokens["shadow"]) == ("large", "strong")
    assert tokens["assumed"] == ["spacing", "style"]
    assert tokens["colors"]["primary"] in tokens["palette"]
    request = studio.requests[0]
    assert request.model == "eyes-1"
    with Image.open(io.BytesIO(base64.b64decode(request.messages[1].images[0].partition(",")[2]))) as sent:
        assert max(sent.size) <= LONGEST_SIDE
    assert json.loads(request.messages[1].content)["measured_colors"] == tokens["palette"]


async def test_invented_colours_are_not_believed(studio: Studio) -> None:
    plain = (await studio.call("extract_style", IMAGE)).artifacts or {}
    found = await looked(studio, json.dumps({"primary": "#00FF00", "background": "#0000FF"}))
    assert found["style_tokens"]["colors"] == plain["style_tokens"]["colors"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("It is a nice picture.", "no JSON object"),
        ('{"radius": "huge"}', "not the JSON object"),
        ('{"primary": "red"}', "not the JSON object"),
        ("{" * 500, "no JSON object"),
        (ModelRejected("eyes-1 cannot see images, and one was sent."), "did not answer"),
    ],
)
async def test_without_a_usable_answer_the_measures_stand_and_it_is_said(
    studio: Studio, answer: Any, said: str
) -> None:
    plain = (await studio.call("extract_style", IMAGE)).artifacts or {}
    found = await looked(studio, answer)
    assert said in found["vision"]
    assert found["style_tokens"] == plain["style_tokens"]


async def test_without_a_vision_model_it_is_said(studio: Studio) -> None:
    result = await studio.call("extract_style", IMAGE)
    assert (result.artifacts or {})["vision"].startswith("not configured")
