# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that competes for the cores, beside all that is measured.

  beside.py busy PARENT      is always busy
  beside.py 10 PARENT        is busy for 10 milliseconds, then sleeps for as long, and so on

It ends with PARENT, the process that started it, however that one ends.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

PR_SET_PDEATHSIG = 1
SLICE = 0.05  # seconds between two looks whether the parent is there
BURSTS = re.compile(r"bursts:(\d+)ms")


def parse_load(text: str) -> str:
    """For argparse: what --beside may be."""
    bursts = BURSTS.fullmatch(text)
    if text in ("nothing", "busy") or (bursts and 1 <= int(bursts[1]) <= 10000):
        return text
    raise argparse.ArgumentTypeError(
        "expected nothing, busy or bursts:Nms with N from 1 to 10000, as bursts:10ms, "
        f"got '{text}'"
    )


@contextlib.contextmanager
def beside(load: str) -> Iterator[None]:
    """Runs the competing process while the block runs."""
    if load == "nothing":
        yield
        return
    bursts = BURSTS.fullmatch(load)
    process = subprocess.Popen(
        [
            sys.executable,
            str(Path(__file__).resolve()),
            bursts[1] if bursts else load,
            str(os.getpid()),
        ],
        stdin=subprocess.DEVNULL,
    )
    try:
        yield
        # Otherwise some of what was measured was alone.
        if process.poll() is not None:
            raise SystemExit(
                f"compare: --beside={load}: expected the competing process to run until "
                f"all is measured, it ended with {process.returncode}"
            )
    finally:
        process.kill()
        process.wait()


def spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def main() -> None:
    load, parent = sys.argv[1:]
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    burst = SLICE if load == "busy" else int(load) / 1000
    # No signal comes where the parent ended before it was asked for.
    while os.getppid() == int(parent):
        spin(burst)
        if load != "busy":
            time.sleep(burst)


if __name__ == "__main__":
    main()
