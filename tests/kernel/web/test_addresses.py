"""Which addresses may be asked."""

import pytest

from loopwright.kernel.web.addresses import is_public


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1%eth0",
        "fc00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2002:808:808::",
        "2001:0:808:808::1",
        "2001:db8::1",
        "2606:4700::1111%eth0",
        "::8.8.8.8",
        "64:ff9b:1::808:808",
        "fec0::1",
        "5f00::1",
        "192.88.99.1",
        "168.63.129.16",
        "240.0.0.1",
    ],
)
def test_not_public(address: str) -> None:
    assert not is_public(address)
