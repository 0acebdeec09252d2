// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// /proc/meminfo, cgroups of both versions, RLIMIT_AS.
#include "runtime/device/available_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/path.h"

namespace accel::runtime {
namespace {

constexpr uint64_t kSmallFile = uint64_t{1} << 20;

std::optional<std::string> ReadText(Vfs& vfs, const std::string& path) {
  auto text = ReadWholeFile(vfs, path, kSmallFile);
  if (!text.ok()) {
    return std::nullopt;
  }
  return *std::move(text);
}

std::optional<uint64_t> ReadNumber(Vfs& vfs, const std::string& path) {
  const auto text = ReadText(vfs, path);
  uint64_t value = 0;
  if (!text || !absl::SimpleAtoi(*text, &value)) {
    return std::nullopt;
  }
  return value;
}

// The number after `key` at the beginning of a line.
std::optional<uint64_t> Lookup(absl::string_view text, absl::string_view key) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    uint64_t value = 0;
    if (words.size() >= 2 && words[0] == key &&
        absl::SimpleAtoi(words[1], &value)) {
      return value;
    }
  }
  return std::nullopt;
}

void Limit(AvailableMemory& available, uint64_t bytes, std::string source) {
  if (bytes >= available.bytes) {
    return;
  }
  available = {bytes, std::move(source)};
}

void LimitByMachine(Vfs& vfs, AvailableMemory& available) {
  const auto text = ReadText(vfs, "/proc/meminfo");
  if (!text) {
    return;
  }
  if (const auto kib = Lookup(*text, "MemAvailable:")) {
    Limit(available, *kib * 1024, "MemAvailable of /proc/meminfo");
  }
}

// The files of one cgroup version.
struct CgroupFiles {
  std::string root;
  absl::string_view limit;
  absl::string_view usage;
  absl::string_view cache;  // key in memory.stat of what can be dropped
};

// The limits of a cgroup and of all above it.
void LimitByCgroup(Vfs& vfs, const CgroupFiles& files, std::string group,
                   AvailableMemory& available) {
  while (true) {
    const std::string folder = absl::StrCat(files.root, group);
    const auto limit = ReadNumber(vfs, JoinPath(folder, files.limit));
    const auto usage = ReadNumber(vfs, JoinPath(folder, files.usage));
    if (limit && usage) {
      const auto stat = ReadText(vfs, JoinPath(folder, "memory.stat"));
      const uint64_t cache = stat ? Lookup(*stat, files.cache).value_or(0) : 0;
      const uint64_t used = *usage - std::min(*usage, cache);
      Limit(available, *limit - std::min(*limit, used),
            absl::StrCat("the limit of cgroup ", group));
    }
    if (group == "/" || group.empty() || group[0] != '/') {
      return;
    }
    group = ParentDirectory(group);
  }
}

void LimitByCgroups(Vfs& vfs, AvailableMemory& available) {
  const auto text = ReadText(vfs, "/proc/self/cgroup");
  if (!text) {
    return;
  }
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    // "<id>:<controllers>:<path>"; version 2 has id 0 and no controllers.
    const std::vector<std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) {
      continue;
    }
    const std::vector<absl::string_view> controllers =
        absl::StrSplit(parts[1], ',');
    if (parts[1].empty()) {
      LimitByCgroup(
          vfs,
          {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
          parts[2], available);
    } else if (std::find(controllers.begin(), controllers.end(), "memory") !=
               controllers.end()) {
      LimitByCgroup(vfs,
                    {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                     "memory.usage_in_bytes", "total_inactive_file"},
                    parts[2], available);
    }
  }
}

void LimitByAddressSpace(Vfs& vfs, AvailableMemory& available) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return;
  }
  const auto text = ReadText(vfs, "/proc/self/statm");
  uint64_t pages = 0;
  if (!text || !absl::SimpleAtoi(text->substr(0, text->find(' ')), &pages)) {
    return;
  }
  const uint64_t used = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  Limit(available, limit.rlim_cur - std::min<uint64_t>(limit.rlim_cur, used),
        "the address-space limit (ulimit -v)");
}

}  // namespace

AvailableMemory ReadAvailableMemory(Vfs& vfs) {
  return ReadShareOfMemory(vfs, 1);
}

AvailableMemory ShareOf(AvailableMemory available, int ranks) {
  if (ranks > 1 && !available.source.empty()) {
    available.bytes /= static_cast<uint64_t>(ranks);
    absl::StrAppend(&available.source, ", a share of ", ranks, " ranks");
  }
  return available;
}

AvailableMemory ReadShareOfMemory(Vfs& vfs, int processes) {
  AvailableMemory available;
  LimitByMachine(vfs, available);
  LimitByCgroups(vfs, available);
  available = ShareOf(std::move(available), processes);
  LimitByAddressSpace(vfs, available);
  return available;
}

}  // namespace accel::runtime
