// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One level of folders after the other: the names so far, each with what
// matches the next part of the pattern.
#include "runtime/io/glob.h"

#include <fnmatch.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/path.h"

namespace accel::runtime {
namespace {

// Whether anything is there; a link that leads nowhere is nothing.
absl::StatusOr<bool> Exists(Vfs& vfs, const std::string& path, bool folder) {
  const auto stat = vfs.Stat(path);
  if (absl::IsNotFound(stat.status())) {
    return false;
  }
  RETURN_IF_ERROR(stat.status());
  return stat->is_directory || !folder;
}

// Adds `folder`/NAME for each entry that matches `part`.
absl::Status AddMatches(Vfs& vfs, const std::string& folder,
                        const std::string& part, bool folders_only,
                        std::vector<std::string>& found) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   vfs.List(folder.empty() ? "." : folder));
  for (const std::string& name : names) {
    if (::fnmatch(part.c_str(), name.c_str(), FNM_PERIOD | FNM_NOESCAPE) != 0) {
      continue;
    }
    std::string path = JoinPath(folder, name);
    ASSIGN_OR_RETURN(const bool exists, Exists(vfs, path, folders_only));
    if (exists) {
      found.push_back(std::move(path));
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool HasWildcard(absl::string_view text) {
  return text.find_first_of("*?[") != absl::string_view::npos;
}

absl::StatusOr<std::vector<std::string>> Glob(Vfs& vfs,
                                              const std::string& pattern) {
  if (absl::StrContains(pattern, "**")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", pattern, "': expected * to stand for a part of one name, got **; ",
        "write one * for each level of folders, as in 'shards/*/*.bin'"));
  }
  const std::vector<std::string> parts =
      absl::StrSplit(pattern, '/', absl::SkipEmpty());
  std::vector<std::string> found = {absl::StartsWith(pattern, "/") ? "/" : ""};
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool folders_only = i + 1 < parts.size();
    std::vector<std::string> next;
    for (const std::string& folder : found) {
      if (HasWildcard(parts[i])) {
        RETURN_IF_ERROR(AddMatches(vfs, folder, parts[i], folders_only, next));
        continue;
      }
      std::string path = JoinPath(folder, parts[i]);
      ASSIGN_OR_RETURN(const bool exists, Exists(vfs, path, folders_only));
      if (exists) {
        next.push_back(std::move(path));
      }
    }
    found = std::move(next);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace accel::runtime
