// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows flags to files, and blends to flags.
#include "runtime/data/data_files.h"

#include "runtime/data/blend_file.h"
#include "runtime/data/data_flag.h"
#include "runtime/data/token_index.h"

namespace accel::runtime {
namespace {

void AddFilesOf(Vfs& vfs, const DataFlag& flag,
                std::vector<std::string>& files) {
  const auto found = FindDataFiles(vfs, flag);
  if (!found.ok()) {
    return;
  }
  for (const std::string& path : *found) {
    files.push_back(path);
    if (flag.encoding == TokenEncoding::kAuto && IsIndexName(path)) {
      files.push_back(TokensOfIndex(path));
    }
  }
}

}  // namespace

std::vector<std::string> ListDataFiles(Vfs& vfs,
                                       const std::vector<std::string>& data) {
  std::vector<std::string> files;
  for (const std::string& text : data) {
    const auto flag = ParseDataFlag(text);
    if (!flag.ok()) {
      continue;
    }
    if (!flag->is_blend()) {
      AddFilesOf(vfs, *flag, files);
      continue;
    }
    files.push_back(flag->path);
    const auto entries = ReadBlendFile(vfs, flag->path);
    if (!entries.ok()) {
      continue;
    }
    // No blend names another.
    for (const BlendEntry& entry : *entries) {
      const std::vector<std::string> more = ListDataFiles(vfs, entry.data);
      files.insert(files.end(), more.begin(), more.end());
    }
  }
  return files;
}

}  // namespace accel::runtime
