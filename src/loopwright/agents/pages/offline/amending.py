"""How the offline model follows changed answers: it makes anew what they change, and nothing else."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from loopwright.agents.pages.contracts import SectionPatch
from loopwright.agents.pages.interview.plan import (
    Answers,
    InterviewRecord,
    PlanDifference,
    by_decision,
    difference,
    read_changes,
    read_correction,
)
from loopwright.agents.pages.offline.building import design_call
from loopwright.agents.pages.offline.editing import LINK
from loopwright.agents.pages.offline.intents import is_continuation, page_names
from loopwright.agents.pages.offline.product_doc import (
    Call,
    Look,
    brand_style,
    check_and_repair,
    enumeration,
    give_up,
    interview,
    problems_of,
    recorded_answers,
    recorded_look,
    say,
    say_changed,
    with_patches,
)
from loopwright.agents.pages.offline.reading import Reading
from loopwright.kernel.offline import OfflineReply

_USERS_WORDS = re.compile(r"^- The user's words: “(.+)”$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Amendment:
    """Changed answers, and what they change of this app."""

    answers: Answers
    changes: Answers
    differs: PlanDifference
    old_name: str


def changed_answers(reading: Reading, *, plain_words: bool) -> dict[str, str | list[str]]:
    """The answers that the message changes: by the interview's own message, or in plain words where these are read."""
    return read_changes(reading.message) or ({**read_correction(reading.message)} if plain_words else {})


def amend(reading: Reading, changes: Answers) -> OfflineReply:
    """The next move of a run that follows changed answers.

    What is remembered of the project (answers, name, plan) is changed last: until then the difference can be computed
    anew from it at every step, whatever a compaction takes out of the dialogue.
    """
    before = recorded_answers(reading.system)
    after = InterviewRecord().with_answers(before).with_answers(changes).plain()
    differs = difference(brief_of_app(reading), before, changes)
    amendment = Amendment(after, changes, differs, reading.state.app_name or "")
    if differs.product_type:
        reason = f"That makes another app of it ({differs.product_type}); I can begin that one in a new session."
        return OfflineReply(say("not_understood", reason=reason, pages=page_names(reading)))
    return (
        _restyle(reading, amendment)
        or _generate(reading, amendment)
        or _edit(reading, amendment)
        or check_and_repair(reading, _touched(reading))
        or _plan_anew(reading, amendment)
        or _tell(reading, amendment)
    )


def brief_of_app(reading: Reading) -> str:
    """The brief that the app was made of, in the user's words."""
    recorded = _USERS_WORDS.search(reading.system)
    if recorded is not None:
        return recorded[1]
    return next((earlier for earlier in reading.earlier if not is_continuation(earlier)), "")


def _plan_anew(reading: Reading, amendment: Amendment) -> OfflineReply | None:
    """The stored plan gets the new name and the new pages, each page with the slug that it has."""
    if reading.calls_of("analyze_brief") or not (_renames(amendment) or amendment.differs.added):
        return None
    titles = {page.slug: page.title for page in (*reading.state.planned_pages, *reading.state.pages)}
    titles |= {page.slug: page.title for page in amendment.differs.added if page.slug in reading.slugs}
    renamed = amendment.differs.renamed if _renames(amendment) else None
    name = renamed[1] if renamed else amendment.old_name
    summary = [f'The app is called "{name}".'] if name else []
    summary.append(f"Pages: {', '.join(f'{title} [{slug}]' for slug, title in titles.items())}.")
    arguments = {"user_request": brief_of_app(reading) or name, "conversation_summary": "\n".join(summary)}
    return OfflineReply("I store the new plan.", [("analyze_brief", arguments)])


def _renames(amendment: Amendment) -> bool:
    return amendment.differs.renamed is not None and "name" in by_decision(amendment.changes)


def _look(reading: Reading, amendment: Amendment) -> Look:
    """The new look; what the answers leave open stays as it was."""
    new, old = amendment.differs.look, recorded_look(reading.system)
    if new is None:
        return old
    return Look(new.mode or old.mode, new.brand_colors or old.colors, new.style_words or old.style_words)


