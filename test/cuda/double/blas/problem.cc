// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/blas/problem.h"

#include <cstring>

#include "test/cuda/double/blas/epilogue.h"
#include "test/cuda/double/blas/objects.h"
#include "test/cuda/double/blas/refusals.h"
#include "test/cuda/double/driver/inspect.h"

namespace accel::cuda_double::blas {
namespace {

cuda::BlasStatus Snapshot(const ProblemHandles& handles, Problem* problem) {
  const auto desc = Descs().Find(handles.desc);
  if (!desc) {
    return Invalid("there is no such descriptor of a product");
  }
  problem->desc = *desc;
  for (Operand operand : {kA, kB, kC, kD}) {
    // As documented: a C without a layout has that of D.
    const bool omitted = operand == kC && handles.layouts[kC] == nullptr;
    const auto layout = Layouts().Find(handles.layouts[omitted ? kD : operand]);
    if (!layout) {
      return Invalid("there is no such layout of a matrix");
    }
    problem->layouts[operand] = *layout;
  }
  return cuda::kBlasSuccess;
}

cuda::BlasStatus FindCapability(Capability* capability) {
  const int result =
      accel_double_current_capability(&capability->major, &capability->minor);
  return result == cuda::kSuccess
             ? cuda::kBlasSuccess
             : Refuse(cuda::kBlasNotInitialized, "there is no current context");
}

cuda::BlasStatus CheckLayout(const Layout& layout, bool is_c) {
  if (layout.rows == 0 || layout.columns == 0) {
    return Invalid("a matrix is empty");
  }
  if (layout.rows > INT32_MAX || layout.columns > INT32_MAX) {
    return Unsupported(
        "a matrix has more rows or columns than an int32 counts");
  }
  if (layout.order != kOrderColumns && layout.order != kOrderRows) {
    return Unsupported("the order is by columns or by rows");
  }
  const uint64_t line =
      layout.order == kOrderColumns ? layout.rows : layout.columns;
  // As documented: a C whose leading dimension is 0 is one line for all.
  const bool broadcast = is_c && layout.leading_dimension == 0;
  if (!broadcast && (layout.leading_dimension < 0 ||
                     uint64_t(layout.leading_dimension) < line)) {
    return Invalid("a leading dimension is less than a line of its matrix");
  }
  if (layout.batch_stride < 0) {
    return Unsupported("a stride from batch to batch is negative");
  }
  return cuda::kBlasSuccess;
}

cuda::BlasStatus CheckBatches(const Problem& problem) {
  const Layout& d = problem.layouts[kD];
  for (const Layout& layout : problem.layouts) {
    if (layout.batch_count != d.batch_count) {
      return Invalid("the counts of the batches differ");
    }
  }
  if (d.batch_count > 1 && d.batch_stride == 0) {
    return Invalid("the batches of D lie on top of each other");
  }
  return cuda::kBlasSuccess;
}

bool HasShape(const Layout& layout, int64_t rows, int64_t columns) {
  return int64_t(layout.rows) == rows && int64_t(layout.columns) == columns;
}

cuda::BlasStatus CheckShapes(Problem* problem) {
  const auto& [a, b, c, d] = problem->layouts;
  const Desc& desc = problem->desc;
  const bool a_is_turned = desc.trans_a != cuda::kOpN;
  const bool b_is_turned = desc.trans_b != cuda::kOpN;
  const int64_t m = problem->m = d.rows;
  const int64_t n = problem->n = d.columns;
  const int64_t k = problem->k = a_is_turned ? a.rows : a.columns;
  problem->batches = d.batch_count;
  if (!HasShape(a, a_is_turned ? k : m, a_is_turned ? m : k) ||
      !HasShape(b, b_is_turned ? n : k, b_is_turned ? k : n) ||
      !HasShape(c, m, n)) {
    return Invalid("the shapes of the matrices do not fit together");
  }
  if (c.order != d.order) {
    return Invalid("C and D have different orders");
  }
  return cuda::kBlasSuccess;
}

cuda::BlasStatus CheckDesc(const Desc& desc) {
  if (desc.pointer_mode != 0) {
    return Unsupported("the double reads alpha and beta from host memory");
  }
  if (desc.trans_a > cuda::kOpT || desc.trans_b > cuda::kOpT) {
    return Unsupported("the double transposes or does not");
  }
  return cuda::kBlasSuccess;
}

template <typename T>
uint64_t Hash(uint64_t hash, const T& value) {
  return HashBytes(hash, &value, sizeof value);
}

uint64_t HashLayout(uint64_t hash, const Layout& layout) {
  hash = Hash(hash, layout.type);
  hash = Hash(hash, layout.rows);
  hash = Hash(hash, layout.columns);
  hash = Hash(hash, layout.leading_dimension);
  hash = Hash(hash, layout.order);
  hash = Hash(hash, layout.batch_count);
  return Hash(hash, layout.batch_stride);
}

}  // namespace

cuda::BlasStatus MakeProblem(const ProblemHandles& handles, Problem* problem) {
  cuda::BlasStatus status = FindCapability(&problem->capability);
  if (status == cuda::kBlasSuccess) {
    status = Snapshot(handles, problem);
  }
  for (Operand operand : {kA, kB, kC, kD}) {
    if (status == cuda::kBlasSuccess) {
      status = CheckLayout(problem->layouts[operand], operand == kC);
    }
  }
  if (status == cuda::kBlasSuccess) {
    status = CheckBatches(*problem);
  }
  if (status == cuda::kBlasSuccess) {
    status = CheckShapes(problem);
  }
  if (status == cuda::kBlasSuccess) {
    status = CheckDesc(problem->desc);
  }
  if (status == cuda::kBlasSuccess) {
    status = CheckTypes(problem);
  }
  return status == cuda::kBlasSuccess ? CheckEpilogue(problem) : status;
}

uint64_t HashBytes(uint64_t hash, const void* at, size_t bytes) {
  const auto* byte = static_cast<const unsigned char*>(at);
  for (size_t i = 0; i < bytes; ++i) {
    hash = (hash ^ byte[i]) * 0x100000001b3;
  }
  return hash;
}

uint64_t Fingerprint(const Problem& problem) {
  const Desc& desc = problem.desc;
  uint64_t hash = Hash(kHashStart, problem.capability);
  hash = Hash(hash, desc.compute_type);
  hash = Hash(hash, desc.trans_a);
  hash = Hash(hash, desc.trans_b);
  hash = Hash(hash, desc.epilogue);
  for (const Layout& layout : problem.layouts) {
    hash = HashLayout(hash, layout);
  }
  return HasAux(desc.epilogue) ? HashLayout(hash, problem.aux) : hash;
}

}  // namespace accel::cuda_double::blas
