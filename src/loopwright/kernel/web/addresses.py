"""Which hosts may be asked for anything: public ones only, judged after the name is resolved."""

import ipaddress
from collections.abc import Callable

from loopwright.kernel.errors import InvalidInput

AddressRule = Callable[[str], bool]


def is_public(address: str) -> bool:
    """Whether an IP address lies in the open Internet: not private, loopback, link-local, multicast or reserved.

    An IPv6 address that wraps an IPv4 one is as public as that one.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        wrapped = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if wrapped is not None:
            return is_public(str(wrapped))
        if ip in _NAT64:
            return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)))
    return ip.is_global and not ip.is_multicast


_NAT64 = ipaddress.ip_network("64:ff9b::/96")


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
