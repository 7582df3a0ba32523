"""The JavaScript of a page, read and never run: what is a script, whether it parses, what it reaches for."""

from loopwright.agents.pages.compliance.javascript.facts import ScriptFacts, facts_of
from loopwright.agents.pages.compliance.javascript.parsing import Script, SyntaxProblem, collect_scripts

__all__ = ["Script", "ScriptFacts", "SyntaxProblem", "collect_scripts", "facts_of"]
