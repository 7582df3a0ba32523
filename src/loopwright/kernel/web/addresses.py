"""Which hosts may be asked for anything: public ones only, judged by the address that is connected to."""

import ipaddress
from collections.abc import Callable

from loopwright.kernel.errors import InvalidInput

AddressRule = Callable[[str], bool]

_UNICAST = ipaddress.ip_network("2000::/3")
"""The only part of IPv6 that is routed in the open Internet."""

_NAT64 = ipaddress.ip_network("64:ff9b::/96")

_NOT_PUBLIC = tuple(
    ipaddress.ip_network(text)
    for text in (
        "2001::/23",  # protocol assignments, Teredo among them: it wraps an IPv4 address
        "2001:db8::/32",
        "2002::/16",  # 6to4 wraps an IPv4 address
        "3fff::/20",
        "192.88.99.0/24",
        "168.63.129.16/32",  # public by number; inside Azure it is the host's own service
    )
)


def is_public(address: str) -> bool:
    """Whether an IP address lies in the open Internet: not private, loopback, link-local, multicast or reserved.

    An IPv6 address that maps or translates an IPv4 one is as public as that one; tunnels are not public. An address
    with a zone is not.
    """
    if "%" in address:
        return False
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return is_public(str(ip.ipv4_mapped))
        if ip in _NAT64:
            return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)))
        if ip not in _UNICAST:
            return False
    is_special = ip.is_multicast or ip.is_reserved or any(ip in network for network in _NOT_PUBLIC)
    return ip.is_global and not is_special


def check_address(address: str, host: str, allowed: AddressRule) -> None:
    """Let an allowed address pass.

    Raises:
        InvalidInput: the address is not allowed.
    """
    if not allowed(address):
        raise InvalidInput(
            f"{host} is not a public host, so nothing is fetched from it.",
            hint="Only public hosts are asked; what lies elsewhere must be given as a file.",
        )
