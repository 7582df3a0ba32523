"""A session in memory: the playbook in the model's place, and the nine tools as the contract describes them."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loopwright.agents.pages.account.looks import Looks
from loopwright.agents.pages.brief.analysis import analyse_brief
from loopwright.agents.pages.compliance.validate import validate_page
from loopwright.agents.pages.offline.playbook import PagesPlaybook
from loopwright.agents.pages.parsing.edits import Edited, EditScript, apply_replacements, parse_edits
from loopwright.agents.pages.requests.app import App
from loopwright.agents.pages.requests.carrying import carry_out, told
from loopwright.agents.pages.requests.meaning import Page
from loopwright.agents.pages.requests.reading import Request, read_requests
from loopwright.agents.pages.requests.static_look import read_looks
from loopwright.kernel.messages import Message, ToolCall
from loopwright.kernel.offline import OfflineReply, OfflineRequest

TOOLS = (
    "analyze_brief",
    "create_design_system",
    "generate_page",
    "edit_page",
    "change_app",
    "read_page",
    "list_pages",
    "validate_html",
    "extract_style",
    "ask_user",
)
DOC = re.compile(r"\n*```product-doc\n(.*?)\n```", re.DOTALL)


@dataclass
class Session:
    """What outlives a run, and a log of what happened in the last one."""

    pages: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    css: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    sections: dict[str, str] = field(default_factory=dict)
    dialogue: list[Message] = field(default_factory=list)
    broken: dict[str, int] = field(default_factory=dict)
    """How often a tool still has to fail, by `tool` or `tool:slug`."""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    steps: list[list[str]] = field(default_factory=list)
    model_calls: int = 0
    playbook: PagesPlaybook = field(default_factory=PagesPlaybook)

    def run(
        self,
        message: str,
        answers: Mapping[str, Any] | None = None,
        *,
        images: Sequence[str] = (),
        forget: int | None = None,
        **options: Any,
    ) -> str:
        """One run: its final text. `answers` are given to `ask_user`; without them a question is an error.

        `forget` is the number of messages beyond which everything but the newest unit and the wish is dropped.
        """
        stage = "new-project" if not self.pages else "refinement" if len(self.pages) == 1 else "multi-page"
        wish = Message.user(message, images)
        system, messages = self.system(stage, options), [*self.dialogue, wish]
        self.calls, self.steps, self.model_calls = [], [], 0
        for step in range(15):
            reply = self.ask(f"pages/{stage}", system, messages, TOOLS)
            text = self.take_in(reply.text)
            calls = [
                ToolCall(id=f"s{step}c{i}", name=name, arguments=json.dumps(arguments))
                for i, (name, arguments) in enumerate(reply.tool_calls)
            ]
            unit = [Message.assistant(text, calls)]
            if not calls:
                self.dialogue += [wish, *unit]
                return text
            self.steps.append([call.name for call in calls])
            for call in calls:
                output = self.execute(call.name, json.loads(call.arguments), answers)
                unit.append(Message.tool(call.id, output))
            messages += unit
            if forget is not None and len(messages) > forget:
                system, messages = self.system(stage, options), [wish, *unit]
        raise AssertionError(f"no end after 15 steps: {self.steps}")

    def ask(self, task: str, system: str, messages: Sequence[Message], tools: tuple[str, ...] = ()) -> OfflineReply:
        """One model call; the same request must get the same answer."""
        self.model_calls += 1
        request = OfflineRequest(task, (Message.system(system), *messages), tools)
        reply = self.playbook.answer(request)
        assert reply == PagesPlaybook().answer(request)
        return reply

    def system(self, stage: str, options: Mapping[str, Any]) -> str:
        """The system message as the contract has it."""
        state = {
            "pages": [{"slug": slug, "title": self.titles[slug]} for slug in self.pages],
            "planned_pages": self.metadata.get("planned_pages", []),
            "product_type": self.metadata.get("product_type"),
            "app_name": self.metadata.get("app_name"),
            "design_system": bool(self.css),
            "product_doc_sections": list(self.sections),
            "generate_now": options.get("generate_now", False),
            "interview": options.get("interview"),
            "target_pages": options.get("target_pages", []),
        }
        doc = "\n\n".join(f"### {name} · Title\n{content}" for name, content in self.sections.items())
        return f"[task: pages/{stage}]\nYou are …\n\n{doc}\n\n```project-state\n{json.dumps(state)}\n```\n\n{self.css}"

    def take_in(self, text: str) -> str:
        """Persist the product doc's patches; the text without them."""
        for body in DOC.findall(text):
            for patch in json.loads(body)["sections"]:
                before = self.sections.get(patch["name"], "") + "\n" if patch["op"] == "append" else ""
                self.sections[patch["name"]] = before + patch["content"]
        return DOC.sub("", text)

    def execute(self, name: str, arguments: dict[str, Any], answers: Mapping[str, Any] | None) -> str:
        """One tool call."""
        self.calls.append((name, arguments))
        for key in (name, f"{name}:{arguments.get('slug')}"):
            if self.broken.get(key, 0) > 0:
                self.broken[key] -= 1
                return "Error: the disk is full\nTry again."
        if name == "ask_user":
            assert answers is not None, f"unexpected questions: {arguments}"
            given = {q["question"]: answers[q["question"]] for q in arguments["questions"] if q["question"] in answers}
            return json.dumps(given) if given else "No answers were given. Go on with sensible defaults."
        return str(getattr(self, f"_{name}")(**arguments))

    def _nested(self, task: str, payload: Mapping[str, Any]) -> str:
        return self.ask(task, f"[task: {task}]\n…", [Message.user(json.dumps(payload))]).text

    def _analyze_brief(self, user_request: str, conversation_summary: str = "") -> str:
        analysis = analyse_brief(user_request, conversation_summary).to_wire()
        self.metadata |= {"product_type": analysis["product_type"], "app_name": analysis["app_name"]}
        self.metadata["planned_pages"] = analysis["suggested_pages"]
        self.metadata["brief"] = user_request
        return json.dumps(analysis)

    def _create_design_system(self, product_type: str, style_tokens: Any = None, brand_colors: Any = None) -> str:
        payload = {"product_type": product_type, "style_tokens": style_tokens, "brand_colors": brand_colors}
        about = {"app_name": self.metadata.get("app_name"), "brief": self.metadata.get("brief", ""), "project_card": ""}
        text = self._nested("pages/design-system", payload | about)
        fence = re.fullmatch(r"```css\n(.*)\n```", text, re.DOTALL)
        assert fence is not None, text[:300]
        self.css = fence[1]
        return "Saved design-system.css."

    def _change_app(self, request: str, pages: Sequence[str] = ()) -> str:
        async def look(state: App) -> Looks:
            return read_looks(state)

        entries = [Page(slug, self.titles[slug]) for slug in self.pages]
        asked = [
            Request(each.said, each.effect.model_copy(update={"pages": tuple(pages)}))
            if pages and each.effect
            else each
            for each in read_requests(request, entries)
        ]
        after, outcomes = asyncio.run(carry_out(asked, App(self.pages, self.css), look))
        self.pages, self.css = dict(after.pages), after.css
        return told(outcomes, "en")

    def _sitemap(self) -> list[dict[str, str]]:
        known = {slug: self.titles[slug] for slug in self.pages}
        known |= {page["slug"]: page["title"] for page in self.metadata.get("planned_pages", [])}
        return [{"slug": slug, "title": title} for slug, title in known.items()]

    def _generate_page(self, slug: str, title: str, description: str) -> str:
        sitemap = self._sitemap()
        sitemap += [] if slug in {page["slug"] for page in sitemap} else [{"slug": slug, "title": title}]
        payload = {
            "slug": slug,
            "title": title,
            "description": description,
            "product_type": self.metadata["product_type"],
            "app_name": self.metadata["app_name"],
            "brief": self.metadata["brief"],
            "sitemap": sitemap,
            "data_model": None,
            "project_card": "",
            "sections": self.sections,
            "design_system": {},
        }
        text = self._nested("pages/generate-page", payload)
        fence = re.fullmatch(r"```html\n(.*)\n```", text, re.DOTALL)
        assert fence is not None, text[:300]
        self.pages[slug], self.titles[slug] = fence[1], title
        return f"Saved pages/{slug}.html."

    def _edit_page(self, slug: str, edit_instructions: str) -> str:
        if slug not in self.pages:
            return f"Error: There is no page {slug!r}."
        payload = {"slug": slug, "instructions": edit_instructions, "html": self.pages[slug], "design_system": {}}
        text = self._nested("pages/edit-page", payload | {"sitemap": self._sitemap(), "project_card": ""})
        script = parse_edits(text)
        assert isinstance(script, EditScript), script
        if not script.blocks:
            return f"Nothing was changed: {script.summary}"
        edited = apply_replacements(self.pages[slug], script.blocks)
        assert isinstance(edited, Edited), edited
        self.pages[slug] = edited.text
        return f"Page {slug!r} is saved.\nChanged: {script.summary}\n{self._validate_html(slug)}"

    def _read_page(self, slug: str) -> str:
        return self.pages.get(slug) or f"Error: There is no page {slug!r}."

    def _list_pages(self) -> str:
        return json.dumps([{"slug": slug, "title": self.titles[slug]} for slug in self.pages])

    def _validate_html(self, slug: str) -> str:
        if slug not in self.pages:
            return f"Error: There is no page {slug!r}."
        known = [page["slug"] for page in self._sitemap()]
        return validate_page(self.pages[slug], css=self.css, slug=slug, known_slugs=known).for_model()

    def _extract_style(self, image_url: str) -> str:
        tokens = {"mode": "light", "colors": {"primary": "#AA3366", "accent": "#22CC88"}, "radius": "large"}
        return json.dumps({"style_tokens": tokens})
