// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds .npy files for tests, as numpy.save would write them.
#ifndef ACCEL_TEST_RUNTIME_NPY_BYTES_H_
#define ACCEL_TEST_RUNTIME_NPY_BYTES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {

// A file of format `version` with that dictionary and data.
inline std::string NpyFrame(int version, std::string dictionary,
                            const std::string& data) {
  const size_t start = version == 1 ? 10 : 12;
  dictionary.append(64 - (start + dictionary.size() + 1) % 64, ' ');
  dictionary += '\n';
  std::string file("\x93NUMPY", 6);
  file += static_cast<char>(version);
  file += '\0';
  for (size_t i = 0; i < start - 8; ++i) {
    file += static_cast<char>(dictionary.size() >> (8 * i));
  }
  return file + dictionary + data;
}

template <typename T>
std::string Npy(const std::string& descr, const std::vector<int64_t>& shape,
                const std::vector<T>& values) {
  return NpyFrame(1,
                  absl::StrCat("{'descr': '", descr,
                               "', 'fortran_order': False, 'shape': (",
                               absl::StrJoin(shape, ", "),
                               shape.size() == 1 ? "," : "", "), }"),
                  TempDir::Bytes(values));
}

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_NPY_BYTES_H_
