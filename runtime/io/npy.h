// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's .npy files: a reader of format versions 1 to 3, C order, little
// endian, and the beginning of files of version 1.
#ifndef ACCEL_RUNTIME_IO_NPY_H_
#define ACCEL_RUNTIME_IO_NPY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/dtype.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

struct NpyHeader {
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
};

// Parses the dictionary text of a header, e.g.
// "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }".
// Errors say how to write the array instead.
absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view text);

struct NpyLayout {
  NpyHeader header;
  uint64_t data_offset = 0;  // in the file
  uint64_t data_size = 0;    // in bytes
};

// Reads and checks everything before the data, and that the file's size is
// exactly what dtype and shape say. Errors begin with the file's path.
absl::StatusOr<NpyLayout> ReadNpyLayout(File& file);

// What comes before the data of such an array, so that they begin at a multiple
// of 64 bytes. Unimplemented for an element type that NumPy has no name for.
absl::StatusOr<std::string> MakeNpyHeader(const NpyHeader& header);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_IO_NPY_H_
