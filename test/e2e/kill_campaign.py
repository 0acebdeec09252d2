# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills or stops a random rank at a random moment, again and again, and checks what the others say and what is left.

usage: kill_campaign.py PLAN DATA WORK_DIR [--rounds=N] [--ranks=N] [--by=launcher|environment|torchrun] [--signal=KILL|STOP|SLOW]
                        [--whom=rank|launcher]

Each round: every other rank notices within 2 s (a stopped one within --timeout + 1 s), its log names the rank, its process
and the signal (of a stopped one: the rank and its process), the exit status is the one that docs/distributed.md says, and no
process and no socket is left. With --signal=SLOW the rank is not stopped but made ten times slower, by stopping it for nine
tenths of the time: then nobody may notice anything, and the run ends well. With --whom=launcher the launcher is killed instead, and its ranks must die with it. Needs accel-run (and torchrun) in PATH.
"""

import argparse
import hashlib
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

TIMEOUT = 2.0
KILL_AFTER = 12.0


def ranks_of(plan):
    """Rank -> pid of the processes that run `plan` as a rank."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            variables = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        rank = [v for v in variables if v.startswith(b"RANK=")]
        if rank and words[0].endswith(b"accel-run") and os.fsencode(plan) in words:
            found[int(rank[0][5:])] = int(entry.name)
    return found


def processes_left(plan):
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.fsencode(plan) in (entry / "cmdline").read_bytes().split(b"\0"):
                if int(entry.name) != os.getpid():
                    yield int(entry.name)
        except OSError:
            continue


def sockets_left(options, processes, port):
    """Those of this run; other tests may run at the same time."""
    name = f"@accel-run-{os.getuid()}-{port}-"
    if options.by == "launcher":
        run_id = hashlib.sha256(f"launcher-{processes[0].pid}".encode()).hexdigest()[:16]
        name = f"@accel-run-{os.getuid()}-0-{run_id}"
    words = pathlib.Path("/proc/net/unix").read_text(encoding="utf-8").split()
    return [word for word in words if word.startswith(name)]


def start(options, folder, port):
    """The processes to wait for; all but torchrun's and the launcher's are ranks."""
    command = ["accel-run", options.plan, "--data", options.data, "--threads=1", "--quiet", "--steps=1000000",
               f"--timeout={TIMEOUT}", f"--run-dir={folder}/run", f"--log-dir={folder}/log"]
    errors = open(folder / "errors", "w", encoding="utf-8")
    if options.by == "launcher":
        return [subprocess.Popen([*command, "-n", str(options.ranks)], stderr=errors)]
    if options.by == "torchrun":
        return [subprocess.Popen(["torchrun", f"--nproc-per-node={options.ranks}", f"--master-port={port}", "--no-python",
                                  *command], stderr=errors)]
    return [subprocess.Popen(command, stderr=errors, env={**os.environ, "RANK": str(rank), "MASTER_PORT": str(port),
                                                          "WORLD_SIZE": str(options.ranks)})
            for rank in range(options.ranks)]


def await_training(folder, processes):
    end = time.monotonic() + 60
    metrics = folder / "run" / "metrics.jsonl"
    while not metrics.exists() or metrics.stat().st_size == 0:
        if time.monotonic() > end or any(process.poll() is not None for process in processes):
            sys.exit(f"training has not begun: {(folder / 'errors').read_text(encoding='utf-8')}")
        time.sleep(0.01)


def check_logs(options, folder, victim, pid, ended):
    """Each survivor names the victim, in time."""
    limit = 2.0 if options.signal == "KILL" else TIMEOUT + 1
    if options.signal == "KILL":
        # A rank that dies before the first instruction of a step has no last one.
        pattern = rf"error: rank {victim}: died of signal 9 \(SIGKILL\), pid {pid}, in step \d+(, last at instruction \d+ of |$)"
    else:
        pattern = rf"error: rank \d+: waited 2 s for rank {victim} in .*; rank {victim} \(pid {pid}\) "
    for rank in range(options.ranks):
        log = folder / "log" / f"rank-{rank}.log"
        if rank == victim:
            continue
        text = log.read_text(encoding="utf-8")
        if not re.search(pattern, text, re.MULTILINE):
            sys.exit(f"rank {rank} does not name rank {victim}, pid {pid}: {text}")
        seconds = log.stat().st_mtime - ended
        if seconds > limit:
            sys.exit(f"rank {rank} has noticed after {seconds:.1f} s")


