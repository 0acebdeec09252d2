// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/blas/matmul_work.h"

#include <memory>
#include <vector>

#include "test/cuda/double/blas/algorithm_times.h"
#include "test/cuda/double/blas/byte_ranges.h"
#include "test/cuda/double/blas/epilogue.h"
#include "test/cuda/double/blas/refusals.h"
#include "test/cuda/double/driver/enqueue.h"

namespace accel::cuda_double::blas {
namespace {

// The bytes of all that a product touches. What it does not touch is empty.
struct Footprint {
  ByteRanges c, d, workspace;
  ByteRanges aux;  // that is written
  // A, B, their scales, the bias and an auxiliary matrix that is read.
  std::vector<ByteRanges> operands;
};

Footprint FootprintOf(const Product& product) {
  const Problem& problem = product.problem;
  const Desc& desc = problem.desc;
  Footprint footprint;
  footprint.d = ByteRanges(problem.layouts[kD], product.d);
  footprint.workspace =
      ByteRanges(product.workspace, product.algorithm.workspace_bytes);
  if (product.beta != 0) {
    footprint.c = ByteRanges(problem.layouts[kC], product.c);
  }
  std::vector<ByteRanges>& operands = footprint.operands;
  operands.emplace_back(problem.layouts[kA], product.a);
  operands.emplace_back(problem.layouts[kB], product.b);
  for (const void* scale : {desc.a_scale, desc.b_scale}) {
    operands.emplace_back(scale, scale == nullptr ? 0 : sizeof(float));
  }
  if (HasBias(desc.epilogue)) {
    operands.emplace_back(desc.bias,
                          problem.m * ElementBytes(problem.bias_type));
  }
  if (ReadsAux(desc.epilogue)) {
    operands.emplace_back(problem.aux, desc.aux);
  } else if (WritesAux(desc.epilogue)) {
    footprint.aux = ByteRanges(problem.aux, desc.aux);
  }
  return footprint;
}

void Append(const ByteRanges& ranges, int writes,
            std::vector<Access>* accesses) {
  for (const ByteRange& range : ranges.ranges()) {
    accesses->push_back({range.begin, range.end - range.begin, writes});
  }
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
  const auto [c, d, workspace, aux, operands] = FootprintOf(product);
  if (d.overlaps_itself() || aux.overlaps_itself()) {
    return Invalid("two elements of what is written share bytes");
  }
  for (const ByteRanges& operand : operands) {
    if (d.Overlaps(operand) || aux.Overlaps(operand)) {
      return Invalid("what is written overlaps with what is read");
    }
    if (workspace.Overlaps(operand)) {
      return Invalid("the workspace overlaps with an operand");
    }
  }
  const Problem& problem = product.problem;
  const bool in_place =
      product.c == product.d && problem.layouts[kC] == problem.layouts[kD];
  if (!in_place && d.Overlaps(c)) {
    return Invalid("D overlaps with C, but they do not have the same layout");
  }
  if (aux.Overlaps(c) || aux.Overlaps(d)) {
    return Invalid("the auxiliary matrix overlaps with C or D");
  }
  if (workspace.Overlaps(c) || workspace.Overlaps(d) ||
      workspace.Overlaps(aux)) {
    return Invalid("the workspace overlaps with a matrix");
  }
  return cuda::kBlasSuccess;
}

cuda::BlasStatus Enqueue(const Product& product, cuda::StreamHandle stream) {
  const Footprint footprint = FootprintOf(product);
  std::vector<Access> accesses;
  for (const ByteRanges& operand : footprint.operands) {
    Append(operand, 0, &accesses);
  }
  Append(footprint.c, 0, &accesses);
  Append(footprint.d, 1, &accesses);
  Append(footprint.aux, 1, &accesses);
  Append(footprint.workspace, 1, &accesses);
  auto data = std::make_unique<Product>(product);
  Work work{};
  work.name = "cublasLtMatmul";
  work.accesses = accesses.data();
  work.access_count = accesses.size();
  work.run = [](void* data) { RunProduct(*static_cast<Product*>(data)); };
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
