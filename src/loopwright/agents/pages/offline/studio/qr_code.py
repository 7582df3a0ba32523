"""QR codes as inline SVG, drawn without a network: byte mode, error correction level M, versions 1 to 10.

After ISO/IEC 18004:2015: data codewords (7.4), Reed-Solomon blocks over GF(256) with polynomial 0x11D (7.5, annex A),
placement (7.7), masks and their penalties (7.8), format and version information (7.9, 7.10).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import groupby, product

from markupsafe import Markup

QUIET_ZONE = 4
"""Modules of light margin that readers need (ISO/IEC 18004, 5.3.8)."""

# version → (check codewords of each block, data codewords of each block), level M, table 9
BLOCKS: dict[int, tuple[int, tuple[int, ...]]] = {
    1: (10, (16,)), 2: (16, (28,)), 3: (26, (44,)), 4: (18, (32, 32)), 5: (24, (43, 43)),
    6: (16, (27, 27, 27, 27)), 7: (18, (31, 31, 31, 31)), 8: (22, (38, 38, 39, 39)),
    9: (22, (36, 36, 36, 37, 37)), 10: (26, (43, 43, 43, 43, 44)),
}  # fmt: skip
ALIGNMENT = {
    1: (), 2: (6, 18), 3: (6, 22), 4: (6, 26), 5: (6, 30),
    6: (6, 34), 7: (6, 22, 38), 8: (6, 24, 42), 9: (6, 26, 46), 10: (6, 28, 50),
}  # fmt: skip
LEVEL_M = 0b00
MASKS: tuple[Callable[[int, int], bool], ...] = (
    lambda row, column: (row + column) % 2 == 0,
    lambda row, column: row % 2 == 0,
    lambda row, column: column % 3 == 0,
    lambda row, column: (row + column) % 3 == 0,
    lambda row, column: (row // 2 + column // 3) % 2 == 0,
    lambda row, column: row * column % 2 + row * column % 3 == 0,
    lambda row, column: (row * column % 2 + row * column % 3) % 2 == 0,
    lambda row, column: ((row + column) % 2 + row * column % 3) % 2 == 0,
)
"""Which modules a mask turns over; table 10."""

Matrix = list[list[int | None]]


class TooLong(ValueError):
    """The text does not fit the largest code that is drawn here."""


def draw_qr_code(text: str, label: str) -> Markup:
    """An `<svg>` of the code with its quiet zone; `label` is its accessible name.

    Raises:
        TooLong: more than 213 bytes.
    """
    matrix = encode(text.encode())
    size = len(matrix) + 2 * QUIET_ZONE
    path = "".join(
        f"M{column + QUIET_ZONE} {row + QUIET_ZONE}h{run}v1h-{run}z"
        for row, modules in enumerate(matrix)
        for column, run in _dark_runs(modules)
    )
    return Markup(
        '<svg class="qr-code" viewBox="0 0 {0} {0}" role="img" aria-label="{1}" shape-rendering="crispEdges">'
        '<rect width="{0}" height="{0}" fill="#fff"/><path d="{2}" fill="#000"/></svg>'
    ).format(size, label, path)


def _dark_runs(modules: list[int]) -> list[tuple[int, int]]:
    runs, column = [], 0
    for dark, group in groupby(modules):
        length = len(list(group))
        if dark:
            runs.append((column, length))
        column += length
    return runs


def encode(data: bytes) -> list[list[int]]:
    """The modules of the smallest code that holds the bytes, 1 for dark, without quiet zone.

    Raises:
        TooLong: more than 213 bytes.
    """
    version = next((v for v in BLOCKS if len(data) <= _capacity(v)), None)
    if version is None:
        raise TooLong(f"{len(data)} bytes; a code of version {max(BLOCKS)} holds {_capacity(max(BLOCKS))}")
    bits = [bit for word in _codewords(data, version) for bit in _bits(word, 8)]
    frame = _function_patterns(version)
    candidates = [_masked(frame, bits, mask, version) for mask in range(len(MASKS))]
    return min(candidates, key=_penalty)


def _capacity(version: int) -> int:
    """Bytes that fit: all data codewords less mode indicator (4 bits) and length (8 or 16 bits)."""
    return (8 * sum(BLOCKS[version][1]) - 4 - _length_bits(version)) // 8


def _length_bits(version: int) -> int:
    return 8 if version < 10 else 16


def _bits(value: int, count: int) -> list[int]:
    return [value >> shift & 1 for shift in range(count - 1, -1, -1)]


def _codewords(data: bytes, version: int) -> list[int]:
    """Data and check codewords in the order in which they are placed: interleaved over the blocks."""
    check_count, sizes = BLOCKS[version]
    room = 8 * sum(sizes)
    bits = [0, 1, 0, 0, *_bits(len(data), _length_bits(version))]
    bits += [bit for byte in data for bit in _bits(byte, 8)]
    bits += [0] * min(4, room - len(bits))
    bits += [0] * (-len(bits) % 8)
    words = [int("".join(map(str, bits[at : at + 8])), 2) for at in range(0, len(bits), 8)]
    words += [(0xEC, 0x11)[number % 2] for number in range(sum(sizes) - len(words))]
    blocks, start = [], 0
    for size in sizes:
        blocks.append(words[start : start + size])
        start += size
    checks = [check_words(block, check_count) for block in blocks]
    placed = [block[at] for at in range(max(sizes)) for block in blocks if at < len(block)]
    return placed + [check[at] for at in range(check_count) for check in checks]


@cache
def _tables() -> tuple[list[int], list[int]]:
    """Powers and logarithms of the generator 2 in GF(256)."""
    powers, logs, value = [0] * 512, [0] * 256, 1
    for exponent in range(255):
        powers[exponent], logs[value] = value, exponent
        value = value << 1 ^ (0x11D if value & 0x80 else 0)
    powers[255:510] = powers[:255]
    return powers, logs


def check_words(block: list[int], count: int) -> list[int]:
    """The Reed-Solomon check codewords of a block: the remainder of its division by the generator polynomial."""
    powers, logs = _tables()
    generator = [1]
    for exponent in range(count):
        shifted = [*generator, 0]
        for at, factor in enumerate(generator):
            shifted[at + 1] ^= powers[logs[factor] + exponent] if factor else 0
        generator = shifted
    remainder = [*block, *([0] * count)]
    for at in range(len(block)):
        factor = remainder[at]
        if factor:
            for offset, term in enumerate(generator):
                remainder[at + offset] ^= powers[logs[term] + logs[factor]] if term else 0
    return remainder[len(block) :]


def _function_patterns(version: int) -> Matrix:
    """The code with everything but data; None where data go."""
    size = 17 + 4 * version
    frame: Matrix = [[None] * size for _ in range(size)]
    for row, column in ((0, 0), (0, size - 7), (size - 7, 0)):
        _finder(frame, row, column)
    centres = ALIGNMENT[version]
    for row, column in product(centres, centres):
        if frame[row][column] is None:
            for dy, dx in product(range(-2, 3), range(-2, 3)):
                frame[row + dy][column + dx] = int(max(abs(dy), abs(dx)) != 1)
    for at in range(8, size - 8):
        frame[6][at] = frame[at][6] = 1 - at % 2
    frame[size - 8][8] = 1
    for row, column in _format_places(size):
        if frame[row][column] is None:
            frame[row][column] = 0
    if version >= 7:
        for at, bit in enumerate(reversed(_bits(_with_remainder(version, 12, 0x1F25), 18))):
            frame[at // 3][size - 11 + at % 3] = frame[size - 11 + at % 3][at // 3] = bit
    return frame


def _finder(frame: Matrix, top: int, left: int) -> None:
    size = len(frame)
    for dy, dx in product(range(-1, 8), range(-1, 8)):
        row, column = top + dy, left + dx
        if 0 <= row < size and 0 <= column < size:
            ring = max(abs(dy - 3), abs(dx - 3))
            frame[row][column] = int(ring not in (2, 4))


def _format_places(size: int) -> list[tuple[int, int]]:
    """Where the fifteen format bits go, the most significant first, in both copies."""
    around = [(8, at) for at in (0, 1, 2, 3, 4, 5, 7, 8)] + [(at, 8) for at in (7, 5, 4, 3, 2, 1, 0)]
    apart = [(size - 1 - at, 8) for at in range(7)] + [(8, size - 8 + at) for at in range(8)]
    return around + apart


def _with_remainder(value: int, count: int, polynomial: int) -> int:
    """The value followed by `count` check bits of its BCH code."""
    rest = value << count
    while rest.bit_length() > count:
        rest ^= polynomial << (rest.bit_length() - 1 - count)
    return value << count | rest


def _masked(frame: Matrix, bits: list[int], mask: int, version: int) -> list[list[int]]:
    """The complete code under one mask."""
    size = 17 + 4 * version
    matrix = [list(row) for row in frame]
    left = iter(bits)
    for row, column in _data_places(frame):
        matrix[row][column] = next(left, 0) ^ int(MASKS[mask](row, column))
    information = _bits(_with_remainder(LEVEL_M << 3 | mask, 10, 0x537) ^ 0x5412, 15)
    for (row, column), bit in zip(_format_places(size), [*information, *information], strict=True):
        matrix[row][column] = bit
    return [[int(module or 0) for module in row] for row in matrix]


def _data_places(frame: Matrix) -> list[tuple[int, int]]:
    """The free modules in the order in which bits are placed: pairs of columns from the right, up and down in turn."""
    size = len(frame)
    columns = [column for column in range(size - 1, 0, -2) if column > 6] + [5, 3, 1]
    places = []
    for number, right in enumerate(columns):
        rows = range(size - 1, -1, -1) if number % 2 == 0 else range(size)
        places += [(row, column) for row in rows for column in (right, right - 1) if frame[row][column] is None]
    return places


def _penalty(matrix: list[list[int]]) -> int:
    """How hard a code is to read (7.8.3): runs, blocks, patterns like finders, and uneven darkness."""
    lines = [*matrix, *map(list, zip(*matrix, strict=True))]
    score = 0
    for line in lines:
        score += sum(length - 2 for _, group in groupby(line) if (length := len(list(group))) >= 5)
        text = "".join(map(str, line))
        score += 40 * sum(text[at:].startswith(("10111010000", "00001011101")) for at in range(len(text) - 10))
    size = len(matrix)
    for row, column in product(range(size - 1), range(size - 1)):
        square = matrix[row][column] + matrix[row][column + 1] + matrix[row + 1][column] + matrix[row + 1][column + 1]
        score += 3 * (square in (0, 4))
    dark = 100 * sum(map(sum, matrix)) / size**2
    return score + 10 * int(abs(dark - 50) / 5)
