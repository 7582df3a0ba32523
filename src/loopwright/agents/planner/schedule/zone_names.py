"""Which time zone is meant by a name in a calendar file that neither defines it nor takes it from the IANA database."""

import re
from functools import cache
from zoneinfo import available_timezones

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

TZID = re.compile(r'(?<=;TZID=)("[^"\r\n]*"|[^:;,"\r\n]+)')
DEFINED = re.compile(r"^TZID[^:\r\n]*:(.*)$", re.M)
FOLD = re.compile(r"\r?\n[ \t]")
OFFSET = re.compile(r"(?:UTC|GMT|Z)?\s*([+-])\s*(\d{1,2})(?::?(\d\d))?\b")
MOST_HOURS = 14
MOST_PARTS = 3


def unknown_zones(text: str) -> set[str]:
    """The zone names of an iCalendar text that it does not define and the database does not know."""
    plain = FOLD.sub("", text)
    defined = {name.strip().strip('"') for name in DEFINED.findall(plain)}
    return {name for name in (found.strip('"') for found in TZID.findall(plain)) if name not in defined} - _known()


def with_zones(text: str, zones: dict[str, str]) -> str:
    """The text, unfolded, with other names for some of its zones."""
    return TZID.sub(lambda match: zones.get(match[1].strip('"'), match[1]), FOLD.sub("", text))


def zone_meant(name: str) -> str | None:
    """The database's name of a zone, or None where nothing tells which one is meant.

    Understood are names with something before them (`/example.org/Europe/Berlin`), those of Windows, lists of cities as
    Outlook shows them (`(UTC+01:00) Amsterdam, Berlin`), and whole hours from UTC.
    """
    plain = " ".join(name.strip().strip("/").split())
    parts = plain.split("/")
    for count in range(min(MOST_PARTS, len(parts)), 0, -1):
        tail = "/".join(parts[-count:]).replace(" ", "_")
        if (found := _lower().get(tail.lower())) is not None:
            return found
    if plain in WINDOWS_TO_OLSON:
        return WINDOWS_TO_OLSON[plain]
    offset = OFFSET.search(plain)
    words = plain[plain.rfind(")") + 1 :] if ")" in plain else plain
    for city in re.split(r"[,;/]", words):
        found = _cities().get(city.strip().lower())
        if found is not None:
            return found
    if offset is None or int(offset[2]) > MOST_HOURS or int(offset[3] or 0):
        return None
    # The signs of these names are turned: Etc/GMT-1 lies one hour east of Greenwich.
    hours = int(offset[2])
    return "UTC" if hours == 0 else f"Etc/GMT{'-' if offset[1] == '+' else '+'}{hours}"


@cache
def _known() -> frozenset[str]:
    return frozenset(available_timezones()) | frozenset(WINDOWS_TO_OLSON)


@cache
def _lower() -> dict[str, str]:
    return {name.lower(): name for name in available_timezones()}


@cache
def _cities() -> dict[str, str]:
    """The zones of the database by their city, where it is one of a continent and of one zone only."""
    found: dict[str, str] = {}
    for name in sorted(available_timezones()):
        area, _, city = name.rpartition("/")
        if area and not area.startswith(("Etc", "posix", "right", "SystemV")):
            found.setdefault(city.replace("_", " ").lower(), name)
    return found
