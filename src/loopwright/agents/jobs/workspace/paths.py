"""Which texts are paths inside a workspace. Nothing here looks at the disk."""

import re
import unicodedata

from loopwright.kernel.errors import InvalidInput

STATE_FOLDER = ".loopwright"
"""What the agent's own code keeps beside the files; no tool reads, lists or writes it."""
MAX_NAME_BYTES = 255
"""The longest name that ext4, APFS and NTFS take; NTFS counts UTF-16 units, of which a name has no more."""
MAX_PATH_CHARACTERS = 500
MAX_DEPTH = 20

FORBIDDEN = frozenset('\\:*?"<>|')
"""What Windows does not take in names; the backslash would be a separator there, the colon a stream."""
UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Unicode categories that make a name look like another one, or like two."""
DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\..*)?", re.IGNORECASE)
"""Names that Windows takes for devices, with any suffix."""

HINT = "Write paths relative to the workspace, with slashes, such as output/report.md."


def parts_of(path: str) -> tuple[str, ...]:
    """The names on the way to a file or folder of the workspace; none for the workspace itself (`.` or nothing).

    Raises:
        InvalidInput: it is absolute, climbs up, names a device or the state folder, has a character that does not
            belong into a name, or is too long.
    """
    if len(path) > MAX_PATH_CHARACTERS:
        raise InvalidInput(
            f"The path {path[:40]!r}… has {len(path):,} characters; at most {MAX_PATH_CHARACTERS} are taken.",
            hint="Choose a shorter name.",
        )
    if path.startswith("/"):
        raise InvalidInput(f"{path!r} is an absolute path; only the workspace can be reached.", hint=HINT)
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if len(parts) > MAX_DEPTH:
        raise InvalidInput(f"{path!r} lies {len(parts)} folders deep; at most {MAX_DEPTH} are taken.")
    for part in parts:
        _check_name(part, path)
    return parts


def _check_name(name: str, path: str) -> None:
    odd = next((c for c in name if c in FORBIDDEN or unicodedata.category(c) in UNPRINTABLE), None)
    if odd is not None:
        raise InvalidInput(f"The path {path!r} has the character {odd!r}, which names may not have.", hint=HINT)
    if name == "..":
        raise InvalidInput(f"{path!r} climbs up with '..'; only the workspace can be reached.", hint=HINT)
    if name != name.strip() or name.endswith("."):
        raise InvalidInput(f"The name {name!r} begins or ends with a space, or ends with a dot.", hint=HINT)
    if len(name.encode()) > MAX_NAME_BYTES:
        raise InvalidInput(f"The name {name[:40]!r}… is longer than {MAX_NAME_BYTES} bytes.", hint=HINT)
    plain = unicodedata.normalize("NFKC", name).casefold()
    if plain == STATE_FOLDER:
        raise InvalidInput(f"{path!r} lies in the folder that the program keeps for itself.", hint=HINT)
    if DEVICE.fullmatch(plain):
        raise InvalidInput(f"{name!r} is the name of a device on some systems.", hint="Choose another name.")
