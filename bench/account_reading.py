"""Run labelled messages through the reading of the account, and write what it found for the script that scores it.

    bench/account_reading.py GOLD.jsonl RESULTS.jsonl [--half even|odd] [--model] [--most N] [--seconds S]

GOLD has a JSON object a line with `id`, `message` and, for the hard tokens, `statements: [{"hard": [...]}]`. RESULTS
gets one line a message: `{"id", "account": {"not_used": [text of each statement]}}`; nothing has been done, so nothing
is kept. With `--model` the configured model (`OPENAI_BASE_URL` …) cuts each message in one call, and RESULTS is carried
on where an earlier run stopped; `--seconds` ends the run between two messages, so that a model that others use is not
held for long. The quotes stand in RESULTS too.
"""

import argparse
import asyncio
import json
import statistics
import time
from pathlib import Path
from typing import Any

from loopwright.app.models import open_model
from loopwright.app.settings import Settings
from loopwright.kernel.account.model_claims import propose_quotes
from loopwright.kernel.account.reading import complete_reading, hard_tokens, read_statements
from loopwright.kernel.prompts import PromptRepository

Row = dict[str, Any]


def rows_of(path: Path, half: str) -> list[Row]:
    """The labelled messages, or every second of them."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    first = {"even": 0, "odd": 1}.get(half)
    return rows if first is None else rows[first::2]


def result(row: Row, texts: list[str], **more: Any) -> str:
    """A line of the results."""
    return json.dumps({"id": row["id"], "account": {"not_used": texts}, **more}, ensure_ascii=False) + "\n"


def by_rules(rows: list[Row], results: Path) -> None:
    """Read by the rules, and print the speed and how many labelled hard tokens are recognised as such."""
    read_statements("Warm up, bitte, 请")
    times, known, wanted = [], 0, 0
    with results.open("w", encoding="utf-8") as file:
        for row in rows:
            began = time.process_time()
            statements = read_statements(row["message"])
            times.append(1000 * (time.process_time() - began))
            file.write(result(row, [statement.text for statement in statements]))
            hard = [token.text.casefold() for token in hard_tokens(row["message"])]
            for token in (token for statement in row.get("statements", []) for token in statement.get("hard", [])):
                wanted += 1
                known += all(any(part in text for text in hard) for part in token.casefold().split())
    print(f"{len(rows)} messages, median {statistics.median(times):.2f} ms, slowest {max(times):.2f} ms of CPU time")
    print(f"labelled hard tokens recognised: {known} of {wanted}")


def not_done(rows: list[Row], results: Path) -> list[Row]:
    """The messages of which the results have none yet."""
    lines = results.read_text(encoding="utf-8").splitlines() if results.is_file() else []
    done = {json.loads(line)["id"] for line in lines}
    return [row for row in rows if row["id"] not in done]


async def by_model(rows: list[Row], results: Path, seconds: float) -> None:
    """Read with the configured model, one call a message, and print calls, tokens and what was refused."""
    began, tokens = time.monotonic(), [0, 0]
    async with open_model(Settings()) as model:
        profile = model.profile("fast")

        async def complete(request: Any) -> Any:
            response = await model.complete(request)
            tokens[0] += response.usage.prompt_tokens
            tokens[1] += response.usage.completion_tokens
            return response

        with results.open("a", encoding="utf-8") as file:
            for row in rows:
                if time.monotonic() - began > seconds:
                    break
                start = time.monotonic()
                proposal = await propose_quotes(row["message"], complete, PromptRepository({}), profile)
                completed = complete_reading(row["message"], proposal.quotes)
                texts = [statement.text for statement in completed.statements]
                more = {"quotes": proposal.quotes, "refused": completed.refused, "trouble": proposal.trouble}
                file.write(result(row, texts, **more, seconds=round(time.monotonic() - start, 1)))
                file.flush()
    print(f"profile {profile}, {tokens[0]} tokens read, {tokens[1]} written in {time.monotonic() - began:.0f} s")


def main() -> None:
    """Read the messages, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--half", choices=("all", "even", "odd"), default="all")
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--most", type=int, default=10_000, help="so many messages at most")
    parser.add_argument("--seconds", type=float, default=150.0)
    given = parser.parse_args()
    rows = rows_of(given.gold, given.half)[: given.most]
    if given.model:
        asyncio.run(by_model(not_done(rows, given.results), given.results, given.seconds))
    else:
        by_rules(rows, given.results)


if __name__ == "__main__":
    main()
