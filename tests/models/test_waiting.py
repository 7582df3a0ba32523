"""Backoff and the endpoint's own request."""

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.models.retry import backoff_bound, retry_after_seconds

NOON = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


def test_backoff_doubles_up_to_its_cap():
    assert [backoff_bound(n, 0.5, 5) for n in range(1, 7)] == [0.5, 1, 2, 4, 5, 5]
    assert backoff_bound(10_000, 0.5, 5) == 5


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Sun, 22 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": format_datetime(NOON.replace(tzinfo=None))}, 0.0),
        ({"retry-after": "Sun, 22 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after-ms": "x", "retry-after": "2"}, 2.0),
    ],
)
def test_the_wish_in_all_its_forms(headers, seconds):
    assert retry_after_seconds(headers, NOON.timestamp()) == seconds


@given(st.text())
def test_no_header_breaks_the_client(value):
    seconds = retry_after_seconds({"retry-after": value})
    assert seconds is None or seconds >= 0
