// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/blas/product.h"

#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "test/cuda/double/blas/epilogue.h"

namespace accel::cuda_double::blas {
namespace {

// So many rows of D are computed side by side, which the compiler vectorizes.
constexpr int64_t kLanes = 64;
using Lanes = std::array<float, kLanes>;

void AddTo(Lanes& sum, const Lanes& other) {
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    sum[lane] = other[lane] + sum[lane];
  }
}

// The sum, in pairs, of what is pushed.
class PairwiseSum {
 public:
  void Push(Lanes sum) {
    int level = 0;
    for (; (occupied_ >> level) & 1; ++level) {
      AddTo(sum, levels_[level]);
    }
    levels_[level] = sum;
    occupied_ += 1;
  }

  Lanes Total() const {
    Lanes total{};
    for (int level = 0; occupied_ >> level != 0; ++level) {
      if ((occupied_ >> level) & 1) {
        AddTo(total, levels_[level]);
      }
    }
    return total;
  }

 private:
  std::array<Lanes, 32> levels_;
  uint32_t occupied_ = 0;  // also the number of pushes: k is an int32
};

const std::byte* At(const Layout& layout, const std::byte* begin, int64_t batch,
                    int64_t row, int64_t column) {
  const int64_t in_matrix = layout.order == kOrderColumns
                                ? row + column * layout.leading_dimension
                                : row * layout.leading_dimension + column;
  const int64_t index = batch * layout.batch_stride + in_matrix;
  return begin + index * int64_t(ElementBytes(layout.type));
}

float ScaleOf(const void* at) {
  return at == nullptr
             ? 1
             : LoadElement(cuda::kR32F, static_cast<const std::byte*>(at));
}

class Runner {
 public:
  Runner(const Product& product, uint64_t run)
      : product_(product),
        problem_(product.problem),
        factor_(product.alpha * ScaleOf(product.problem.desc.a_scale) *
                ScaleOf(product.problem.desc.b_scale)),
        run_(run) {}

  void RunBatch(int64_t batch) {
    batch_ = batch;
    Pack();
    for (int64_t row = 0; row < problem_.m; row += kLanes) {
      for (int64_t column = 0; column < problem_.n; ++column) {
        SumPieces(row, column);
        const int64_t end = std::min(kLanes, problem_.m - row);
        for (int64_t lane = 0; lane < end; ++lane) {
          Finish(row + lane, column, lane);
        }
      }
    }
  }

 private:
  // op(A) as blocks of kLanes rows, in each of which the rows lie side by side,
  // and the columns of op(B). What is missing of the last block is 0.
  void Pack();
  float Operand(int which, int64_t row, int64_t column) const;
  void SumPieces(int64_t row, int64_t column);
  Lanes SumChunk(const float* a, const float* b, int64_t begin,
                 int64_t end) const;
  void Finish(int64_t row, int64_t column, int64_t lane);
  float Activate(float value, int64_t row, int64_t column) const;
  float Bias(int64_t row) const;

  const Product& product_;
  const Problem& problem_;
  const float factor_;  // alpha and the scales, as they are at this execution
  const uint64_t run_;
  int64_t batch_ = 0;
  std::vector<float> a_;
  std::vector<float> b_;
  std::vector<Lanes> pieces_;
};

float Runner::Operand(int which, int64_t row, int64_t column) const {
  const Layout& layout = problem_.layouts[which];
  const Desc& desc = problem_.desc;
  if ((which == kA ? desc.trans_a : desc.trans_b) == cuda::kOpT) {
    std::swap(row, column);
  }
  const float value = LoadElement(
      layout.type,
      At(layout, which == kA ? product_.a : product_.b, batch_, row, column));
  return desc.compute_type == cuda::kCompute32FFastTf32 ? RoundToTf32(value)
                                                        : value;
}

void Runner::Pack() {
  const int64_t blocks = (problem_.m + kLanes - 1) / kLanes;
  a_.assign(blocks * kLanes * problem_.k, 0);
  b_.resize(problem_.n * problem_.k);
  for (int64_t k = 0; k < problem_.k; ++k) {
    for (int64_t row = 0; row < problem_.m; ++row) {
      const int64_t block = row / kLanes;
      a_[(block * problem_.k + k) * kLanes + row % kLanes] =
          Operand(kA, row, k);
    }
    for (int64_t column = 0; column < problem_.n; ++column) {
      b_[column * problem_.k + k] = Operand(kB, k, column);
    }
  }
}

Lanes Runner::SumChunk(const float* a, const float* b, int64_t begin,
                       int64_t end) const {
  Lanes sum{};
  for (int64_t k = begin; k < end; ++k) {
    const float* rows = a + k * kLanes;
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      sum[lane] += rows[lane] * b[k];
    }
  }
  return sum;
}

