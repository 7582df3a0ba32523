"""What a filter of system calls answers, computed as the kernel does: for machines that this one is not."""

import errno
import struct

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06


def judged(program: bytes, architecture: int, number: int, *arguments: int) -> str:
    """The name of the error for a call, or `allowed`."""
    data = struct.pack("<IIQ6Q", number, architecture, 0, *(*arguments, *(0,) * (6 - len(arguments))))
    steps = [struct.unpack_from("<HBBI", program, place) for place in range(0, len(program), 8)]
    place = held = 0
    while True:
        code, yes, no, value = steps[place]
        place += 1
        if code == LOAD:
            (held,) = struct.unpack_from("<I", data, value)
        elif code == RETURN:
            return "allowed" if value == 0x7FFF0000 else errno.errorcode[value & 0xFFFF]
        else:
            holds = {EQUAL: held == value, AT_LEAST: held >= value, ANY_BIT: bool(held & value)}[code]
            place += yes if holds else no
