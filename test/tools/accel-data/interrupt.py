# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interrupts accel-data pack text.txt -o out/text.bin in the middle: by both signals, and on a terminal."""

import os
import pathlib
import pty
import signal
import subprocess
import time

OUTPUT = pathlib.Path("out/text.bin")
COMMAND = ["accel-data", "pack", "text.txt", "-o", str(OUTPUT), "--end-of-document=none"]


def has_begun(path):
    try:
        return path != OUTPUT and path.stat().st_size > 0
    except FileNotFoundError:
        return False  # gone since the folder was listed


def wait_for_output(process):
    """Until it has begun to write."""
    while process.poll() is None:
        if any(has_begun(path) for path in OUTPUT.parent.iterdir()):
            return
        time.sleep(0.001)
    raise SystemExit(f"it ended with {process.returncode} before it could be interrupted")


def check(process, number, output):
    assert process.wait(timeout=60) == 128 + number, (process.returncode, output)
    assert os.listdir("out") == ["text.bin"] and OUTPUT.read_text() == "before", os.listdir("out")
    assert output.endswith(f"stopped by {signal.Signals(number).name}; 'out/text.bin' was not written\n"), output


def interrupt(number):
    process = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wait_for_output(process)
    process.send_signal(number)
    output = process.communicate(timeout=60)[0]
    check(process, number, output)
    # A slow machine comes to a line of progress before it is interrupted.
    assert all(line.startswith("packing ") for line in output.splitlines()[:-1]), output


def interrupt_on_terminal():
    master, slave = pty.openpty()
    # Whoever runs this may have no terminal, and so no TERM.
    process = subprocess.Popen(COMMAND, stdout=slave, stderr=slave, env={**os.environ, "TERM": "xterm"})
    os.close(slave)
    shown = b""
    while b" tokens  ETA " not in shown:
        shown += os.read(master, 4096)
    process.send_signal(signal.SIGINT)
    try:
        while more := os.read(master, 4096):
            shown += more
    except OSError:
        pass  # Linux's way to say that the other end is closed
    shown = shown.decode().replace("\r\n", "\n")
    assert "\r\x1b[Kpacking   0%  " in shown and " of 1 TiB  " in shown, shown
    # The live line is gone before anything else is said.
    check(process, signal.SIGINT, shown)
    assert "\r\x1b[Kstopped by" in shown, shown


OUTPUT.write_text("before")
interrupt(signal.SIGINT)
interrupt(signal.SIGTERM)
interrupt_on_terminal()
