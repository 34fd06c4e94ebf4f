"""Runs a program in a sandbox that refuses system calls, as some containers do: python without_calls.py CALL,CALL PROGRAM ARG..."""

import ctypes
import errno
import os
import platform
import struct
import sys

NUMBERS = {
    "x86_64": {"sched_setaffinity": 203, "sched_setattr": 314, "sched_getattr": 315},
    "aarch64": {"sched_setaffinity": 122, "sched_setattr": 274, "sched_getattr": 275},
}[platform.machine()]
refused = [NUMBERS[call] for call in sys.argv[1].split(",")]

# A filter of seccomp(2): is it one of these system calls? Then EPERM, else go on.
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
instructions = b"".join(
    struct.pack("HBBI", *instruction)
    for instruction in [
        (LOAD, 0, 0, 0),
        *[(JUMP_IF_EQUAL, len(refused) - at, 0, number) for at, number in enumerate(refused)],
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, ERRNO | errno.EPERM),
    ]
)


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PR_SET_NO_NEW_PRIVS = 22, 2, 38
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(instructions)
program = Program(len(instructions) // 8, ctypes.cast(buffer, ctypes.c_void_p))
for call in [(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program))]:
    if libc.prctl(*call) != 0:
        sys.exit(f"prctl: {os.strerror(ctypes.get_errno())}")
os.execv(sys.argv[2], sys.argv[2:])
