"""Which proxy an address is reached through, by the variables that every other program obeys.

The variables belong to the machine and not to Loopwright, so they are read by the standard library here and not by the
settings. They are read once per address: asking at each request costs more than the request itself.
"""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from loopwright.kernel.errors import Misconfigured


@dataclass(frozen=True)
class Proxy:
    """An HTTP proxy; its user and password have moved from the address into a header."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


def proxy_for(url: str) -> Proxy | None:
    """The proxy for this address, or None for a direct connection.

    Raises:
        Misconfigured: the proxy speaks something else than HTTP.
    """
    from urllib.request import getproxies, proxy_bypass

    address = urlsplit(url)
    if proxy_bypass(address.netloc.rpartition("@")[2]):
        return None
    known = getproxies()
    proxy = known.get(address.scheme) or known.get("all")
    if not proxy:
        return None
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if parts.scheme not in {"http", "https"}:
        raise Misconfigured(
            f"The proxy for {address.hostname} speaks {parts.scheme}, which is not supported.",
            hint="Set HTTPS_PROXY to an HTTP proxy, or name the host in NO_PROXY.",
        )
    if parts.username is None:
        return Proxy(parts.geturl())
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return Proxy(bare, {"Proxy-Authorization": f"Basic {b64encode(pair).decode()}"})
