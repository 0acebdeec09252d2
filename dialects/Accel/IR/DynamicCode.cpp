// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The description of accel.quantize says which numbers there are.
#include "dialects/Accel/IR/DynamicCode.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace accel;

static constexpr int kDecades = 7;

DynamicCode::DynamicCode(ByteCode code) {
  bool isSigned = code == ByteCode::DynamicSigned;
  numbers[0] = 0.0;
  numbers[isSigned ? 128 : 255] = 1.0;
  for (int decade = 0; decade < kDecades; ++decade) {
    int cells = 1 << (isSigned ? decade : decade + 1);
    for (int cell = 0; cell < cells; ++cell) {
      double middle = 0.1 + 0.9 * (cell + 0.5) / cells;
      double number = middle * std::pow(10.0, decade - (kDecades - 1));
      if (isSigned) {
        numbers[cells + cell] = number;
        numbers[256 - (cells + cell)] = -number;
      } else {
        numbers[cells + cell - 1] = number;
      }
    }
  }
  for (auto [byte, number] : llvm::enumerate(numbers)) {
    sorted[byte] = {number, static_cast<uint8_t>(byte)};
  }
  llvm::sort(sorted);
}

const DynamicCode &DynamicCode::get(ByteCode code) {
  static const DynamicCode isSigned(ByteCode::DynamicSigned);
  static const DynamicCode isUnsigned(ByteCode::DynamicUnsigned);
  return code == ByteCode::DynamicSigned ? isSigned : isUnsigned;
}

uint8_t DynamicCode::encode(double number) const {
  if (std::isnan(number)) {
    return 0;
  }
  size_t low = 0;
  size_t high = sorted.size() - 1;
  while (low < high) {
    size_t middle = (low + high) / 2;
    double border = (sorted[middle].first + sorted[middle + 1].first) / 2;
    if (number < border) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return sorted[low].second;
}