void Runner::SumPieces(int64_t row, int64_t column) {
  const float* a = a_.data() + row * problem_.k;
  const float* b = b_.data() + column * problem_.k;
  const Algorithm& algorithm = product_.algorithm;
  const int64_t piece_length = algorithm.PieceLength(problem_.k);
  pieces_.clear();
  for (int64_t piece = 0; piece < problem_.k; piece += piece_length) {
    const int64_t piece_end = std::min(piece + piece_length, problem_.k);
    PairwiseSum sum;
    for (int64_t k = piece; k < piece_end; k += algorithm.chunk) {
      sum.Push(SumChunk(a, b, k, std::min(k + algorithm.chunk, piece_end)));
    }
    pieces_.push_back(sum.Total());
  }
}

// As documented, a bias is one for all batches unless a stride is set, for
// which the double has no attribute.
float Runner::Bias(int64_t row) const {
  const auto* bias = static_cast<const std::byte*>(problem_.desc.bias);
  return LoadElement(problem_.bias_type,
                     bias + row * int64_t(ElementBytes(problem_.bias_type)));
}

// GELU and its derivative, of `value` before it is rounded to any type.
float Runner::Activate(float value, int64_t row, int64_t column) const {
  const uint32_t epilogue = problem_.desc.epilogue;
  if (!HasAux(epilogue)) {
    return AppliesGelu(epilogue) ? Gelu(value) : value;
  }
  const std::byte* aux =
      At(problem_.aux, static_cast<const std::byte*>(problem_.desc.aux), batch_,
         row, column);
  if (ReadsAux(epilogue)) {
    return value * GeluDerivative(LoadElement(problem_.aux.type, aux));
  }
  StoreElement(problem_.aux.type, value, const_cast<std::byte*>(aux));
  return Gelu(value);
}

void Runner::Finish(int64_t row, int64_t column, int64_t lane) {
  const Layout& layout = problem_.layouts[kD];
  const bool in_place = product_.algorithm.reduction == cuda::kReductionInPlace;
  const size_t count = pieces_.size();
  const size_t first = in_place ? run_ % count : 0;
  float sum = pieces_[first][lane];
  for (size_t i = 1; i < count && !in_place; ++i) {
    sum += pieces_[i][lane];
  }
  float value = factor_ * sum;
  if (product_.beta != 0) {
    const Layout& c_layout = problem_.layouts[kC];
    value += product_.beta *
             LoadElement(c_layout.type,
                         At(c_layout, product_.c, batch_, row, column));
  }
  if (HasBias(problem_.desc.epilogue)) {
    value += Bias(row);
  }
  value = Activate(value, row, column);
  for (size_t i = 1; i < count && in_place; ++i) {
    value = RoundToElement(layout.type, value) +
            factor_ * pieces_[(first + i) % count][lane];
  }
  StoreElement(
      layout.type, value,
      const_cast<std::byte*>(At(layout, product_.d, batch_, row, column)));
}

}  // namespace

void RunProduct(const Product& product) {
  static std::atomic<uint64_t> runs = 0;
  if (product.algorithm.workspace_bytes > 0) {
    std::memset(product.workspace, 0xff, product.algorithm.workspace_bytes);
  }
  Runner runner(product, runs.fetch_add(1));
  for (int64_t batch = 0; batch < product.problem.batches; ++batch) {
    runner.RunBatch(batch);
  }
}

}  // namespace accel::cuda_double::blas
