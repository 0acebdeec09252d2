// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of the dynamic codes, from their definition and in double: what
// the interpreter and the oracle of an optimizer look up.
#ifndef ACCEL_DIALECTS_ACCEL_IR_DYNAMICCODE_H
#define ACCEL_DIALECTS_ACCEL_IR_DYNAMICCODE_H

#include "dialects/Accel/IR/AccelOps.h"

#include <array>
#include <utility>

namespace accel {

class DynamicCode {
public:
  /// The codes are made once.
  static const DynamicCode &get(ByteCode code);

  double decode(uint8_t byte) const { return numbers[byte]; }

  /// The byte of the nearest number; of two that are as near, that of the
  /// larger one. NaN becomes 0.
  uint8_t encode(double number) const;

private:
  explicit DynamicCode(ByteCode code);

  std::array<double, 256> numbers; ///< by byte
  std::array<std::pair<double, uint8_t>, 256> sorted;
};

} // namespace accel

#endif
