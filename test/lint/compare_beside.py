# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare_beside.py FOLDER LOAD...: kills a process that runs a competing one beside it, and waits for both to be gone."""

import os
import select
import signal
import subprocess
import sys

LONGEST = 60  # seconds that anything may take

PARENT = """
import signal, sys
sys.path.insert(0, sys.argv[1])
from beside import beside
with beside(sys.argv[2]):
    signal.pause()
"""


def main() -> int:
    folder, *loads = sys.argv[1:]
    for load in loads:
        # Both write to the pipe: its end of file says that both are gone.
        reader, writer = os.pipe()
        parent = subprocess.Popen([sys.executable, "-c", PARENT, folder, load], pass_fds=[writer], stdout=writer)
        os.close(writer)
        children = f"/proc/{parent.pid}/task/{parent.pid}/children"
        while not open(children).read():
            if parent.poll() is not None or select.select([reader], [], [], 0.01)[0]:
                raise SystemExit(f"{load}: expected a competing process, got none")
        parent.send_signal(signal.SIGKILL)
        parent.wait(timeout=LONGEST)
        if not select.select([reader], [], [], LONGEST)[0]:
            raise SystemExit(f"{load}: expected the competing process to end with its parent, it still runs")
        os.close(reader)
        print(f"{load}: ran, and ended with its parent")
    return 0


if __name__ == "__main__":
    sys.exit(main())
