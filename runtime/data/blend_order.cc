// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Earliest deadline first, over one period.
#include "runtime/data/blend_order.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace accel::runtime {
namespace {

// A position of the period and a dataset: what comes first is smaller, and of
// two at the same position the dataset that is named first.
using Due = std::pair<int64_t, size_t>;
using DueQueue = std::priority_queue<Due, std::vector<Due>, std::greater<Due>>;

}  // namespace

std::vector<int64_t> RoundWeights(absl::Span<const double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<int64_t> quotas;
  std::vector<std::pair<double, size_t>> fractions;
  int64_t rest = kBlendUnit;
  for (size_t i = 0; i < weights.size(); ++i) {
    const double exact = weights[i] / sum * static_cast<double>(kBlendUnit);
    const double whole = std::floor(exact);
    quotas.push_back(static_cast<int64_t>(whole));
    fractions.emplace_back(whole - exact, i);
    rest -= quotas.back();
  }
  // Errors of the division may leave a little less than nothing.
  std::sort(fractions.begin(), fractions.end());
  for (size_t i = 0; rest > 0; i = (i + 1) % fractions.size(), --rest) {
    ++quotas[fractions[i].second];
  }
  for (; rest < 0; ++rest) {
    --*std::max_element(quotas.begin(), quotas.end());
  }
  return quotas;
}

BlendOrder::BlendOrder(std::vector<int64_t> quotas)
    : quotas_(std::move(quotas)) {
  int64_t divisor = 0;
  for (const int64_t quota : quotas_) {
    divisor = std::gcd(divisor, quota);
  }
  for (int64_t& quota : quotas_) {
    quota /= divisor;
  }
  dataset_.resize(static_cast<size_t>(kBlendUnit / divisor));
  index_.resize(dataset_.size());
  LayOut();
}

void BlendOrder::LayOut() {
  const int64_t length = period();
  std::vector<int64_t> taken(quotas_.size());
  DueQueue waiting;  // by the position from which on the next one may be taken
  DueQueue ready;    // by the position at which it is due
  for (size_t d = 0; d < quotas_.size(); ++d) {
    waiting.emplace(0, d);
  }
  for (int64_t position = 0; position < length; ++position) {
    while (!waiting.empty() && waiting.top().first <= position) {
      const size_t d = waiting.top().second;
      waiting.pop();
      ready.emplace(((taken[d] + 1) * length + quotas_[d] - 1) / quotas_[d] - 1,
                    d);
    }
    const size_t d = ready.top().second;
    ready.pop();
    dataset_[static_cast<size_t>(position)] = static_cast<uint16_t>(d);
    index_[static_cast<size_t>(position)] = static_cast<uint32_t>(taken[d]);
    if (++taken[d] < quotas_[d]) {
      waiting.emplace(taken[d] * length / quotas_[d], d);
    }
  }
}

BlendOrder::Place BlendOrder::At(int64_t sample) const {
  const auto position = static_cast<size_t>(sample % period());
  const size_t dataset = dataset_[position];
  return {dataset, sample / period() * quotas_[dataset] +
                       static_cast<int64_t>(index_[position])};
}

std::vector<int64_t> BlendOrder::CountFirst(int64_t samples) const {
  std::vector<int64_t> counts;
  for (const int64_t quota : quotas_) {
    counts.push_back(samples / period() * quota);
  }
  for (int64_t position = 0; position < samples % period(); ++position) {
    ++counts[dataset_[static_cast<size_t>(position)]];
  }
  return counts;
}

std::vector<int64_t> BlendOrder::Find(absl::Span<const int64_t> indices) const {
  std::vector<int64_t> samples(quotas_.size(), INT64_MAX);
  for (int64_t position = 0; position < period(); ++position) {
    const size_t d = dataset_[static_cast<size_t>(position)];
    const int64_t index = index_[static_cast<size_t>(position)];
    int64_t sample = 0;
    if (indices[d] % quotas_[d] == index &&
        !__builtin_mul_overflow(indices[d] / quotas_[d], period(), &sample) &&
        !__builtin_add_overflow(sample, position, &sample)) {
      samples[d] = sample;
    }
  }
  return samples;
}

}  // namespace accel::runtime
