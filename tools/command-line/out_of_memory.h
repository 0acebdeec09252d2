// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tool does where an allocation fails, in whichever thread: it says so
// and ends, instead of an exception that nobody catches.
#ifndef ACCEL_TOOLS_COMMAND_LINE_OUT_OF_MEMORY_H_
#define ACCEL_TOOLS_COMMAND_LINE_OUT_OF_MEMORY_H_

#include <unistd.h>

#include <cstring>
#include <new>

namespace accel::tools {

// From then on the process ends with `exit_status` when `new` finds no memory.
// Files that are written appear whole or not at all, so nothing is lost but
// what was not written yet.
template <int exit_status>
void EndWhenOutOfMemory() {
  std::set_new_handler([] {
    constexpr char text[] =
        "error: expected memory for this process's own data, got none: the "
        "system refused an allocation; free memory, raise its limit (ulimit "
        "-v, the cgroup's memory.max), or run fewer ranks\n";
    // Nothing here may allocate.
    [[maybe_unused]] const auto written =
        write(STDERR_FILENO, text, std::strlen(text));
    _exit(exit_status);
  });
}

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_COMMAND_LINE_OUT_OF_MEMORY_H_
