// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The published policies, by name.
#include "dialects/Accel/IR/LossScale.h"

#include "llvm/ADT/StringExtras.h"

using namespace accel;

std::optional<LossScalePolicy> accel::parseLossScale(llvm::StringRef text) {
  if (text == "torch") {
    return LossScalePolicy{0x1p16, 2000, 1};
  }
  if (text == "megatron") {
    return LossScalePolicy{0x1p32, 1000, 2};
  }
  double number = 0;
  if (text.getAsDouble(number) ||
      !(number >= 0x1p-126 && number <= kLargestLossScale)) {
    return std::nullopt;
  }
  return LossScalePolicy{static_cast<float>(number)};
}
