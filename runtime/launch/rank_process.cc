// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// posix_spawn, with memory in place of the output of most ranks.
#include "runtime/launch/rank_process.h"

#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/launch/failure_note.h"

namespace accel::runtime {
namespace {

// The environment of a rank: ours, and what makes it one.
std::vector<std::string> EnvironmentOf(const RankEnvironment& rank) {
  std::vector<std::string> variables = RankVariables(rank);
  const size_t own = variables.size();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const absl::string_view text(*entry);
    const absl::string_view name = text.substr(0, text.find('=') + 1);
    if (std::none_of(
            variables.begin(), variables.begin() + static_cast<ptrdiff_t>(own),
            [&](const std::string& variable) {
              return absl::string_view(variable).substr(0, name.size()) == name;
            })) {
      variables.emplace_back(text);
    }
  }
  return variables;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

// Returns posix_spawn's error. `output` < 0: ours.
int Spawn(pid_t& pid, int output, int note, char** argv,
          std::vector<std::string>& variables) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (output >= 0) {
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  }
  // Onto itself: not closed.
  posix_spawn_file_actions_adddup2(&files, note, note);
  // A process group of its own: the terminal's Ctrl-C comes through us, once.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int error = posix_spawn(&pid, "/proc/self/exe", &files, &attributes,
                                argv, Pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

std::string RankProcess::Output() const {
  if (output.get() < 0) {
    return "";
  }
  const auto size = SharedMemorySize(output);
  if (!size.ok() || *size == 0) {
    return "";
  }
  const auto mapping = SharedMapping::Map(output, 0, *size);
  return mapping.ok()
             ? std::string(
                   reinterpret_cast<const char*>(mapping->bytes().data()),
                   mapping->bytes().size())
             : "";
}

absl::Status StartRank(RankEnvironment environment, char** argv,
                       RankProcess& process) {
  ASSIGN_OR_RETURN(process.note, CreateNoteMemory());
  environment.failure_note = process.note.get();
  if (environment.rank != 0) {
    ASSIGN_OR_RETURN(process.output, CreateSharedMemory("accel-output", 0));
  }
  std::vector<std::string> variables = EnvironmentOf(environment);
  const int error = Spawn(process.pid, process.output.get(), process.note.get(),
                          argv, variables);
  if (error != 0) {
    process.pid = 0;
    return ErrnoError(error,
                      absl::StrCat("cannot start rank ", environment.rank));
  }
  ASSIGN_OR_RETURN(process.watch, ProcessWatch::Open(process.pid));
  return absl::OkStatus();
}

}  // namespace accel::runtime
