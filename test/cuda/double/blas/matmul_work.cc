// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/blas/matmul_work.h"

#include <memory>
#include <vector>

#include "test/cuda/double/blas/algorithm_times.h"
#include "test/cuda/double/blas/byte_ranges.h"
#include "test/cuda/double/blas/refusals.h"
#include "test/cuda/double/driver/enqueue.h"

namespace accel::cuda_double::blas {
namespace {

struct Footprint {
  ByteRanges a, b, c, d, bias, a_scale, b_scale, workspace;
};

ByteRanges ScaleAt(const void* scale) {
  return ByteRanges(scale, scale == nullptr ? 0 : sizeof(float));
}

Footprint FootprintOf(const Product& product) {
  const Problem& problem = product.problem;
  Footprint footprint;
  footprint.a = ByteRanges(problem.layouts[kA], product.a);
  footprint.b = ByteRanges(problem.layouts[kB], product.b);
  footprint.d = ByteRanges(problem.layouts[kD], product.d);
  if (product.beta != 0) {
    footprint.c = ByteRanges(problem.layouts[kC], product.c);
  }
  if (problem.desc.epilogue == kEpilogueBias) {
    footprint.bias = ByteRanges(problem.desc.bias,
                                problem.m * ElementBytes(problem.bias_type));
  }
  footprint.a_scale = ScaleAt(problem.desc.a_scale);
  footprint.b_scale = ScaleAt(problem.desc.b_scale);
  footprint.workspace =
      ByteRanges(product.workspace, product.algorithm.workspace_bytes);
  return footprint;
}

void Append(const ByteRanges& ranges, int writes,
            std::vector<Access>* accesses) {
  for (const ByteRange& range : ranges.ranges()) {
    accesses->push_back({range.begin, range.end - range.begin, writes});
  }
}

// What a GPU finds when it reads the scales.
const char* MistakeOf(void* data) {
  const Desc& desc = static_cast<Product*>(data)->problem.desc;
  for (const void* scale : {desc.a_scale, desc.b_scale}) {
    if (reinterpret_cast<uint64_t>(scale) % sizeof(float) != 0) {
      return "the scale of an operand is read at a misaligned address";
    }
  }
  return nullptr;
}

cuda::BlasStatus StatusOf(cuda::Result result) {
  switch (result) {
    case cuda::kSuccess:
      return cuda::kBlasSuccess;
    case cuda::kErrorNotInitialized:
    case cuda::kErrorDeinitialized:
    case cuda::kErrorInvalidContext:
      return Refuse(cuda::kBlasNotInitialized, "there is no current context");
    default:
      return Refuse(cuda::kBlasExecutionFailed, "the driver refuses the work");
  }
}

}  // namespace

cuda::BlasStatus CheckOverlaps(const Product& product) {
  const Footprint footprint = FootprintOf(product);
  if (footprint.d.overlaps_itself()) {
    return Invalid("two elements of D share bytes");
  }
  if (footprint.d.Overlaps(footprint.a) || footprint.d.Overlaps(footprint.b) ||
      footprint.d.Overlaps(footprint.bias) ||
      footprint.d.Overlaps(footprint.a_scale) ||
      footprint.d.Overlaps(footprint.b_scale)) {
    return Invalid("D overlaps with A, B, one of their scales or the bias");
  }
  const Problem& problem = product.problem;
  const bool in_place =
      product.c == product.d && problem.layouts[kC] == problem.layouts[kD];
  if (!in_place && footprint.d.Overlaps(footprint.c)) {
    return Invalid("D overlaps with C, but they do not have the same layout");
  }
  for (const ByteRanges* other :
       {&footprint.a, &footprint.b, &footprint.c, &footprint.d, &footprint.bias,
        &footprint.a_scale, &footprint.b_scale}) {
    if (footprint.workspace.Overlaps(*other)) {
      return Invalid("the workspace overlaps with an operand");
    }
  }
  return cuda::kBlasSuccess;
}

cuda::BlasStatus Enqueue(const Product& product, cuda::StreamHandle stream) {
  const Footprint footprint = FootprintOf(product);
  std::vector<Access> accesses;
  Append(footprint.a, 0, &accesses);
  Append(footprint.b, 0, &accesses);
  Append(footprint.c, 0, &accesses);
  Append(footprint.bias, 0, &accesses);
  Append(footprint.a_scale, 0, &accesses);
  Append(footprint.b_scale, 0, &accesses);
  Append(footprint.d, 1, &accesses);
  Append(footprint.workspace, 1, &accesses);
  auto data = std::make_unique<Product>(product);
  Work work{};
  work.name = "cublasLtMatmul";
  work.accesses = accesses.data();
  work.access_count = accesses.size();
  work.run = [](void* data) { RunProduct(*static_cast<Product*>(data)); };
  work.mistake = MistakeOf;
  work.data = data.get();
  work.destroy = [](void* data) { delete static_cast<Product*>(data); };
  work.nanoseconds = ExtraNanoseconds(product.algorithm.id);
  const cuda::Result result = accel_double_enqueue(stream, &work);
  if (result == cuda::kSuccess) {
    data.release();  // The driver has it now, and calls `destroy`.
  }
  return StatusOf(result);
}

}  // namespace accel::cuda_double::blas
