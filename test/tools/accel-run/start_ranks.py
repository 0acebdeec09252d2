# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts ranks as a plain script would: the same command with RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR
and MASTER_PORT set; or with what mpirun of Open MPI or MPICH, or srun, sets.

usage: start_ranks.py [--without=R] [--like=openmpi|mpich|slurm] RANKS COMMAND...

A word "@R:word" of the command is given to rank R alone; rank R of --without is not started. Prints what each rank wrote,
rank by rank, each followed by its exit status.
"""

import argparse
import os
import subprocess
import sys
import tempfile


def variables_of(rank, options):
    ranks = options.ranks
    port = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": options.port}
    return {
        "torchrun": {"RANK": rank, "WORLD_SIZE": ranks, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": ranks, **port},
        "openmpi": {"OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": ranks, "OMPI_COMM_WORLD_LOCAL_RANK": rank,
                    "OMPI_COMM_WORLD_LOCAL_SIZE": ranks, "PMIX_RANK": rank, "PMIX_NAMESPACE": options.port},
        "mpich": {"PMI_RANK": rank, "PMI_SIZE": ranks, "MPI_LOCALRANKID": rank, "MPI_LOCALNRANKS": ranks, **port},
        "slurm": {"SLURM_PROCID": rank, "SLURM_NTASKS": ranks, "SLURM_LOCALID": rank, "SLURM_JOB_ID": options.port,
                  "SLURM_STEP_ID": 0, "SLURM_STEP_NUM_NODES": 1},
    }[options.like]


def start(rank, options):
    words = []
    for word in options.command:
        if word.startswith("@"):
            who, _, rest = word[1:].partition(":")
            words += [rest] if int(who) == rank else []
        else:
            words.append(word)
    variables = variables_of(rank, options)
    output = tempfile.TemporaryFile()
    process = subprocess.Popen(words, stdout=output, stderr=output,
                               env={**os.environ, **{name: str(value) for name, value in variables.items()}})
    return process, output


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(port=20000 + os.getpid() % 40000)
    parser.add_argument("--without", type=int)
    parser.add_argument("--like", default="torchrun")
    parser.add_argument("ranks", type=int)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    started = {rank: start(rank, options) for rank in range(options.ranks) if rank != options.without}
    worst = 0
    for rank, (process, output) in started.items():
        status = process.wait(120)
        output.seek(0)
        sys.stdout.write(output.read().decode())
        print(f"rank {rank}: exit status {status}")
        worst = worst or status
    sys.exit(worst != 0)


if __name__ == "__main__":
    main()
