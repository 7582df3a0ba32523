"""Compares the public API of the working tree with that of a commit, by griffe; breaking changes are named.

Public are the names of `loopwright.__all__` and `loopwright.testing.__all__`, with the public members of their classes.

    make api-check                   against the last tag, or the last commit where there is no tag
    make api-check AGAINST=v0.1.0

It imports nothing of the project, and is run in the environment of the site's tools.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import griffe

ROOT = Path(__file__).resolve().parents[1]


def last_release() -> str:
    """The last tag, or the last commit."""
    asked = ["git", "describe", "--tags", "--abbrev=0"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "HEAD"


def public_names(package: griffe.Object) -> dict[str, griffe.Object]:
    """The public functions and classes, by the name that users import."""
    found = {}
    for module in (package, package["testing"]):
        for name in module.exports or ():
            thing = module[str(name)]
            found[f"{module.path}.{name}"] = thing.final_target if thing.is_alias else thing
    return found


def problems(old: griffe.Object, new: griffe.Object) -> Iterator[str]:
    """What breaks programs that were written for the old API."""
    before, now = public_names(old), public_names(new)
    for name in before.keys() - now.keys():
        yield f"{name} is gone"
    kept = {name: thing for name, thing in before.items() if name in now}
    homes = {thing.module.path for thing in kept.values()}
    public = tuple(thing.path for thing in kept.values())
    for home in sorted(homes):
        try:
            changes = list(griffe.find_breaking_changes(old.modules_collection[home], new.modules_collection[home]))
        except KeyError:
            continue  # its names live elsewhere now; tests/api/public_signatures.txt shows what became of them
        for change in changes:
            if change.obj.path in public or change.obj.path.startswith(tuple(f"{each}." for each in public)):
                yield change.explain(griffe.ExplanationStyle.MARKDOWN)


def main() -> int:
    """Exit code 1 where something breaks."""
    against = sys.argv[1] if len(sys.argv) > 1 else last_release()
    old = griffe.load_git("loopwright", ref=against, repo=ROOT, search_paths=["src"])
    new = griffe.load("loopwright", search_paths=[ROOT / "src"])
    found = list(problems(old, new))
    for problem in found:
        print(problem)
    print(f"{len(found)} breaking changes of the public API since {against}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
