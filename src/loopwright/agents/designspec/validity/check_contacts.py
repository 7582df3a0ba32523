"""Where the voids of different components meet."""

from loopwright.agents.designspec.validity.contacts import share_port
from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check
from loopwright.agents.designspec.validity.wording import at, counted

TOLD = 20


def check_contacts(measured: Measurements) -> list[Check]:
    """Contacts at a port that components share are meant; others are told, and may be meant too."""
    name = "component_contacts"
    if len(measured.subject.component_voids) < 2:
        return [Check(name=name, passed=True, skipped=True, message="There is one component only.")]
    contacts = measured.contacts
    stray = [contact for contact in contacts if not contact.at_shared_port]
    details = {
        "contacts": [
            {
                "components": [contact.first.component, contact.second.component],
                "location": contact.place,
                "at_shared_port": contact.at_shared_port,
            }
            for contact in contacts[:TOLD]
        ]
    }
    told = f"{counted(len(contacts), 'contact')} between components, {len(contacts) - len(stray)} at a shared port"
    if not stray:
        return [
            Check(name=name, passed=True, message=f"{told}.", measured=0, required=0, unit="contacts", details=details)
        ]
    first = stray[0]
    sharing = share_port(measured.subject, first.first.component, first.second.component)
    meant = "away from the port that they share" if sharing else "though they share no port"
    between = f"{first.first.component} and {first.second.component}"
    return [
        Check(
            name=name,
            passed=False,
            subject=between,
            message=f"{told}: {between} run into each other {at(first.place)}, {meant}.",
            measured=len(stray),
            required=0,
            unit="contacts",
            location=first.place,
            details=details,
        )
    ]
