// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which file feeds which field of a signature, checks that they fit,
// and reports every fault of every flag in one error.
#ifndef ACCEL_RUNTIME_DATA_FILE_BINDER_H_
#define ACCEL_RUNTIME_DATA_FILE_BINDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/data/data_flag.h"
#include "runtime/data/sample_source.h"
#include "runtime/data/signature.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

// Binds the files of the flags `data`, which messages call `option`:
//   NAME=FILE.npy  row i of the array is sample i of field NAME;
//   FILE.bin       the token input gets tokens [i T, i T + T), its target the
//                  successors; NAME=FILE.bin says which input it is;
//   a pattern with wildcards, or several flags for one field: the rows or the
//                  tokens of all files, in the order of flags and, of a
//                  pattern, of names;
//   a target that no flag names, aligned with an input of token ids given as an
//   array, is that array shifted left by one, its last position ignored.
// All fields must have the same number of samples, at least `global_batch`.
//
// Borrows: the vfs, as long as the sources live.
absl::StatusOr<BoundSources> BindFiles(
    Vfs& vfs, const std::vector<SignatureField>& signature,
    const std::vector<std::string>& data, int64_t global_batch,
    absl::string_view option = kDataOption);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_FILE_BINDER_H_
