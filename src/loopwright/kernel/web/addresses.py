"""Which hosts may be asked for anything: public ones only, judged by the address that is connected to."""

import ipaddress
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

import idna

from loopwright.kernel.errors import InvalidInput

# Web addresses, parsed and normalised once: what is judged afterwards is what is connected to.

MAX_URL = 8_192
"""Characters; longer addresses are refused by many servers."""

DEFAULT_PORTS = {"http": 80, "https": 443}

FIRST_FREE_PORT = 1_024
"""Below it only the ports of the web are asked: other services there (mail, shells) misread a request as commands."""

_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_IN_PATH = "/%:@!$&'()*+,;=~-._"


@dataclass(frozen=True)
class Target:
    """An address that may be judged. `host` is a name or a canonical IP address without brackets."""

    scheme: str
    host: str
    port: int
    path: str
    """Path and query, percent-encoded."""

    @property
    def url(self) -> str:
        """The address in its normal form."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}"

    @property
    def is_numeric(self) -> bool:
        """Whether the host is an IP address, so that no name is resolved."""
        return ":" in self.host or _NUMBER.fullmatch(self.host.rpartition(".")[2]) is not None

    def joined(self, location: str) -> "Target":
        """Where a redirect leads.

        Raises:
            InvalidInput: it leads to no http(s) address.
        """
        return parse_target(urljoin(self.url, _checked(location)))


def parse_target(url: str) -> Target:
    """The address in its normal form; a fragment is dropped.

    Raises:
        InvalidInput: it is no http(s) address of a host, has a user or a password, or could be read in two ways.
    """
    try:
        parts = urlsplit(_checked(url))
        port = parts.port
    except ValueError as error:
        raise _unusable(url, str(error)) from error
    if parts.scheme not in DEFAULT_PORTS:
        raise InvalidInput(f"Files are fetched over http and https only, not from {_shown(url)}.")
    if "@" in parts.netloc:
        raise _unusable(url, "it has a user or a password")
    if port is None:
        port = DEFAULT_PORTS[parts.scheme]
    if port < FIRST_FREE_PORT and port not in DEFAULT_PORTS.values():
        raise _unusable(url, f"port {port} is not one of the web")
    try:
        host = _host(parts.netloc)
        path = quote(parts.path or "/", safe=_IN_PATH)
        query = quote(parts.query, safe=_IN_PATH + "?")
    except ValueError as error:
        raise _unusable(url, str(error)) from error
    return Target(parts.scheme, host, port, f"{path}?{query}" if query else path)


def _checked(url: str) -> str:
    """The text, if every parser sees the same characters in it: some drop control characters, some turn backslashes."""
    if len(url) > MAX_URL:
        raise _unusable(url, f"it is longer than {MAX_URL:,} characters")
    url = url.strip(" ")
    if "\\" in url or any(unicodedata.category(character) in ("Cc", "Cs") for character in url):
        raise _unusable(url, "it has characters that no address has")
    return url


def _host(netloc: str) -> str:
    """The host of a netloc without user; ValueError says what is wrong with it."""
    if netloc.startswith("["):
        literal, _, rest = netloc[1:].partition("]")
        if rest and not re.fullmatch(r":[0-9]*", rest):
            raise ValueError("there is text after the IPv6 address")
        if "%" in literal:
            raise ValueError("it names a network interface")
        return str(ipaddress.IPv6Address(literal))
    name, colon, port = netloc.partition(":")
    if colon and not re.fullmatch(r"[0-9]*", port):
        raise ValueError("the port is no number")
    name = _ascii(name)
    if _NUMBER.fullmatch(name.rpartition(".")[2]):
        return str(_ipv4(name))
    if not _NAME.fullmatch(name):
        raise ValueError("the host is no name")
    return name


def _ascii(name: str) -> str:
    """The name as DNS has it; one dot at its end is dropped."""
    name = unicodedata.normalize("NFKC", idna.uts46_remap(name)).lower().removesuffix(".")
    if name.isascii():
        return name
    return idna.encode(name).decode("ascii")


def _ipv4(text: str) -> ipaddress.IPv4Address:
    """A number of one to four parts, each decimal, octal or hexadecimal, the last filling what is left."""
    *heads, last = [_number(part) for part in text.split(".")]
    if len(heads) > 3 or any(head > 255 for head in heads) or last >= 256 ** (4 - len(heads)):
        raise ValueError("the host is no IPv4 address")
    value = last
    for position, head in enumerate(heads):
        value += head * 256 ** (3 - position)
    return ipaddress.IPv4Address(value)


def _number(part: str) -> int:
    if not _NUMBER.fullmatch(part) or len(part) > 20:
        raise ValueError("the host is no IPv4 address")
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8 if len(part) > 1 and part[0] == "0" else 10)


def _unusable(url: str, why: str) -> InvalidInput:
    return InvalidInput(f"{_shown(url)} is no web address that can be used: {why}.")


def _shown(url: str) -> str:
    return ascii(url[:100])


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
