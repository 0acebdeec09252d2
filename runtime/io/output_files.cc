// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each file is compared with those that were added before it.
#include "runtime/io/output_files.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/output_target.h"
#include "runtime/io/path.h"
#include "runtime/text/printable.h"

namespace accel::runtime {
namespace {

absl::Status Overwrites(const std::string& output, const std::string& input) {
  return absl::InvalidArgumentError(absl::StrCat(
      output, ": expected a file of its own, got the same file as ", input,
      ", which would be lost; choose another name"));
}

}  // namespace

absl::Status OutputFiles::AddOutput(const std::string& name,
                                    const std::string& path) {
  Entry added;
  added.shown = absl::StrCat(name, path.empty() ? "" : " ", Printable(path));
  const auto target = ResolveOutput(vfs_, path);
  if (!target.ok()) {
    return Annotate(target.status(), added.shown);
  }
  if (target->existing && target->existing->is_character_device) {
    return absl::OkStatus();
  }
  const FileStat& stat = target->existing ? *target->existing : target->folder;
  added.device = stat.device;
  added.inode = stat.inode;
  if (!target->existing) {
    added.new_file = FileName(target->path);
  }
  for (const Entry& input : inputs_) {
    if (added.IsSameFile(input)) {
      return Overwrites(added.shown, input.shown);
    }
  }
  for (const Entry& output : outputs_) {
    if (added.IsSameFile(output)) {
      return absl::InvalidArgumentError(absl::StrCat(
          added.shown, ": expected a file of its own, got the same file as ",
          output.shown, "; choose another name"));
    }
  }
  outputs_.push_back(std::move(added));
  return absl::OkStatus();
}

absl::Status OutputFiles::AddInput(const std::string& name,
                                   const std::string& path) {
  const absl::StatusOr<FileStat> stat =
      vfs_.Stat(path == "-" ? "/proc/self/fd/0" : path);
  if (!stat.ok() || stat->is_character_device) {
    return absl::OkStatus();
  }
  Entry added;
  added.shown = absl::StrCat(name, " '", Printable(path), "'");
  added.device = stat->device;
  added.inode = stat->inode;
  for (const Entry& output : outputs_) {
    if (added.IsSameFile(output)) {
      return Overwrites(output.shown, added.shown);
    }
  }
  inputs_.push_back(std::move(added));
  return absl::OkStatus();
}

}  // namespace accel::runtime