def check_statuses(options, processes, victim):
    got = [process.returncode for process in processes]
    if options.by == "environment":
        wanted = [-9 if rank == victim else 11 for rank in range(options.ranks)]
    elif options.by == "launcher":
        wanted = [137 if options.signal == "KILL" else 11]
    else:
        wanted = [1]
    if got != wanted:
        sys.exit(f"expected exit statuses {wanted}, got {got}")


def slow_down(folder, processes, pid):
    """Ten times slower, for three timeouts; then the run is asked to end, and must end as if nothing had been."""
    end = time.monotonic() + 3 * TIMEOUT
    while time.monotonic() < end:
        os.kill(pid, signal.SIGSTOP)
        time.sleep(0.09)
        os.kill(pid, signal.SIGCONT)
        time.sleep(0.01)
    for process in processes[:1]:
        process.terminate()
    for process in processes:
        process.wait(KILL_AFTER + TIMEOUT)
    wanted = [128 + signal.SIGTERM] * len(processes)
    got = [process.returncode for process in processes]
    errors = (folder / "errors").read_text(encoding="utf-8")
    if got != wanted or "waited" in errors or "rank" in errors:
        sys.exit(f"a false alarm: exit statuses {got}, expected {wanted}; {errors}")


def kill_launcher(options, processes, port):
    if len(ranks_of(options.plan)) != options.ranks:
        sys.exit(f"expected {options.ranks} ranks, got {ranks_of(options.plan)}")
    processes[0].kill()
    processes[0].wait()
    end = time.monotonic() + 2
    # A process that ends loses its memory, and with it its command line, before its sockets.
    while (ranks_of(options.plan) or sockets_left(options, processes, port)) and time.monotonic() < end:
        time.sleep(0.01)


def one_round(options, number):
    folder = options.work / f"round-{number}"
    folder.mkdir(parents=True)
    port = 20000 + os.getpid() % 20000 + number
    processes = start(options, folder, port)
    try:
        await_training(folder, processes)
        if not sockets_left(options, processes, port):
            sys.exit("expected the run to hold its rendezvous name")
        time.sleep(random.uniform(0, 0.5))
        if options.whom == "launcher":
            kill_launcher(options, processes, port)
            return
        victim = random.randrange(options.ranks)
        pid = ranks_of(options.plan)[victim]
        if options.signal == "SLOW":
            slow_down(folder, processes, pid)
            return
        at = time.time()
        os.kill(pid, getattr(signal, "SIG" + options.signal))
        if options.by != "launcher" and options.signal == "STOP":
            time.sleep(TIMEOUT + 1.5)
            os.kill(pid, signal.SIGKILL)
        # The victim last: until then the kernel shows its peers how it ended.
        for process in sorted(processes, key=lambda process: process.pid == pid):
            process.wait(KILL_AFTER + TIMEOUT)
        check_logs(options, folder, victim, pid, at)
        check_statuses(options, processes, victim)
        errors = (folder / "errors").read_text(encoding="utf-8")
        if f"rank {victim}" not in errors:
            sys.exit(f"expected rank {victim} to be named on standard error, got: {errors}")
    finally:
        for left in processes_left(options.plan):
            print(f"process {left} is left")
            os.kill(left, signal.SIGKILL)
            options.clean = False
        left = sockets_left(options, processes, port)
        if left or not options.clean:
            sys.exit(f"left behind: {left}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan")
    parser.add_argument("data")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--by", choices=("launcher", "environment", "torchrun"), default="launcher")
    parser.add_argument("--signal", choices=("KILL", "STOP", "SLOW"), default="KILL")
    parser.add_argument("--whom", choices=("rank", "launcher"), default="rank")
    options = parser.parse_args()
    options.clean = True
    shutil.rmtree(options.work, ignore_errors=True)
    for number in range(options.rounds):
        one_round(options, number)
    what = "no false alarm" if options.signal == "SLOW" else "every one noticed and named in time"
    print(f"{options.rounds} rounds, {what}, nothing left")


if __name__ == "__main__":
    main()
