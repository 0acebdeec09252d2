// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file of a blend: which datasets a run mixes, and how much of each.
//
//   [[dataset]]
//   path = "web-*.bin"      # as after --data; an array of them, one per field
//   weight = 0.7            # of all weights together
//   epochs = 2              # taken at most so often; default: 1
//
//   [[dataset]]
//   path = "books.idx"
//   weight = 0.3
#ifndef ACCEL_RUNTIME_DATA_BLEND_FILE_H_
#define ACCEL_RUNTIME_DATA_BLEND_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

struct BlendEntry {
  // Values of --data. Relative paths are those from the file's folder.
  std::vector<std::string> data;
  double weight = 0;  // positive and finite
  int64_t epochs = 1;
  int64_t line = 0;  // of the file, from 1

  // "'web-*.bin'", as the file has it.
  std::string name;
};

// Whether a value of --data names a blend: a FILE.toml, without a field.
bool NamesBlend(absl::string_view data);

// At least one entry. What is wrong with the file is in one error, each fault
// with its line.
absl::StatusOr<std::vector<BlendEntry>> ReadBlendFile(Vfs& vfs,
                                                      const std::string& path);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_BLEND_FILE_H_
