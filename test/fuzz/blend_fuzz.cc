// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file of a blend, and the order of one whose weights were accepted.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "runtime/data/blend_file.h"
#include "runtime/data/blend_order.h"
#include "test/fuzz/memory_vfs.h"

namespace {

using accel::runtime::BlendEntry;
using accel::runtime::BlendOrder;
using accel::runtime::kBlendUnit;
using accel::runtime::RoundWeights;

// Laying a period out takes a hundredth of a second: only short ones are.
constexpr int64_t kFewSamples = 1 << 12;

void Require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void CheckOrder(const std::vector<int64_t>& quotas) {
  int64_t common = kBlendUnit;
  for (const int64_t quota : quotas) {
    while (quota % common != 0) {
      common /= 2;  // the unit is a power of two
    }
  }
  if (kBlendUnit / common > kFewSamples) {
    return;
  }
  const BlendOrder order(quotas);
  std::vector<int64_t> counts(quotas.size());
  for (int64_t sample = 0; sample < order.period(); ++sample) {
    const BlendOrder::Place place = order.At(sample);
    Require(place.dataset < counts.size());
    Require(place.index == counts[place.dataset]++);
  }
  Require(counts == order.CountFirst(order.period()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  accel::testing::MemoryVfs vfs(
      "x.toml", std::string(reinterpret_cast<const char*>(data), size));
  const auto entries = accel::runtime::ReadBlendFile(vfs, "x.toml");
  if (!entries.ok()) {
    return 0;
  }
  Require(!entries->empty());
  std::vector<double> weights;
  for (const BlendEntry& entry : *entries) {
    Require(!entry.data.empty() && entry.weight > 0 && entry.epochs > 0);
    weights.push_back(entry.weight);
  }
  const std::vector<int64_t> quotas = RoundWeights(weights);
  int64_t sum = 0;
  bool all_positive = true;
  for (const int64_t quota : quotas) {
    Require(quota >= 0);
    sum += quota;
    all_positive = all_positive && quota > 0;
  }
  Require(sum == kBlendUnit);
  if (all_positive) {
    CheckOrder(quotas);
  }
  return 0;
}
