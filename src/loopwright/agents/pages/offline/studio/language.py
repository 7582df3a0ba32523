"""The language an app speaks: that of its brief, where the studio has words in it.

`data/languages/{language}/strings.json` maps the English labels of the templates to another language; the filter and
function `t` of the templates looks them up.  `data/languages/{language}/products/{product_type}.json` and
`…/topics/{product_type}/{topic}.json` are content in that language.  A product type without content there stays
English as a whole: half a page in each language serves nobody.
"""

from __future__ import annotations

from typing import Protocol

from loopwright.agents.pages.brief.language import Language, language_of
from loopwright.agents.pages.offline.studio import resources


def spoken_language(product_type: str, text: str) -> Language:
    """The language of the text if there is content of this product type in it, else English."""
    language = language_of(text)
    return language if language != "en" and resources.exists(content_path(product_type, language)) else "en"


def content_path(product_type: str, language: Language) -> str:
    """Where the content of a product type in another language would be."""
    return f"languages/{language}/products/{product_type}.json"


class Translator(Protocol):
    """The function `t` of the templates."""

    def __call__(self, label: str, meaning: str = "") -> str:
        """A label in the app's language; `meaning` tells apart labels that are one word in English alone."""
        ...


def translator(language: Language) -> Translator:
    """The function `t` of the templates: a label in the app's language.

    The strings of a label with a meaning stand under `meaning|label`.  A label that a language lacks is an error of the
    studio (a test looks for them), never of the user: it stays English.
    """
    strings: dict[str, str] = {} if language == "en" else resources.read_json(f"languages/{language}/strings.json")

    def translate(label: str, meaning: str = "") -> str:
        return strings.get(f"{meaning}|{label}" if meaning else label, label)

    return translate
