"""Opaque identifiers that sort by the time they were made."""

import secrets
import time


def new_id() -> str:
    """32 hexadecimal digits: 48 bits of Unix milliseconds, then 80 random bits (the layout of RFC 9562's UUIDv7)."""
    return f"{time.time_ns() // 1_000_000:012x}{secrets.token_hex(10)}"
