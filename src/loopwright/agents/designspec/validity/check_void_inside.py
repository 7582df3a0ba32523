"""Whether the voids stay within the domain, but for their ports."""

from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check
from loopwright.agents.designspec.validity.wording import at, counted, length


def check_void_inside(measured: Measurements) -> list[Check]:
    """Exact: the volume of the components' voids outside of the body and of the ports' neighbourhoods."""
    name = "void_inside_domain"
    if not any(not void.is_empty() for void in measured.subject.component_voids.values()):
        return [Check(name=name, passed=True, skipped=True, message="There is no void to look at.")]
    leaks = measured.leaks
    volume = sum(leak.volume for leak in leaks)
    if not leaks:
        told = "The void leaves the domain at its ports only."
        return [Check(name=name, passed=True, message=told, measured=0.0, required=0.0, unit="m3")]
    worst = leaks[0]
    far = f", {length(worst.reach)} beyond its box" if worst.reach > 0 else ""
    return [
        Check(
            name=name,
            passed=False,
            subject="void",
            message=f"The void breaks out of the domain {at(worst.place)}{far}; "
            f"{counted(len(leaks), 'place')}, {volume * 1e9:.4g} mm³ in all.",
            measured=volume,
            required=0.0,
            unit="m3",
            location=worst.place,
            details={
                "places": [
                    {"location": leak.place, "volume_m3": leak.volume, "beyond_m": leak.beyond} for leak in leaks
                ]
            },
        )
    ]
