// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Links are followed by hand up to the last one, which may point to a file that
// does not exist yet, or be one of the kernel's names of an open descriptor.
#include "runtime/io/output_target.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/path.h"
#include "runtime/text/printable.h"

namespace accel::runtime {
namespace {

std::string DescriptorPath(int number) {
  return absl::StrCat("/proc/self/fd/", number);
}

// The end of the chain of links that begins at `path`, or the name of an open
// descriptor that it passes through.
absl::StatusOr<std::string> FollowLinks(Vfs& vfs, std::string path) {
  // As many as Linux follows.
  constexpr int kMostLinks = 40;
  for (int i = 0; i <= kMostLinks; ++i) {
    if (const auto number = DescriptorOfPath(path)) {
      return DescriptorPath(*number);
    }
    const absl::StatusOr<std::string> link = vfs.ReadLink(path);
    if (!link.ok()) {
      return path;
    }
    path = JoinPath(ParentDirectory(path), *link);
  }
  return absl::FailedPreconditionError(
      "expected a file, got a link that leads to itself; remove the link");
}

absl::Status CheckRights(Vfs& vfs, const std::string& path) {
  const absl::Status writable = vfs.CheckWritable(path);
  return writable.ok() ? writable
                       : absl::Status(writable.code(),
                                      absl::StrCat(writable.message(),
                                                   "; choose another place, "
                                                   "or change its rights"));
}

// The folder that a file is made in.
absl::StatusOr<FileStat> FindFolder(Vfs& vfs, const std::string& path) {
  const std::string folder = ParentDirectory(path);
  const std::string shown = Printable(folder);
  const absl::StatusOr<FileStat> stat = vfs.Stat(folder);
  if (absl::IsNotFound(stat.status())) {
    return absl::NotFoundError(
        absl::StrCat("expected a file in a folder that exists, got no folder '",
                     shown, "'; make it first: mkdir -p ", shown));
  }
  RETURN_IF_ERROR(stat.status());
  if (!stat->is_directory) {
    return absl::FailedPreconditionError(
        absl::StrCat("expected a file in a folder, got a file '", shown,
                     "' in place of the folder; choose another path"));
  }
  RETURN_IF_ERROR(CheckRights(vfs, folder));
  return *stat;
}

absl::Status IsFolder(const std::string& path) {
  return absl::FailedPreconditionError(
      absl::StrCat("expected a file, got a folder; name a file in it, for "
                   "example ",
                   Printable(JoinPath(path, "out"))));
}

// What exists and is neither a file nor a folder.
absl::StatusOr<OutputTarget> ResolveStream(Vfs& vfs, std::string path,
                                           const FileStat& stat) {
  OutputTarget target;
  if (!DescriptorOfPath(path)) {
    RETURN_IF_ERROR(CheckRights(vfs, path));
  }
  target.path = std::move(path);
  target.replaced = false;
  target.existing = stat;
  return target;
}

}  // namespace

absl::StatusOr<OutputTarget> ResolveOutput(Vfs& vfs, const std::string& path) {
  if (path.empty()) {
    return absl::InvalidArgumentError("expected a path, got an empty one");
  }
  ASSIGN_OR_RETURN(std::string end,
                   FollowLinks(vfs, path == "-" ? DescriptorPath(1) : path));
  const bool is_descriptor = DescriptorOfPath(end).has_value();
  // Not of its end: a name in /proc may lead to what has no name.
  const absl::StatusOr<FileStat> stat = vfs.Stat(is_descriptor ? end : path);
  if (is_descriptor && !stat.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "expected an open descriptor, got ", *DescriptorOfPath(end),
        ", which is closed; open it in the shell: ", *DescriptorOfPath(end),
        ">FILE"));
  }
  if (stat.ok() && stat->is_directory) {
    return IsFolder(path);
  }
  if (is_descriptor) {
    return ResolveStream(vfs, std::move(end), *stat);
  }
  if (stat.ok() && !stat->is_regular) {
    return ResolveStream(vfs, path, *stat);
  }
  // A file in place of a folder gives FailedPrecondition; FindFolder says so.
  if (!stat.ok() && !absl::IsNotFound(stat.status()) &&
      !absl::IsFailedPrecondition(stat.status())) {
    return stat.status();
  }
  if (absl::EndsWith(end, "/")) {
    return IsFolder(path);
  }
  OutputTarget target;
  ASSIGN_OR_RETURN(target.folder, FindFolder(vfs, end));
  if (stat.ok()) {
    target.existing = *stat;
  }
  target.path = std::move(end);
  return target;
}

bool IsStandardOutput(Vfs& vfs, const std::string& path) {
  const absl::StatusOr<OutputTarget> target = ResolveOutput(vfs, path);
  return target.ok() && target->path == DescriptorPath(1);
}

}  // namespace accel::runtime
