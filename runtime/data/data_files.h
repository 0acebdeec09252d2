// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which files the values of --data stand for, all of them.
#ifndef ACCEL_RUNTIME_DATA_DATA_FILES_H_
#define ACCEL_RUNTIME_DATA_DATA_FILES_H_

#include <string>
#include <vector>

#include "runtime/io/vfs.h"

namespace accel::runtime {

// The files that will be read, as far as they can be found: what patterns
// match, the tokens of an index, the datasets of a blend. What is wrong with a
// value is not said here; it is when data are opened.
std::vector<std::string> ListDataFiles(Vfs& vfs,
                                       const std::vector<std::string>& data);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_DATA_FILES_H_
