# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configures the lit suites: what a test is, which words it may use, what this machine can do.

Tests are *.mlir (a RUN line and the IR it works on) and *.test (a shell script in RUN lines). Words for RUN lines, besides
lit's own (%s, %t, %S, %T, split-file, FileCheck, not, count):

  accelc, accel-opt, accel-run, accel-compare, accel-inspect, accel-data    the tools of this build
  %accel_source  the repository      %accel_build  the build tree      %accel_models  test/e2e/models
  %accel_lint    the lint programs (tools/lint), run by %python
  %mlir_include  MLIR's headers and TableGen files

  %cuda_path     where a CUDA toolkit is: CUDA_HOME, or /usr/local/cuda
  %cuda_double   doubles of NVIDIA's libraries (test/cuda/double)

Features for REQUIRES lines: avx2, avx512 (the machine), mount (a private tmpfs may be mounted), device-nodes
(may be made), ptxas and nvdisasm (a CUDA toolkit has them), sanitizers (this build).
A test that lacks a feature is reported as unsupported, and tools/check names it.
"""

import os
import stat
import subprocess
import tempfile

import lit.formats
import lit.util
from lit.llvm import llvm_config


def cpu_flags():
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        for line in cpuinfo:
            if line.startswith("flags"):
                return set(line.split(":", 1)[1].split())
    return set()


def may_mount():
    probe = ["unshare", "--mount", "--map-root-user", "mount", "-t", "tmpfs", "tmpfs", "/tmp"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def may_freeze():
    """Whether a file system of its own can be mounted from a file, and made to answer no write."""
    with tempfile.TemporaryDirectory(dir=config.accel_build) as folder:
        probe = "truncate -s 16M disk && mkfs.ext4 -q disk && mkdir on && mount -o loop disk on && fsfreeze -f on && fsfreeze -u on"
        return subprocess.run(["unshare", "--mount", "sh", "-c", probe], cwd=folder, capture_output=True, check=False).returncode == 0


def may_make_devices():
    """Whether a device node can be made where tests write, and works there."""
    with tempfile.TemporaryDirectory(dir=config.accel_build) as folder:
        node = os.path.join(folder, "null")
        try:
            os.mknod(node, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
            with open(node, "wb") as null:
                null.write(b"x")
        except OSError:
            return False
    return True


config.name = "accel"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "models", "goldens"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.accel_build, "test")

flags = cpu_flags()
# What a test may compile for that does not mind: of a plan for all CPUs this machine takes that code, unless it multiplies bf16.
config.environment["ACCEL_OWN_VARIANT"] = "cpu"
if {"avx2", "fma", "bmi2"} <= flags:
    config.available_features.add("avx2")
    config.environment["ACCEL_OWN_VARIANT"] = "x86-64-v3"
if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags:
    config.available_features.add("avx512")
    config.environment["ACCEL_OWN_VARIANT"] = "x86-64-v4"
if may_mount():
    config.available_features.add("mount")
if may_freeze():
    config.available_features.add("freeze")
if may_make_devices():
    config.available_features.add("device-nodes")
cuda_path = os.environ.get("CUDA_HOME", "/usr/local/cuda")
for program in ("ptxas", "nvdisasm"):
    if os.access(os.path.join(cuda_path, "bin", program), os.X_OK):
        config.available_features.add(program)
if config.accel_sanitize:
    config.available_features.add("sanitizers")

llvm_config.use_default_substitutions()
bin_dir = os.path.join(config.accel_build, "bin")
llvm_config.with_environment("PATH", [bin_dir, config.llvm_tools_dir], append_path=True)
config.substitutions += [
    ("%accel_source", config.accel_source),
    ("%accel_build", config.accel_build),
    ("%accel_models", os.path.join(config.test_source_root, "e2e", "models")),
    ("%accel_lint", os.path.join(config.accel_source, "tools", "lint")),
    ("%mlir_include", config.mlir_include_dir),
    ("%cuda_path", cuda_path),
    ("%cuda_double", os.path.join(config.accel_build, "test", "cuda-double")),
]

# A test that hangs is ended and named instead of holding up the whole run. lit needs psutil for that.
if lit.util.killProcessAndChildrenIsSupported()[0]:
    lit_config.maxIndividualTestTime = 1200 if config.accel_sanitize else 600
