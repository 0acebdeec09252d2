// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AdamW whose moments are 8-bit codes, with a scale for each block (Dettmers et
// al. 2022, "8-bit Optimizers via Block-wise Quantization"). A step computes
// with numbers; what they are rounded to is what the next one begins with.
#include "dialects/Accel/IR/DynamicCode.h"
#include "dialects/Accel/IR/Optimizers/AdamW.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace accel;

namespace {

/// Elements with one scale, as published.
constexpr int64_t kBlock = 256;

// The second moment has no sign.
constexpr BlockCode kFirst = {"first_moment", "first_scale",
                              ByteCode::DynamicSigned, kBlock};
constexpr BlockCode kSecond = {"second_moment", "second_scale",
                               ByteCode::DynamicUnsigned, kBlock};

class AdamW8 : public AdamWArithmetic {
  Moments readMoments(SegmentBuilder &b) override {
    Value first = b.read(kFirst);
    return {first, b.read(kSecond)};
  }
  void writeMoments(SegmentBuilder &b, const Moments &moments) override {
    b.write(kFirst, moments.first);
    b.write(kSecond, moments.second);
  }
};

std::vector<double> decode(const std::vector<double> &codes,
                           const std::vector<double> &scales, ByteCode code) {
  std::vector<double> moment(codes.size());
  for (auto [i, byte] : llvm::enumerate(codes)) {
    moment[i] = DynamicCode::get(code).decode(static_cast<uint8_t>(byte)) *
                scales[i / kBlock];
  }
  return moment;
}

void encode(const std::vector<double> &moment, ByteCode code,
            std::vector<double> &codes, std::vector<double> &scales) {
  llvm::fill(scales, 0.0);
  for (auto [i, value] : llvm::enumerate(moment)) {
    scales[i / kBlock] = std::max(scales[i / kBlock], std::fabs(value));
  }
  for (auto [i, value] : llvm::enumerate(moment)) {
    double scale = scales[i / kBlock];
    codes[i] =
        scale == 0.0 ? 0.0 : DynamicCode::get(code).encode(value / scale);
  }
}

void runAdamW8(OracleSegment &segment) {
  auto &slots = segment.slots;
  std::vector<double> first = decode(slots[0], slots[1], kFirst.code);
  std::vector<double> second = decode(slots[2], slots[3], kSecond.code);
  runAdamWStep(segment, first, second);
  encode(first, kFirst.code, slots[0], slots[1]);
  encode(second, kSecond.code, slots[2], slots[3]);
}

constexpr OptimizerSlot kAdamW8Slots[] = {
    {kFirst.codes, OptimizerSlot::Element::Code},
    {kFirst.scales, OptimizerSlot::Element::Float, kBlock},
    {kSecond.codes, OptimizerSlot::Element::Code},
    {kSecond.scales, OptimizerSlot::Element::Float, kBlock}};

} // namespace

constexpr Optimizer accel::kAdamW8 = {
    "adamw8",     "its moments in 8 bits",
    kAdamW8Slots, kAdamWNumbers,
    kAdamWPowers, [] { return std::unique_ptr<SegmentOptimizer>(new AdamW8); },
    runAdamW8};
