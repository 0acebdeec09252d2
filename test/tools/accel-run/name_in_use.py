# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two runs of two ranks with one port: prints what the second one says while the first one trains, then stops the first one
and prints that. usage: name_in_use.py COMMAND... (the run directory is chosen here)
"""

import argparse
import os
import pathlib
import signal
import sys
import time

import start_ranks


def finish(name, started):
    for rank, (process, output) in enumerate(started):
        status = process.wait(120)
        output.seek(0)
        sys.stdout.write(output.read().decode())
        print(f"{name} run, rank {rank}: exit status {status}")


def start(port, command, folder):
    options = argparse.Namespace(ranks=2, port=port, like="torchrun", command=[*command, "--run-dir", folder])
    return [start_ranks.start(rank, options) for rank in range(2)]


def main():
    port = 20000 + os.getpid() % 40000
    first = start(port, [*sys.argv[1:], "--steps=1000000"], "first")
    metrics = pathlib.Path("first", "metrics.jsonl")
    end = time.monotonic() + 60
    while time.monotonic() < end and not (metrics.exists() and metrics.stat().st_size > 0):
        time.sleep(0.05)
    finish("second", start(port, sys.argv[1:], "second"))
    # Asked of one rank, done by all.
    first[1][0].send_signal(signal.SIGINT)
    finish("first", first)


if __name__ == "__main__":
    main()
