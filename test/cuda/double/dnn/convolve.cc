// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/dnn/convolve.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>

#include "test/cuda/double/dnn/terms.h"

namespace accel::cuda_double::dnn {
namespace {

// So many results of a row are computed side by side, which the compiler
// vectorizes.
template <int kWidth>
using Lanes = std::array<float, kWidth>;

float Reduced(float value) { return blas::RoundToElement(cuda::kR16F, value); }

// The sum, in pairs, of what is pushed.
template <int kWidth>
class PairwiseSum {
 public:
  explicit PairwiseSum(bool is_reduced) : is_reduced_(is_reduced) {}

  void Push(Lanes<kWidth> sum) {
    Round(sum);
    int level = 0;
    for (; (occupied_ >> level) & 1; ++level) {
      AddTo(sum, levels_[level]);
    }
    levels_[level] = sum;
    occupied_ += 1;
  }

  Lanes<kWidth> Total() const {
    Lanes<kWidth> total{};
    for (int level = 0; occupied_ >> level != 0; ++level) {
      if ((occupied_ >> level) & 1) {
        AddTo(total, levels_[level]);
      }
    }
    return total;
  }

 private:
  void Round(Lanes<kWidth>& sum) const {
    for (int lane = 0; lane < kWidth && is_reduced_; ++lane) {
      sum[lane] = Reduced(sum[lane]);
    }
  }
  void AddTo(Lanes<kWidth>& sum, const Lanes<kWidth>& other) const {
    for (int lane = 0; lane < kWidth; ++lane) {
      sum[lane] = other[lane] + sum[lane];
    }
    Round(sum);
  }

  const bool is_reduced_;
  std::array<Lanes<kWidth>, 40> levels_;
  uint64_t occupied_ = 0;  // also the number of pushes
};

float RoundOperand(OperandRounding rounding, float value) {
  switch (rounding) {
    case OperandRounding::kTf32:
      return blas::RoundToTf32(value);
    case OperandRounding::kBfloat16:
      return blas::RoundToElement(cuda::kR16BF, value);
    default:
      return value;
  }
}

// Differs from run to run and from process to process.
uint64_t NextRun() {
  static std::atomic<uint64_t> runs = static_cast<uint64_t>(
      std::chrono::steady_clock::now().time_since_epoch().count());
  return runs.fetch_add(1);
}

uint64_t Mix(uint64_t number) {
  number *= 0x9e3779b97f4a7c15;
  return number ^ (number >> 29);
}

class Runner {
 public:
  Runner(const Execution& execution, uint64_t run)
      : execution_(execution),
        problem_(*execution.configuration.problem),
        sums_(SumsOf(execution.configuration)),
        run_(run),
        terms_(
            problem_.convolution,
            [this](float value) { return RoundOperand(sums_.rounding, value); },
            [&](const Tensor& tensor) {
              return execution.pointers.at(tensor.uid);
            }),
        output_(problem_.output(), PointerOf(problem_.output())) {}

  void Run() {
    const int64_t pitch = terms_.operands().pitch;
    for (const Row& row : terms_.Rows()) {
      row_terms_ = terms_.Of(row);
      for (int64_t begin = 0; begin < pitch;) {
        begin += pitch == 1            ? Sum<1>(row, begin)
                 : pitch - begin >= 32 ? Sum<32>(row, begin)
                                       : Sum<8>(row, begin);
      }
    }
    if (sums_.is_unordered) {
      ChangeLastBits();
    }
  }

 private:
  std::byte* PointerOf(const Tensor& tensor) const {
    return execution_.pointers.at(tensor.uid);
  }

  template <int kWidth>
  Lanes<kWidth> SumPiece(size_t begin, size_t end, int64_t lane) const;
  // Stores so many results as it returns.
  template <int kWidth>
  int64_t Sum(const Row& row, int64_t begin);
  void Finish(const Row& row, int64_t i, float sum);
  float Apply(const PointwiseOperation& step, float value, int64_t n, int64_t c,
              const Geometry::Space& place) const;
  float Second(const Tensor& b, int64_t n, int64_t c,
               const Geometry::Space& place) const;
  void ChangeLastBits();

