# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Some things happen in one place only, so that tests can stand in for them: files are touched in runtime/io, waits end
at a deadline in runtime/base, which alone reads the wall clock, processes are started in runtime/launch, threads in runtime/base, random numbers come from runtime/random, command-line flags are declared in tools."""

import dataclasses
import re

from source_tree import Finding


@dataclasses.dataclass(frozen=True)
class Seam:
    rule: str
    pattern: re.Pattern  # its group "what" is shown
    folders: tuple  # where the rule holds
    home: tuple  # except there: folders, files
    remedy: str


def _function(*names):
    """A call of a free function, `f(` or `::f(` or `std::f(`, but not of a method `x.f(` or `x->f(`."""
    return r"(?<![\w.>:])(?P<what>(?:std::|::)?(?:filesystem::)?(?:%s))\s*\(" % "|".join(names)


RUNTIME = ("runtime", "tools/accel-run", "tools/accel-compare", "tools/accel-data", "tools/accel-inspect")
EVERYWHERE = ("compiler", "dialects", "frontends", "passes", "runtime", "tools")

SEAMS = (
    Seam("raw-file",
         re.compile(_function("fopen", "freopen", "fdopen", "open", "openat", "open64", "creat", "mmap", "pread", "pwrite",
                              "preadv", "pwritev", "rename", "renameat2?", "unlink", "unlinkat", "truncate", "ftruncate",
                              "fsync", "fdatasync", "fallocate", "posix_fallocate", "mkdir", "mkstemp", "mkdtemp")
                    + r"|(?P<stream>\bstd::(?:basic_)?(?:[io]?fstream|filebuf)\b|#\s*include\s*<(?:fstream|filesystem)>)"),
         RUNTIME, ("runtime/io",), "files are touched through io::Vfs"),
    Seam("raw-wait",
         re.compile(_function("sleep", "usleep", "nanosleep", "clock_nanosleep", "poll", "ppoll", "select", "epoll_wait",
                              "sigwait", "waitpid", "waitid")
                    + r"|(?P<method>\b(?:sleep_for|sleep_until|wait_for|wait_until|AwaitWithTimeout|AwaitWithDeadline"
                      r"|WaitWithTimeout|WaitWithDeadline|WaitForNotification\w*|SleepFor|condition_variable(?:_any)?|CondVar"
                      r"|pthread_cond_\w+)\b|(?:\.|->)\s*(?:wait|Await)\s*\()"),
         RUNTIME, ("runtime/base",), "every wait goes through WaitUntil, with a deadline and an owner"),
    Seam("raw-clock",
         re.compile(_function("gettimeofday", "time", "ftime", "timespec_get")
                    + r"|(?P<clock>\b(?:system_clock|high_resolution_clock|CLOCK_REALTIME|absl::Now)\b)"),
         RUNTIME, ("runtime/base/wall_clock.cc",),
         "clocks of ranks may differ and jump: times and deadlines are those of the monotonic clock"),
    Seam("wall-time", re.compile(r"\b(?P<what>WallTimeNs)\b"),
         EVERYWHERE, ("runtime/base", "tools/accel-run"), "the time of day is written into a run's record and metrics, and used for nothing else"),
    Seam("raw-process",
         re.compile(_function("posix_spawnp?", "v?fork", "clone3?", "exec[lv]p?e?", "execvpe", "execveat", "fexecve", "system",
                              "popen")),
         RUNTIME, ("runtime/launch",), "processes are started in runtime/launch: this program again, as a rank"),
    Seam("raw-thread",
         re.compile(_function("pthread_create", "async")
                    + r"|(?P<thread>\bstd::j?thread(?=\s*[({]|\s+\w+\s*[({])|\bstd::jthread\b)"),
         RUNTIME, ("runtime/base",), "a thread may be refused: StartThread says so"),
    Seam("raw-random",
         re.compile(_function("rand", "srand", "rand_r", "drand48", "lrand48", "srand48", "random", "srandom", "getrandom",
                              "getentropy", "arc4random")
                    + r"|(?P<engine>\b(?:mt19937(?:_64)?|minstd_rand0?|default_random_engine|random_device"
                      r"|(?:uniform_int|uniform_real|normal|bernoulli)_distribution|random_shuffle|BitGen)\b)"),
         EVERYWHERE, ("runtime/random",), "random numbers are functions of (seed, name or index), from runtime/random"),
    Seam("raw-output",
         re.compile(_function("writeToOutput", "llvm::writeToOutput", "openOutputFile", "mlir::openOutputFile")
                    + r"|(?P<stream>\b(?:raw_fd_ostream|raw_fd_stream|ToolOutputFile|FileOutputBuffer|TempFile)\b)"),
         ("compiler", "dialects", "frontends", "passes", "tools"), ("passes/Lower/Cuda/CudaProgram.cpp",),
         "outputs are compared by runtime's OutputFiles and written by AtomicFile"),
    Seam("raw-flag", re.compile(r"(?P<what>\bcl::(?:opt|list|bits|alias)\b)"),
         EVERYWHERE, ("tools",), "flags are declared in tools and travel as a value"),
)


def check(tree):
    for file in tree:
        if not file.is_cpp or file.is_test:
            continue
        for seam in SEAMS:
            if file.under(*seam.folders) and not file.under(*seam.home) and file.path not in seam.home:
                yield from _uses(file, seam)


def _uses(file, seam):
    for match in seam.pattern.finditer(file.code):
        if match[0].rstrip("( \t").endswith("mmap") and _maps_memory_only(file.code, match.end()):
            continue
        what = next(group for group in match.groups() if group).strip(".-> (")
        yield Finding(file.path, file.line_of(match.start()), seam.rule, f"'{what}': {seam.remedy}")


def _maps_memory_only(code, start):
    return "MAP_ANONYMOUS" in code[start:code.find(";", start)]
