"""QR codes, read back by a reader that shares nothing with the writer but the standard."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.pages.offline.studio.rendering import TooLong, draw_qr_code, encode

# Level M of ISO/IEC 18004, table 9: version → (data codewords of each block, check codewords)
LAYOUT = {
    1: ((16,), 10),
    2: ((28,), 16),
    3: ((44,), 26),
    4: ((32, 32), 18),
    5: ((43, 43), 24),
    6: ((27,) * 4, 16),
    7: ((31,) * 4, 18),
    8: ((38, 38, 39, 39), 22),
    9: ((36, 36, 36, 37, 37), 22),
    10: ((43,) * 4 + (44,), 26),
}
CENTRES = {1: [], 2: [18], 3: [22], 4: [26], 5: [30], 6: [34], 7: [22, 38], 8: [24, 42], 9: [26, 46], 10: [28, 50]}
RULES = [
    lambda i, j: (i + j) % 2,
    lambda i, j: i % 2,
    lambda i, j: j % 3,
    lambda i, j: (i + j) % 3,
    lambda i, j: (i // 2 + j // 3) % 2,
    lambda i, j: i * j % 2 + i * j % 3,
    lambda i, j: (i * j % 2 + i * j % 3) % 2,
    lambda i, j: ((i + j) % 2 + i * j % 3) % 2,
]


def reserved(size: int, version: int) -> set[tuple[int, int]]:
    """Modules that hold no data."""
    taken = {(i, j) for i in range(9) for j in range(9)}
    taken |= {(i, size - 1 - j) for i in range(9) for j in range(8)} | {
        (size - 1 - i, j) for i in range(8) for j in range(9)
    }
    taken |= {(6, k) for k in range(size)} | {(k, 6) for k in range(size)}
    corners = {(6, 6), (6, max(CENTRES[version], default=0)), (max(CENTRES[version], default=0), 6)}
    for i, j in set(itertools.product([6, *CENTRES[version]], repeat=2)) - corners if CENTRES[version] else ():
        taken |= {(i + a, j + b) for a in range(-2, 3) for b in range(-2, 3)}
    if version >= 7:
        taken |= {(i, size - 11 + j) for i in range(6) for j in range(3)} | {
            (size - 11 + j, i) for i in range(6) for j in range(3)
        }
    return taken


def times(one: int, other: int) -> int:
    """Product in GF(256) modulo 0x11D, by shifting and adding."""
    product = 0
    while other:
        product ^= one if other & 1 else 0
        one = one << 1 ^ (0x11D if one & 128 else 0)
        other >>= 1
    return product


def read(matrix: list[list[int]]) -> bytes:
    """The bytes of a code; asserts that its Reed-Solomon syndromes are zero."""
    size = len(matrix)
    version = (size - 17) // 4
    information = int("".join(str(matrix[8][j]) for j in (0, 1, 2, 3, 4, 5, 7, 8)), 2) >> 3 ^ 0b10101
    level, mask = information >> 3, information & 7
    assert level == 0, "not level M"
    taken, bits, up = reserved(size, version), [], True
    for right in [*range(size - 1, 6, -2), 5, 3, 1]:
        for i in range(size - 1, -1, -1) if up else range(size):
            bits += [matrix[i][j] ^ (RULES[mask](i, j) == 0) for j in (right, right - 1) if (i, j) not in taken]
        up = not up
    words = [int("".join(map(str, bits[k : k + 8])), 2) for k in range(0, len(bits) // 8 * 8, 8)]
    sizes, checks = LAYOUT[version]
    blocks: list[list[int]] = [[] for _ in sizes]
    stream = iter(words)
    for column in range(max(sizes)):
        for block, length in zip(blocks, sizes, strict=True):
            if column < length:
                block.append(next(stream))
    data = [word for block in blocks for word in block]
    for _ in range(checks):
        for block in blocks:
            block.append(next(stream))
    for block in blocks:
        root = 1
        for _ in range(checks):
            value = 0
            for word in block:
                value = times(value, root) ^ word
            assert value == 0, "a syndrome is not zero"
            root = times(root, 2)
    stretch = "".join(f"{word:08b}" for word in data)
    assert stretch[:4] == "0100", "not byte mode"
    head = 4 + (8 if version < 10 else 16)
    length = int(stretch[4:head], 2)
    return bytes(int(stretch[head + 8 * k : head + 8 * k + 8], 2) for k in range(length))


@pytest.mark.parametrize("length", [0, 1, 14, 15, 26, 27, 42, 62, 84, 106, 122, 152, 180, 181, 213])
def test_every_version_is_read_back(length: int) -> None:
    data = bytes(k * 37 % 256 for k in range(length))
    assert read(encode(data)) == data


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=50))
def test_any_text_is_read_back(text: str) -> None:
    assert read(encode(text.encode("utf-8", "surrogatepass"))) == text.encode("utf-8", "surrogatepass")


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(TooLong):
        encode(b"x" * 214)


def test_labels_are_escaped() -> None:
    assert 'aria-label="&lt;b&gt;"' in draw_qr_code("x", "<b>")
