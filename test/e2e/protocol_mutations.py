# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Removes each sync, rename, vote and hash check of the checkpoint protocol in turn, and shows which tests notice.

usage: protocol_mutations.py TREE --build BUILD [--only NAME...] [--all]

TREE is a copy of the repository of which nothing is lost: its sources are changed, and put back at the end. BUILD is its configured build folder.
All calls are changed at once, so that there is one build: each asks $ACCEL_REMOVED whether it is the one that is not there. Tests run from the cheapest
on, until some notice; with --all, all of them. accelc is taken from PATH. Cuts of power need root.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

HEADER = """#pragma once
#include <cstdlib>
#include <cstring>
namespace accel::runtime {
inline bool IsRemoved(const char* name) {
  const char* removed = std::getenv("ACCEL_REMOVED");
  return removed != nullptr && std::strcmp(removed, name) == 0;
}
}  // namespace accel::runtime
"""
HEADER_FILE = "runtime/base/is_removed.h"
TARGETS = ("accel-run", "accel-run-on-bad-disk", "runtime_io_test", "runtime_checkpoint_test")


@dataclasses.dataclass(frozen=True)
class Removal:
    """`old` in `file`, once, becomes `new`, where {gone} says that it is removed."""

    name: str
    file: str
    old: str
    new: str


def statement(name, file, old, before="", behind=""):
    """A statement that may be left out; the text around it tells it from others."""
    return Removal(name, file, before + old + behind, f"{before}if (!{{gone}}) {{{{ {old} }}}}{behind}")


def result(name, file, call, before=""):
    return Removal(name, file, f"{before}return {call};", f"{before}return {{gone}} ? absl::OkStatus() : {call};")


def vote(name, what, file="tools/accel-run/run_checkpoints.cc", communicator="communicator_"):
    """Each rank keeps its own opinion."""
    text = f'runtime::Vote({communicator}, "{what}"'
    return Removal(name, file, text, f'runtime::Vote({{gone}} ? nullptr : {communicator}, "{what}"')


ATOMIC_FILE, STORE, SAVE = "runtime/io/atomic_file.cc", "runtime/checkpoint/checkpoint_store.cc", "tools/accel-run/checkpoint_save.cc"
STATE_FILE, MANIFEST = "runtime/checkpoint/state_file.cc", "runtime/checkpoint/manifest.cc"

REMOVALS = (
    statement("sync of a file", ATOMIC_FILE, "RETURN_IF_ERROR(file_->Sync());"),
    statement("rename of a file", ATOMIC_FILE, "RETURN_IF_ERROR(vfs_.Rename(temporary_, path_));"),
    result("sync of a file's folder", ATOMIC_FILE, "vfs_.SyncDirectory(ParentDirectory(path_))"),
    result("sync of the folder above a new folder", ATOMIC_FILE, "vfs.SyncDirectory(parent)"),
    statement("sync of the folder above checkpoints", STORE, "RETURN_IF_ERROR(vfs_.SyncDirectory(ParentDirectory(root_)));"),
    statement("rename of a checkpoint", STORE, "RETURN_IF_ERROR(vfs_.Rename(NewFolder(step), Folder(step)));"),
    result("sync of checkpoints", STORE, "vfs_.SyncDirectory(root_)"),
    Removal("rename before a removal", STORE,
            "RETURN_IF_ERROR(vfs_.Rename(Folder(steps[i]), removed));\n    RETURN_IF_ERROR(RemoveFolder(removed));",
            "if (!{gone}) {{ RETURN_IF_ERROR(vfs_.Rename(Folder(steps[i]), removed)); }}\n"
            "    RETURN_IF_ERROR(RemoveFolder({gone} ? Folder(steps[i]) : removed));"),
    statement("sync of the metrics", SAVE, "RETURN_IF_ERROR(first_());"),
    vote("vote on the folder", "the checkpoint's folder", SAVE, "communicator"),
    vote("vote on the files", "the checkpoint's files", SAVE, "communicator"),
    vote("vote on the name", "the checkpoint's name", SAVE, "communicator"),
    vote("vote on the list", "the list of checkpoints"),
    vote("vote on the hashes", "the checkpoint's hashes"),
    Removal("hash of the manifest", MANIFEST, "      text.substr(hashed.size() + kHashKey.size(), 64) != HashOf(hashed)) {{",
            "      (!{gone} && text.substr(hashed.size() + kHashKey.size(), 64) != HashOf(hashed))) {{"),
    Removal("size of a file", STATE_FILE, "if (stat.size != expected.bytes) {{", "if (!{gone} && stat.size != expected.bytes) {{"),
    Removal("hash of a file's header", STATE_FILE, "if (ToHex((*reader)->header_digest()) != expected.header_sha256) {{",
            "if (!{gone} && ToHex((*reader)->header_digest()) != expected.header_sha256) {{"),
    Removal("number of hashes of a file", STATE_FILE, "      hashes->second.size() !=\n          CountChunks((*reader)->data_bytes()) * kHexDigits) {{",
            "      (!{gone} && hashes->second.size() != CountChunks((*reader)->data_bytes()) * kHexDigits)) {{"),
    Removal("hash of the data", STATE_FILE, "if (ToHex(Sha256::Of(chunk_)) !=", "if (!{gone} && ToHex(Sha256::Of(chunk_)) !="),
)


