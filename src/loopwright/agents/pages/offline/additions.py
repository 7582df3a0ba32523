"""What goes beyond an edit: a new page, a new feature."""

from collections.abc import Sequence

from loopwright.agents.pages.contracts import SectionPatch
from loopwright.agents.pages.offline import kit
from loopwright.agents.pages.offline.checking import LOOK, Call, check_and_mend, give_up, problems_of
from loopwright.agents.pages.offline.conversation import page_names
from loopwright.agents.pages.offline.editing import INSTRUCTIONS_LENGTH, edit, edit_calls, pages_meant, what_changed
from loopwright.agents.pages.offline.product_doc import Answers, interview, with_patches
from loopwright.agents.pages.offline.questions import ask
from loopwright.agents.pages.offline.reading import Reading
from loopwright.agents.pages.offline.wishes import Wish, slug_of, title_of
from loopwright.agents.pages.offline.wording import excerpt, say
from loopwright.kernel.playbook import OfflineReply


def add_page(reading: Reading, wish: Wish) -> OfflineReply:
    """The next move of a wish for one more page: make it, link it from the home page, check both, tell."""
    title = title_of(wish.subject)
    slug = slug_of(title)
    if not slug or slug in [page.slug for page in reading.state.pages]:
        reason = f"there is a page `{slug}` already." if slug else "the new page has no name that I could use."
        return OfflineReply(say("not_understood", reason=reason, pages=page_names(reading)))
    patch = SectionPatch(name="pages", title="Pages", op="append", content=f"- **{title}** (`{slug}`): {wish.text}")
    return _make_and_link(reading, slug, title, wish.text, [patch])


def _make_and_link(
    reading: Reading, slug: str, title: str, description: str, patches: Sequence[SectionPatch]
) -> OfflineReply:
    if reading.succeeded("generate_page", slug) is None:
        tried = reading.calls_of("generate_page", slug)
        if reading.spent("generate_page", slug):
            return give_up(reading, tried[-1])
        arguments = {"slug": slug, "title": title, "description": excerpt(description, INSTRUCTIONS_LENGTH)}
        calls: list[Call] = [
            *([LOOK] if tried else []),
            ("generate_page", arguments),
            ("validate_html", {"slug": slug}),
        ]
        text = f"I add the page **{title}**." if not tried else f"I try the page **{title}** once more."
        return OfflineReply(with_patches(text, () if tried else patches), calls)
    home = next((each for each in (*reading.targets, "index", *reading.slugs) if each in reading.slugs), slug)
    if home != slug and not reading.calls_of("edit_page", home):
        link = f"Add a link to the page {title} ({slug})"
        return OfflineReply(f"Now `{home}` gets a link to it.", edit_calls([home], link))
    touched = [slug, *([home] if home != slug else [])]
    return check_and_mend(reading, touched) or _tell_page(reading, slug, title, home)


def _tell_page(reading: Reading, slug: str, title: str, home: str) -> OfflineReply:
    linked = reading.succeeded("edit_page", home)
    changes = [f"`{slug}`: the new page **{title}**"]
    problems = problems_of(reading, [slug, home])
    if linked is not None:
        changes.append(f"`{home}`: {what_changed(linked)}")
    else:
        problems.append(f"`{home}` has no link to it yet. Say for example “@{home} add a link to {title}”.")
    return OfflineReply(say("changed", headline=f"**{title}** is there.", changes=changes, problems=problems))


def add_feature(reading: Reading, wish: Wish) -> OfflineReply:
    """The next move of a wish for a feature: ask how it is meant, then edit where it fits, else give it a page."""
    answers = reading.answers
    state = reading.state
    if answers is None and not reading.done and not state.generate_now and state.interview is not False:
        questions = kit.feature_questions(wish.text)
        if questions:
            return ask(questions, f"Before I add {wish.subject or 'that'}, I would like to know how you mean it.")
    instructions = with_answers(wish.text, answers or {})
    title = title_of(wish.subject)
    slug = slug_of(title)
    if not slug or slug in [page.slug for page in reading.state.pages]:
        return edit(reading, instructions, (slug,) if slug else pages_meant(reading, wish.text))
    return _make_and_link(reading, slug, title, instructions, interview(answers or {}))


def with_answers(text: str, answers: Answers) -> str:
    """A wish with what the user answered about it."""
    lines = [f"{question} {', '.join(a) if isinstance(a, list) else a}" for question, a in answers.items()]
    return "\n".join([text, *lines])
