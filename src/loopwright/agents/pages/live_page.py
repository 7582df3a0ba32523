"""A page while a model writes it: the HTML out of an unfinished answer, with the design system put into its head."""

import re

_BEGIN = re.compile(r"<!doctype\s+html|<html(?=[\s>])", re.IGNORECASE)
_HEAD = re.compile(r"<head(?:\s[^>]*)?>", re.IGNORECASE)
_BODY = re.compile(r"<body(?=[\s>])|</head\s*>", re.IGNORECASE)
_END = re.compile(r"</html\s*>", re.IGNORECASE)
_CUT_END = re.compile(r"<(?:/(?:h(?:t(?:m(?:l\s{0,8})?)?)?)?)?\Z", re.IGNORECASE)
"""An end tag of the document that may be cut in two."""
_STYLE_END = re.compile(r"</(?=style)", re.IGNORECASE)
LONGEST_MARK = 64
"""Characters that are kept back, so that a mark cut in two by the stream is found."""


class LivePage:
    """Turns the pieces of an answer into pieces of a document that a browser can show at once.

    Everything before the document (words, a fence) and behind it is left out. A browser's own parser takes care of what
    is cut off in the middle; scripts are for the policy of the response to forbid.
    """

    def __init__(self, css: str) -> None:
        """`css` is the design system, which the preview cannot load by its link."""
        self._style = "<style>" + _STYLE_END.sub(r"<\\/", css) + "</style>"
        self._rest = ""
        self._find = self._beginning

    def feed(self, piece: str) -> str:
        """What may be shown after this piece."""
        self._rest += piece
        shown = []
        while self._rest:
            find, text = self._find, self._find()
            if text:
                shown.append(text)
            if find == self._find:
                break
        return "".join(shown)

    @property
    def is_whole(self) -> bool:
        """Whether the document's end was seen."""
        return self._find == self._nothing

    def _beginning(self) -> str:
        found = _BEGIN.search(self._rest)
        if found is None:
            self._rest = self._rest[-LONGEST_MARK:]
            return ""
        self._rest = self._rest[found.start() :]
        self._find = self._head
        return ""

    def _head(self) -> str:
        """Up to the head, where the design system goes: before the page's own styles, as its link would stand."""
        found, body = _HEAD.search(self._rest), _BODY.search(self._rest)
        if found is None and body is None:
            return ""
        at = found.end() if found is not None else body.start() if body is not None else 0
        text, self._rest = self._rest[:at] + self._style, self._rest[at:]
        self._find = self._content
        return text

    def _content(self) -> str:
        found = _END.search(self._rest)
        if found is not None:
            text, self._rest = self._rest[: found.end()], ""
            self._find = self._nothing
            return text
        cut = _CUT_END.search(self._rest)
        at = cut.start() if cut is not None else len(self._rest)
        text, self._rest = self._rest[:at], self._rest[at:]
        return text

    def _nothing(self) -> str:
        self._rest = ""
        return ""
