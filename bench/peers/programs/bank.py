"""The side effect that all programs share: a request to a bank that counts."""

import os
from urllib.request import urlopen


def transfer(euros: int) -> str:
    """Pay at the bank of the comparison."""
    with urlopen(f"{os.environ['BANK']}/pay/{euros}", data=b"", timeout=30) as answer:
        return answer.read().decode()
