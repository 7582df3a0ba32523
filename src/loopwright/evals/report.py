"""The report of an evaluation: one HTML file without scripts that holds all it shows, and the table for a terminal."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from importlib import resources
from string import Template

from loopwright.evals.evaluation import Report
from loopwright.evals.finished import Verdict
from loopwright.evals.statistics import Comparison, ModelSummary, TrialResult

SIGNS = {"passed": "✓", "failed": "✗", "error": "!"}
NOT_RUN = '<span class="cell missing">not run</span>'
SHOWN_MESSAGE = 140


def table(report: Report) -> Iterator[str]:
    """The models and their comparisons, a line for each, for a terminal."""
    width = max(5, *(len(model) for model in report.models))
    heads = "passed   rate  95 % interval  false done  errors      cost  steps  seconds  tokens"
    yield f"{'model':<{width}}  {heads}"
    for each in report.summaries:
        rate = f"{each.rate:>5.0%}" if each.rate is not None else "    –"
        interval = f"{each.interval.low:>6.0%} – {each.interval.high:<4.0%}" if each.interval else "      –      "
        yield (
            f"{each.model:<{width}}  {each.passed:>3}/{each.trials:<3} {rate}  {interval}  {each.false_done:>10}  "
            f"{each.errors:>6}  {_usd(each.mean_usd):>8}  {_number(each.mean_steps):>5}  "
            f"{_number(each.mean_seconds):>7}  {_number(each.mean_tokens, 0):>6}"
        )
    for pair in report.comparisons:
        yield _in_words(pair)


def html(report: Report, title: str, at: datetime) -> str:
    """The whole report.

    Args:
        report: what the evaluation came to.
        title: what was evaluated.
        at: when.
    """
    files = resources.files("loopwright.evals")
    planned = _counted(report.total, "trial")
    done = planned if len(report.results) == report.total else f"{len(report.results)} of {planned}"
    counts = _counted(len(report.cases), "case"), _counted(len(report.models), "model")
    heads = "".join(f"<th>{escape(model)}" for model in report.models)
    pairs = "".join(f"<li>{escape(_in_words(pair))}" for pair in report.comparisons)
    return Template(files.joinpath("report.html").read_text(encoding="utf-8")).substitute(
        title=escape(title),
        style=files.joinpath("report.css").read_text(encoding="utf-8"),
        subtitle=escape(" · ".join((*counts, done, f"{at:%Y-%m-%d %H:%M %Z}"))),
        models="".join(map(_model_row, report.summaries)),
        comparisons=f"<h3>Side by side, on the same cases</h3><ul>{pairs}</ul>" if pairs else "",
        heads=heads,
        cases="".join(_case_row(report, case) for case in report.cases),
        trials="".join(_trial(number, result) for number, result in enumerate(report.results)),
    )


def _model_row(each: ModelSummary) -> str:
    rate = "<span class=muted>no trial counts</span>"
    if each.rate is not None and each.interval is not None:
        low, high = 100 * each.interval.low, 100 * each.interval.high
        rate = (
            f"<strong>{each.rate:.0%}</strong><small>{low:.0f} – {high:.0f} %</small>"
            f'<span class=bar><i style="left:{low:.1f}%;width:{high - low:.1f}%"></i>'
            f'<b style="left:{100 * each.rate:.1f}%"></b></span>'
        )
    alarms = [f"<td class=alarm>{n}" if n else "<td>0" for n in (each.false_done, each.errors)]
    values = (_usd(each.mean_usd), _number(each.mean_steps), _number(each.mean_seconds), _number(each.mean_tokens, 0))
    return (
        f"<tr><th>{escape(each.model)}<td>{each.passed} of {each.trials}<td class=rate>{rate}{''.join(alarms)}"
        + "".join(f"<td>{value}" for value in values)
        + "</tr>"
    )


def _case_row(report: Report, case: str) -> str:
    own = [(number, each) for number, each in enumerate(report.results) if each.case == case]
    first = own[0][1] if own else None
    said = " ".join(first.messages[0].split()) if first and first.messages else ""
    short = said if len(said) <= SHOWN_MESSAGE else said[:SHOWN_MESSAGE] + "…"
    tags = "".join(f"<span class=tag>{escape(tag)}</span>" for tag in (first.tags if first else ()))
    cells = ""
    for model in report.models:
        found = [_cell(number, each) for number, each in own if each.model == model]
        cells += "<td>" + ("".join(found) or NOT_RUN)
    clean = bool(own) and all(each.passed for _, each in own)
    return f"<tr{' class=all-passed' if clean else ''}><th>{escape(case)}<p>{escape(short)}</p>{tags}{cells}</tr>"


def _cell(number: int, each: TrialResult) -> str:
    wrong = sum(verdict.passed is False for verdict in each.verdicts)
    told = "passed" if each.passed else "error" if not each.counts else f"{wrong} of {len(each.verdicts)} failed"
    told += " · said “done”" if each.false_done else ""
    return f'<a class="cell {each.status}" href="#t{number}">{SIGNS[each.status]} {escape(told)}</a>'


def _trial(number: int, each: TrialResult) -> str:
    facts = [
        f"ended {each.ended}",
        f"{each.steps} steps",
        f"{each.seconds:.1f} s",
        f"{each.tokens:,} tokens",
        _usd(each.usd),
        f"repetition {each.repetition}",
        f"answered by {', '.join(filter(None, each.answered_by)) or 'no model'}",
    ]
    if any(verdict.by == "model" and verdict.passed is not None for verdict in each.verdicts):
        facts.append(f"judge {_usd(each.judge_usd)}")
    verdicts = sorted(each.verdicts, key=lambda verdict: verdict.passed is True)  # what failed is read first
    runs = " ".join(f"<code>{escape(run)}</code>" for run in each.runs) or "none"
    parts = [
        f"<h2>{escape(each.case)} · {escape(each.model)}</h2>",
        '<a class=close href="#cases">Close</a>',
        f"<ul class=facts>{''.join(f'<li>{escape(fact)}' for fact in facts)}</ul>",
        f"<h3>Error</h3><div class=speech>{escape(each.error)}</div>" if each.error else "",
        "<h3>The user said</h3>" + _speeches(each.messages),
        "<h3>The agent said last</h3>" + _speeches([each.said or "(nothing)"]),
        f"<h3>Checks</h3><ul class=checks>{''.join(map(_verdict, verdicts))}</ul>" if verdicts else "",
        "<h3>Answers that no gate has asked for</h3>" + _speeches(each.unused_answers) if each.unused_answers else "",
        "<h3>Journal</h3><div class=journal>" + "".join(_event_line(each)) + "</div>" if each.excerpt else "",
        f"<p class=note>Runs: {runs}<br>Folder: <code>{escape(each.folder)}</code></p>",
    ]
    veil = '<a class=veil href="#cases" aria-label="Close"></a>'
    return f'<article id="t{number}">{veil}<div>{"".join(parts)}</div></article>'


def _event_line(each: TrialResult) -> Iterator[str]:
    several, last = len(each.runs) > 1, 0
    for event in each.excerpt:
        if event.seq > last + 20:
            yield "<div><span></span><span>…</span><span></span></div>"
        last = event.seq
        place = f"{event.run}.{event.seq}" if several else str(event.seq)
        yield f"<div><span>{place}</span><span>{escape(event.type)}</span><span>{escape(event.text)}</span></div>"


def _speeches(texts: Sequence[str]) -> str:
    return "".join(f"<div class=speech>{escape(text)}</div>" for text in texts)


def _verdict(verdict: Verdict) -> str:
    kind = (
        "skipped" if verdict.passed is None else "error" if verdict.broken else "passed" if verdict.passed else "failed"
    )
    word = {"skipped": "not asked", "error": "broken"}.get(kind, kind)
    told = f'<span class="mark {kind}">{word}</span>{escape(verdict.check)}'
    if verdict.by == "model" and verdict.judge:
        told += f" <span class=tag>verdict of the model {escape(verdict.judge)}</span>"
    elif verdict.by == "code":
        told += " <span class=tag>your own code</span>"
    if kind == "passed" and verdict.by != "model":
        return f"<li>{told}"
    expected, found = escape(verdict.expected or "–"), escape(verdict.found or "–")
    return f"<li>{told}<dl><dt>expected<dd>{expected}<dt>found<dd>{found}</dl>"


def _in_words(pair: Comparison) -> str:
    return (
        f"{pair.first} and {pair.second} on {pair.cases} cases: {pair.first} better in {pair.first_better}, "
        f"{pair.second} in {pair.second_better} (McNemar, exact: p = {pair.p:.3f})"
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _usd(value: float | None) -> str:
    return "price unknown" if value is None else f"${value:.4f}"


def _number(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"
