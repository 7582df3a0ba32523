"""The same sentences on documents that others have written."""

import json
from pathlib import Path

import pytest
import yaml

from tests.agents.designspec.offline.dialogue import Dialogue

DATA = Path(__file__).parents[5] / "shared" / "data" / "designspec"
SENTENCES = [
    "show spec",
    "make it 20 % taller",
    "twice as wide",
    "inlet radius 0.1 mm",
    "add an inlet on top, 0.2 mm in diameter",
    "remove the last inlet",
    "rename the first inlet to feed",
    "clearance 30 micron",
    "add a 0.2 mm ridge around the top",
    "grow a tree with 32 tips",
    "make it 3 mm thick",
    "undo",
    "what is missing?",
    "run until embed",
]


@pytest.mark.skipif(not DATA.is_dir(), reason="the sample documents are not beside the repository")
@pytest.mark.parametrize("sentence", SENTENCES)
def test_sentences_on_real_documents(sentence):
    """`say` checks that no patch makes a document worse."""
    for path in sorted(DATA.glob("*_*.json")) + sorted(DATA.glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        document = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
        talk = Dialogue(document=document)
        directive = talk.say(sentence)
        assert directive.assistant_message
        assert "did not understand" not in directive.assistant_message