def replace_once(text, old, new, what):
    if text.count(old) != 1:
        sys.exit(f"{what}: expected '{old}' once, got it {text.count(old)} times; the sources have changed, correct this script")
    return text.replace(old, new)


def change(tree):
    """Edits the sources; what they were."""
    files = {removal.file for removal in REMOVALS}
    before = {name: (tree / name).read_text(encoding="utf-8") for name in files}
    texts = dict(before)
    for removal in REMOVALS:
        gone = f'accel::runtime::IsRemoved("{removal.name}")'
        # Texts are formats: `old` has no fields.
        texts[removal.file] = replace_once(texts[removal.file], removal.old.replace("{{", "{").replace("}}", "}"), removal.new.format(gone=gone), removal.name)
    for name, text in texts.items():
        first = re.search(r"^#include", text, re.MULTILINE).start()
        (tree / name).write_text(text[:first] + f'#include "{HEADER_FILE}"\n' + text[first:], encoding="utf-8")
    (tree / HEADER_FILE).write_text(HEADER, encoding="utf-8")
    return before


def put_back(tree, before):
    for name, text in before.items():
        (tree / name).write_text(text, encoding="utf-8")
    (tree / HEADER_FILE).unlink(missing_ok=True)


class Tests:
    """From the cheapest on; each gives the names of what has noticed."""

    def __init__(self, tree, build):
        self.scripts, self.build = tree / "test" / "e2e", build
        self.all = [lambda env: self.google("runtime_io_test", "AtomicFileTest.*", env), lambda env: self.google("runtime_checkpoint_test", "*", env),
                    self.votes,
                    lambda env: self.campaign(env, "fail", "--ranks", "2", "--faults", "EIO", "--every", "7"),
                    lambda env: self.campaign(env, "kill", "--ranks", "1", "2", "--faults", "kill", "--every", "13", "--first", "5")]
        if os.geteuid() == 0:
            self.all.append(lambda env: self.campaign(env, "cut", "--ranks", "1", "--every", "3"))

    def run(self, command, env):
        path = f"{self.build / 'bin'}:{os.environ['PATH']}"
        return subprocess.run([str(word) for word in command], check=False, capture_output=True, text=True, env={**os.environ, **env, "PATH": path}, timeout=1800)

    def google(self, program, pattern, env):
        done = self.run([self.build / "test" / "bin" / program, f"--gtest_filter={pattern}"], env)
        failed = list(dict.fromkeys(re.findall(r"\[  FAILED  \] (\w+\.\w+)", done.stdout)))
        return failed or ([f"{program} dies"] if done.returncode != 0 else [])

    def script(self, env, name, *arguments):
        done = self.run([sys.executable, self.scripts / name, *arguments], env)
        return [] if done.returncode == 0 else [" ".join([name, *arguments[:1], "-", *done.stderr.strip().splitlines()[:1]])]

    def votes(self, env):
        return self.script(env, "checkpoint_votes.py")

    def campaign(self, env, *arguments):
        return self.script(env, "bad_disk.py", *arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--only", nargs="*", help="names of removals")
    parser.add_argument("--all", action="store_true", help="all tests of each removal")
    options = parser.parse_args()
    tree, build = options.tree.resolve(), options.build.resolve()
    files = sorted({removal.file for removal in REMOVALS})
    if subprocess.run(["git", "-C", tree, "diff", "--quiet", "HEAD", "--", *files], check=False).returncode != 0:
        sys.exit(f"{tree}: expected no changes in {', '.join(files)}; commit them first, or use another copy")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM; the sources are put back"))
    before = change(tree)
    try:
        subprocess.run(["ninja", "-C", build, "-j2", *TARGETS], check=True)
        missed = check(Tests(tree, build), options)
    finally:
        put_back(tree, before)
    if missed:
        sys.exit(f"nothing notices: {', '.join(missed)}")
    print("each is noticed")


def check(tests, options):
    """Names of what no test has noticed."""
    names = [removal.name for removal in REMOVALS if not options.only or removal.name in options.only]
    missed = []
    for name in ("", *names):
        begun, noticed = time.monotonic(), []
        for test in tests.all:
            noticed += test({"ACCEL_REMOVED": name})
            if noticed and not options.all:
                break
        if not name and noticed:
            sys.exit(f"expected that all tests pass while nothing is removed, got {noticed}")
        print(f"| {name or 'nothing'} | {', '.join(noticed) or '-'} | {time.monotonic() - begun:.0f} s", flush=True)
        if name and not noticed:
            missed.append(name)
    return missed


if __name__ == "__main__":
    main()
