// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A count with its noun, as people write it.
#ifndef ACCEL_RUNTIME_BASE_AMOUNT_H_
#define ACCEL_RUNTIME_BASE_AMOUNT_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace accel::runtime {

// "1 step", "200 steps". `noun` is one whose plural ends with s.
inline std::string Amount(int64_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_AMOUNT_H_
