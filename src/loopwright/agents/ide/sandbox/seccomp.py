"""The system calls that a confined command may not make, as a program for the kernel's filter (seccomp(2)).

What is refused either reaches beyond a sandbox (keys, performance events, other processes' memory), makes namespaces
and mounts, goes around filters (io_uring, calls of another word size), or types into the user's terminal.
"""

import errno
import platform
import struct

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""Codes of classic BPF instructions (linux/bpf_common.h): load; jump if equal, if at least, if a bit is set; end."""
NUMBER, ARCHITECTURE, FIRST, SECOND = 0, 4, 16, 24
"""Where `struct seccomp_data` has the call's number, the architecture, and the lower halves of the first arguments."""
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
FOREIGN_WORD_SIZE = 0x40000000
"""From this number on calls are of the x32 word size."""
NEW_NAMESPACES = 0x7E020000
"""All CLONE_NEW… flags that clone(2) takes, but for the time namespace, whose bit means something else there."""
INTO_THE_TERMINAL = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, which only their lower halves tell: the kernel ignores the upper ones."""
LOCAL, FAMILIES = 1, (2, 10, 16)
"""Sockets that programs need: local, IPv4, IPv6, and netlink for finding names."""

SAME_EVERYWHERE = {425: errno.ENOSYS, 426: errno.ENOSYS, 427: errno.ENOSYS, 435: errno.ENOSYS} | dict.fromkeys(
    (428, 429, 430, 431, 432, 433, 438, 442), errno.EPERM
)
"""io_uring and clone3, which programs do without; open_tree … fspick, pidfd_getfd, mount_setattr."""
OF_MACHINE = {
    "x86_64": (
        0xC000003E,
        {"clone": 56, "ioctl": 16, "socket": 41},
        # ptrace, process_vm_*, keys, bpf, perf_event_open, userfaultfd, unshare, setns, mount, umount2, pivot_root,
        # kexec_load, modules, quotactl, open_by_handle_at, kcmp, swapon, acct, syslog
        (101, 310, 311, 248, 249, 250, 321, 298, 323, 272, 308, 165, 166, 155, 246, 175, 313, 176, 179, 304, 312, 167,
         163, 103),
    ),
    "aarch64": (
        0xC00000B7,
        {"clone": 220, "ioctl": 29, "socket": 198},
        (117, 270, 271, 217, 218, 219, 280, 241, 282, 97, 268, 40, 39, 41, 104, 105, 273, 106, 60, 265, 272, 224,
         89, 116),
    ),
}  # fmt: skip


def filter_program(machine: str = platform.machine(), *, network: bool = False) -> bytes | None:
    """The filter as `bwrap --seccomp` takes it; None for a machine whose call numbers are not known here.

    With the network comes the user's own namespace of abstract sockets (D-Bus, the display, agents), which no mount
    hides: then no local socket can be made, but for pairs, which have another call.
    """
    if machine not in OF_MACHINE:
        return None
    architecture, named, refused = OF_MACHINE[machine]
    errors = SAME_EVERYWHERE | dict.fromkeys(refused, errno.EPERM)
    program = [
        _step(LOAD, ARCHITECTURE),
        _step(EQUAL, architecture, 1, 0),
        _refuse(errno.ENOSYS),
        _step(LOAD, NUMBER),
        _step(AT_LEAST, FOREIGN_WORD_SIZE, 0, 1),
        _refuse(errno.ENOSYS),
    ]
    for number, error in sorted(errors.items()):
        program += [_step(EQUAL, number, 0, 1), _refuse(error)]
    program += _if_called(
        named["clone"], [_step(LOAD, FIRST), _step(ANY_BIT, NEW_NAMESPACES, 0, 1), _refuse(errno.EPERM)]
    )
    typing = [instruction for k in INTO_THE_TERMINAL for instruction in (_step(EQUAL, k, 0, 1), _refuse(errno.EPERM))]
    program += _if_called(named["ioctl"], [_step(LOAD, SECOND), *typing])
    families = FAMILIES if network else (LOCAL, *FAMILIES)
    allowed = [_step(EQUAL, family, len(families) - place, 0) for place, family in enumerate(families)]
    program += _if_called(named["socket"], [_step(LOAD, FIRST), *allowed, _refuse(errno.EAFNOSUPPORT)])
    return b"".join([*program, _step(RETURN, ALLOW)])


def _if_called(number: int, body: list[bytes]) -> list[bytes]:
    """The body for one call alone; behind it everything is allowed, since the number is not loaded any more."""
    body = [*body, _step(RETURN, ALLOW)]
    return [_step(EQUAL, number, 0, len(body)), *body]


def _refuse(error: int) -> bytes:
    return _step(RETURN, REFUSE | error)


def _step(code: int, k: int, jump_true: int = 0, jump_false: int = 0) -> bytes:
    """One `struct sock_filter`."""
    return struct.pack("<HBBI", code, jump_true, jump_false, k)
