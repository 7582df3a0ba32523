"""What happened while a command ran outside the sandbox: the project is looked at before and after it.

Whoever else changed files meanwhile cannot be told from it, so these changes are kept as uncertain: undoing them needs
the user's word. What git ignores is not seen.
"""

from pathlib import PurePosixPath

from loopwright.agents.ide.editing.ledger import Change, Ledger
from loopwright.agents.ide.editing.scanning import scan
from loopwright.agents.ide.editing.states import decoded, same
from loopwright.agents.ide.files import ProjectFiles
from loopwright.agents.ide.sandbox import survey


def remember_before_command(files: ProjectFiles, ledger: Ledger, run_id: str, now_ns: int) -> None:
    """Keep the contents and states of all files, so that whatever the command does can be told and undone."""
    found = scan(files, survey(files.root).marks, ledger.seen(), ledger.keep, now_ns)
    ledger.remember_seen(found)
    states = {path: seen.state.encoded() for path, seen in found.items()}
    inodes = [seen.inode for seen in found.values()]
    ledger.set_baseline(ledger.begin(run_id, "run"), {"since": now_ns, "states": states, "inodes": inodes})


def account_for_command(files: ProjectFiles, ledger: Ledger, number: int, now_ns: int) -> None:
    """Record what is other than before the command.

    A file that git ignored before and does not any more was there all the time: its inode was not touched since, and is
    none of those that stood elsewhere before (moving a folder touches no file in it).
    """
    baseline = ledger.baselines()[number]
    before = {path: decoded(line) for path, line in baseline["states"].items()}
    folders = {str(folder) for path in before for folder in PurePosixPath(path).parents}
    inodes = set(baseline["inodes"])
    found = scan(files, survey(files.root).marks, ledger.seen(), ledger.keep, now_ns, also=before)
    ledger.remember_seen(found)
    for path in sorted(before.keys() | found.keys()):
        old, seen = before.get(path), found.get(path)
        new = seen.state if seen is not None else None
        untouched = seen is not None and seen.changed_ns < baseline["since"] and seen.inode not in inodes
        if same(old, new) or (old is None and untouched):
            continue
        made = sum(1 for folder in PurePosixPath(path).parents if str(folder) not in folders) if old is None else 0
        ledger.record(number, Change(path, old, new, made, mixed=True))
    ledger.set_baseline(number, None)