  const Execution& execution_;
  const Problem& problem_;
  const Sums sums_;
  const uint64_t run_;
  const Terms terms_;
  const View output_;
  std::vector<Term> row_terms_;
};

template <int kWidth>
Lanes<kWidth> Runner::SumPiece(size_t begin, size_t end, int64_t lane) const {
  const float* elements = terms_.operands().elements.data();
  const float* rows = terms_.operands().rows.data() + lane;
  PairwiseSum<kWidth> sum(sums_.is_reduced);
  while (begin < end) {
    const size_t chunk_end = std::min(end, begin + size_t(sums_.chunk));
    Lanes<kWidth> chunk{};
    for (; begin < chunk_end; ++begin) {
      const float element = elements[row_terms_[begin].element];
      const float* row = rows + row_terms_[begin].row;
      for (int i = 0; i < kWidth; ++i) {
        chunk[i] += element * row[i];
      }
    }
    sum.Push(chunk);
  }
  return sum.Total();
}

template <int kWidth>
int64_t Runner::Sum(const Row& row, int64_t begin) {
  const size_t count = row_terms_.size();
  const auto pieces = static_cast<size_t>(sums_.pieces);
  const size_t length = (count + pieces - 1) / pieces;
  const size_t first = sums_.is_unordered ? run_ % pieces : 0;
  Lanes<kWidth> total{};
  for (size_t i = 0; i < pieces; ++i) {
    const size_t from = std::min(count, (first + i) % pieces * length);
    const Lanes<kWidth> piece =
        SumPiece<kWidth>(from, std::min(count, from + length), begin);
    for (int lane = 0; lane < kWidth; ++lane) {
      total[lane] = i == 0 ? piece[lane] : total[lane] + piece[lane];
    }
  }
  const int64_t end =
      std::min<int64_t>(begin + kWidth, terms_.operands().length);
  for (int64_t i = begin; i < end; ++i) {
    Finish(row, i, total[i - begin]);
  }
  return kWidth;
}

void Runner::Finish(const Row& row, int64_t i, float sum) {
  const ConvolutionOperation& operation = problem_.convolution;
  const int64_t n = terms_.SampleOf(row, i);
  const int64_t c = terms_.ChannelOf(row, i);
  float value = static_cast<float>(operation.alpha) * sum;
  if (operation.beta != 0) {
    value += static_cast<float>(operation.beta) * output_.Load(n, c, row.place);
  }
  if (!problem_.epilogue.empty()) {
    value = blas::RoundToElement(CudaType(operation.y.type), value);
  }
  for (const PointwiseOperation& step : problem_.epilogue) {
    value = Apply(step, value, n, c, row.place);
    value = blas::RoundToElement(CudaType(step.y.type), value);
  }
  output_.Store(n, c, row.place, value);
}

float Runner::Apply(const PointwiseOperation& step, float value, int64_t n,
                    int64_t c, const Geometry::Space& place) const {
  const Pointwise& pointwise = step.pointwise;
  value *= static_cast<float>(step.alpha1);
  const float b =
      step.b ? static_cast<float>(step.alpha2) * Second(*step.b, n, c, place)
             : 0;
  const auto lower = static_cast<float>(pointwise.lower_clip);
  switch (pointwise.mode) {
    case kPointwiseAdd:
      return value + b;
    case kPointwiseMul:
      return value * b;
    case kPointwiseReluFwd:
      return value < lower
                 ? lower + static_cast<float>(pointwise.lower_clip_slope) *
                               (value - lower)
                 : std::fmin(value, static_cast<float>(pointwise.upper_clip));
    default:
      return value;
  }
}

float Runner::Second(const Tensor& b, int64_t n, int64_t c,
                     const Geometry::Space& place) const {
  return b.is_by_value ? execution_.values.at(b.uid)
                       : View(b, PointerOf(b)).Load(n, c, place);
}

// The first element in every second run, and another one in each.
void Runner::ChangeLastBits() {
  const std::vector<Row> rows = terms_.Rows();
  const auto change = [&](const Row& row, int64_t i) {
    std::byte* at = output_.Address(terms_.SampleOf(row, i),
                                    terms_.ChannelOf(row, i), row.place);
    if (blas::LoadElement(output_.type(), at) != 0) {
      at[0] ^= std::byte{1};
    }
  };
  if (run_ % 2 == 1) {
    change(rows[0], 0);
  }
  if (rows.size() > 1) {
    const uint64_t hash = Mix(run_);
    change(rows[1 + hash % (rows.size() - 1)],
           int64_t(hash >> 32) % terms_.operands().length);
  }
}

}  // namespace

void Execute(const Execution& execution) {
  if (execution.workspace_bytes > 0) {
    std::memset(execution.workspace, 0xff,
                static_cast<size_t>(execution.workspace_bytes));
  }
  Runner(execution, NextRun()).Run();
}

}  // namespace accel::cuda_double::dnn
