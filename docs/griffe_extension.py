"""Adapts docstrings to what the site's reference shows; `mkdocs.yml` names this file.

Our docstrings say `Example:` where griffe's section of doctests is `Examples:`, and a constructor's docstring without
parameters tells how it works inside.
"""

import re
from typing import Any

import griffe


class AdaptDocstrings(griffe.Extension):
    """Renames the section, and leaves out what is not for users."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change an object's docstring before it is parsed."""
        if obj.docstring is None:
            return
        obj.docstring.value = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.MULTILINE)
        if obj.name == "__init__" and "Args:" not in obj.docstring.value:
            obj.docstring = None
