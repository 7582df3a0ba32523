"""What becomes of requests in conversation, judged on the mesh: right, told, or false done.

    python bench/designspec_requests.py REQUESTS.jsonl [--program loopwright] [--only CONVERSATION] [--out FILE]

Each conversation of the file is held with the offline model, everything approved, no question answered; after each
message the document is built and the exported STL is measured by `agents/designspec/account`. A request is
`right` when all that was expected of the solid was measured; `told` when it is not, and nothing was changed or a
question was asked; `false` when something else was made and nothing says so.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopwright.agents.designspec.account.solid import Channel, NotMeasurable, Solid

EMPTY = "the document has no body"
CLOSE = 0.01
"""Share by which a length may differ."""


@dataclass
class Part:
    """A project under conversation."""

    folder: Path
    program: str
    document: dict[str, Any] = field(default_factory=dict)

    def say(self, message: str) -> dict[str, Any]:
        """Say something; the last line of the run, and what was approved."""
        command = [self.program, "designspec", "-p", str(self.folder / "part"), "--provider", "offline"]
        done = self._run([*command, "--message", message, "--approve", "all", "--json"])
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return {"exit": done.returncode, **(lines[-1] if lines else {"message": done.stderr})}

    def read(self) -> dict[str, Any]:
        """The document as it is stored."""
        return dict(json.loads((self.folder / "part" / "spec.json").read_text()))

    def build(self, document: dict[str, Any], name: str) -> Path | str:
        """The folder of a run over this document, without the picture; or why there is none."""
        document = json.loads(json.dumps(document))
        document.setdefault("policies", {}).setdefault("output", {})["output_png"] = False
        if not document.get("components"):
            document["embedding"] = {"enable": False}
        source, out = self.folder / f"{name}.json", self.folder / name
        source.write_text(json.dumps(document))
        done = self._run([self.program, "designspec", "run", str(source), "--out", str(out), "--json"])
        runs = sorted((out / "artifacts").glob("run_*")) if out.exists() else []
        if not runs or not (runs[-1] / "solid.stl").exists():
            return (done.stdout.splitlines() or [done.stderr])[-1][:300]
        return runs[-1]

    def _run(self, command: list[str]) -> "subprocess.CompletedProcess[str]":
        env = os.environ | {"LOOPWRIGHT_HOME": str(self.folder / "home")}
        return subprocess.run(command, capture_output=True, text=True, env=env, timeout=900, check=False)


def _size(text: str) -> tuple[str, list[float]]:
    return text.split()[0], [float(found) for found in re.findall(r"\d+(?:\.\d+)?", text)]


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= CLOSE * max(abs(other), 1e-9)


def wrong(expect: dict[str, Any], run: Path) -> list[str]:
    """What of the expected is not so in the mesh of a run."""
    solid, found = Solid.read(run / "solid.stl"), []
    if "body" in expect:
        shape, sizes = _size(expect["body"])
        wanted = sizes if shape == "box" else [sizes[0], sizes[0], sizes[1]]
        if solid.shape != shape or not all(map(_near, solid.extents, wanted)):
            found.append(f"body {solid.shape} {tuple(round(v, 3) for v in solid.extents)}")
    if "channels" in expect and len(solid.channels) != expect["channels"]:
        found.append(f"{len(solid.channels)} channels")
    opened = [opening.face for channel in solid.channels for opening in channel.openings]
    for kind in ("inlet", "outlet"):
        face, count = expect.get(f"{kind}_face"), expect.get(f"{kind}s", 1)
        if face and opened.count(face) != count:
            found.append(f"{opened.count(face)} openings on the {face}")
    wanted_axis = [axis for axis in str(expect.get("axis", ""))[:1] if axis in "xyz"]
    for number, channel in enumerate(solid.channels, 1):
        found += [f"channel {number}: {each}" for each in _wrong_channel(channel, expect, wanted_axis)]
    if "tips" in expect:
        tips = sum(_tips(file) for file in (run / "networks").glob("*.json"))
        if tips != expect["tips"]:
            found.append(f"{tips} tips")
    return found


def _wrong_channel(channel: Channel, expect: dict[str, Any], axes: list[str]) -> list[str]:
    found = []
    try:
        if axes and channel.axis != axes[0]:
            found.append(f"along {channel.axis or 'no axis'}")
        if "diameter_mm" in expect and "channels" in expect and not _near(channel.widths[1], expect["diameter_mm"]):
            found.append(f"{channel.widths[1]:.3f} mm wide")
    except NotMeasurable as error:
        found.append(str(error))
    if expect.get("through") is True and not channel.through:
        found.append(f"{len(channel.openings)} openings")
    return found


def _tips(file: Path) -> int:
    nodes = json.loads(file.read_text())["nodes"].values()
    return sum(node["node_type"] == "terminal" for node in nodes)


def _made(document: dict[str, Any]) -> list[Any]:
    return [document.get(key) or None for key in ("domains", "components", "policies")]


def judge(record: dict[str, Any], part: Part, before: dict[str, Any]) -> tuple[str, str]:
    """The verdict on one request, with what it rests on."""
    answer = part.say(record["request"])
    after, said = part.read(), str(answer.get("message", ""))[:600]
    changed, expect = _made(after) != _made(before), record["expect"]
    asked = answer["exit"] == 3
    part.document = after
    if record["kind"] in ("answer", "refusal_or_question"):
        if changed:
            return "false", f"changed the document: {said}"
        if "value_mm" in expect:
            return ("right" if str(expect["value_mm"]) in said else "told"), said
        return "right", said
    if not changed:
        return "told", ("asked: " if asked else "") + said
    if not after.get("domains"):
        return "told", EMPTY
    run = part.build(after, f"build{record['turn']}")
    if isinstance(run, str):
        return "false", f"it cannot be built: {run}; said: {said}"
    found = wrong(expect, run)
    return ("right", said) if not found else ("false", f"{'; '.join(found[:6])} | said: {said}")


def main() -> int:
    """Hold the conversations and print the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("requests", type=Path)
    parser.add_argument("--program", default=str(Path(sys.executable).with_name("loopwright")))
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=Path)
    told = parser.parse_args()
    records = [json.loads(line) for line in told.requests.read_text().splitlines() if line.strip()]
    verdicts: Counter[str] = Counter()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        parts: dict[str, Part] = {}
        for record in records:
            name = record["conversation"]
            if told.only and name != told.only:
                continue
            if name not in parts:
                (Path(folder) / name).mkdir()
                parts[name] = Part(Path(folder) / name, told.program)
            part = parts[name]
            verdict, why = judge(record, part, part.document)
            verdicts[verdict] += 1
            lines.append({"conversation": name, "turn": record["turn"], "verdict": verdict, "why": why})
            print(f"{verdict:6} {name} {record['turn']}: {record['request']}\n       {why!r}", flush=True)
    print(dict(verdicts))
    if told.out:
        told.out.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