def _restyle(reading: Reading, amendment: Amendment) -> OfflineReply | None:
    if not amendment.differs.look or reading.succeeded("create_design_system"):
        return None
    tried = reading.calls_of("create_design_system")
    if len(tried) > 1:
        return give_up(reading, tried[-1])
    return OfflineReply(
        "I make the design system anew; the pages stay.", [design_call(reading, _look(reading, amendment))]
    )


def _generate(reading: Reading, amendment: Amendment) -> OfflineReply | None:
    added = amendment.differs.added
    missing = [p for p in added if p.slug not in reading.slugs and len(reading.calls_of("generate_page", p.slug)) < 2]
    if not missing:
        return None
    calls: list[Call] = [
        ("generate_page", {"slug": page.slug, "title": page.title, "description": page.description}) for page in missing
    ]
    calls += [("validate_html", {"slug": page.slug}) for page in missing]
    return OfflineReply(f"Now {enumeration([page.title for page in missing])}.", calls)


def _edit(reading: Reading, amendment: Amendment) -> OfflineReply | None:
    """The new name where the old one stands, and links to new pages from the home page; each page is edited once."""
    if reading.calls_of("edit_page"):
        return None
    edits: dict[str, list[str]] = {}
    existing = [page.slug for page in reading.state.pages]
    if _renames(amendment) and amendment.old_name and amendment.differs.renamed:
        for slug in existing:
            edits.setdefault(slug, []).append(f'Replace "{amendment.old_name}" with "{amendment.differs.renamed[1]}"')
    home = next((slug for slug in ("index", *existing) if slug in existing), None)
    links = [f"{LINK} {page.title} ({page.slug})" for page in amendment.differs.added if page.slug in reading.slugs]
    if home and links:
        edits.setdefault(home, []).extend(links)
    if not edits:
        return None
    calls: list[Call] = [
        ("edit_page", {"slug": slug, "edit_instructions": "\n".join(lines)}) for slug, lines in edits.items()
    ]
    calls += [("validate_html", {"slug": slug}) for slug in edits]
    return OfflineReply(f"I edit {enumeration(list(edits))}.", calls)


def _touched(reading: Reading) -> Sequence[str]:
    if reading.succeeded("create_design_system"):
        return reading.slugs
    written = [call.slug for call in reading.done if call.name in ("generate_page", "edit_page") and not call.failed]
    return list(dict.fromkeys(written))


def _tell(reading: Reading, amendment: Amendment) -> OfflineReply:
    differs = amendment.differs
    changes = []
    if differs.look and reading.succeeded("create_design_system"):
        look = _look(reading, amendment)
        words = ", ".join(word for word in (look.mode or "", *look.colors, *look.style_words) if word)
        changes.append(f"the design system: {words}")
    if _renames(amendment) and differs.renamed:
        changes.append(f"the name: {differs.renamed[1]}")
    changes += [f"`{page.slug}`: the new page **{page.title}**" for page in differs.added if page.slug in reading.slugs]
    problems = problems_of(reading, _touched(reading))
    offers = [
        f"**{page.title}** is not needed any more: “remove the {page.title.lower()} page” takes it and its links away."
        for page in differs.removed
        if page.slug in reading.slugs
    ]
    patches: list[SectionPatch] = [*interview(amendment.answers)]
    if differs.look:
        patches.append(brand_style(_look(reading, amendment)))
    if differs.added:
        lines = "\n".join(f"- **{page.title}** (`{page.slug}`): {page.description}" for page in differs.added)
        patches.append(SectionPatch(name="pages", title="Pages", op="append", content=lines))
    versions = bool(_renames(amendment))
    name = "answers" if changes or offers else "noted"
    text = say_changed(reading.message, name, changes, problems, versions=versions, offers=offers)
    return OfflineReply(with_patches(text, patches))
