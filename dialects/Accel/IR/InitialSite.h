// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The random numbers that parameters begin with are told apart by name.
#ifndef ACCEL_DIALECTS_ACCEL_IR_INITIALSITE_H
#define ACCEL_DIALECTS_ACCEL_IR_INITIALSITE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace accel {

/// The random site of a parameter's initial values: FNV-1a of its name.
inline uint32_t getInitialSite(llvm::StringRef name) {
  uint32_t hash = 2166136261u;
  for (unsigned char byte : name) {
    hash = (hash ^ byte) * 16777619u;
  }
  return hash;
}

} // namespace accel

#endif
