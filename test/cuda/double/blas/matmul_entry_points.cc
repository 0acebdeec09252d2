// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry points that find algorithms and multiply.
#include <cstring>

#include "test/cuda/double/blas/entry_points.h"
#include "test/cuda/double/blas/epilogue.h"
#include "test/cuda/double/blas/matmul_work.h"
#include "test/cuda/double/blas/objects.h"
#include "test/cuda/double/blas/refusals.h"

namespace accel::runtime::cuda {
namespace {

namespace blas = ::accel::cuda_double::blas;

// The attributes of an algorithm are all 32 bits wide, signed or not.
std::optional<uint32_t> Attribute(const blas::Algorithm& algorithm,
                                  int attribute) {
  switch (attribute) {
    case kAlgoId:
      return algorithm.id;
    case kAlgoTileId:
      return algorithm.tile_id;
    case kAlgoSplitK:
      return algorithm.split_k;
    case kAlgoReductionScheme:
      return algorithm.reduction;
    case kAlgoStagesId:
      return algorithm.stages_id;
    default:
      return std::nullopt;
  }
}

// Where the matrices and the bias lie, and the promises that the algorithm's
// caller made of that.
BlasStatus CheckPointers(const blas::Product& product,
                         const blas::ConfiguredAlgorithm& configured) {
  const blas::Desc& desc = product.problem.desc;
  const struct {
    const void* at;
    bool is_used;
  } pointers[blas::kPointers] = {{product.a, true},
                                 {product.b, true},
                                 {product.c, product.beta != 0},
                                 {product.d, true},
                                 {desc.bias, blas::HasBias(desc.epilogue)},
                                 {desc.aux, blas::HasAux(desc.epilogue)}};
  for (int i = 0; i < blas::kPointers; ++i) {
    if (!pointers[i].is_used) {
      continue;
    }
    if (pointers[i].at == nullptr) {
      return blas::Invalid("a matrix or the bias is null");
    }
    const uint64_t promised = uint64_t{1} << configured.log2_alignments[i];
    if (reinterpret_cast<uint64_t>(pointers[i].at) % promised != 0) {
      return blas::Invalid(
          "a pointer is less aligned than the algorithm's caller promised");
    }
  }
  return kBlasSuccess;
}

// On an H200 cublasLtMatmul of 13.1 refused a scale at an odd multiple of four
// bytes, with an algorithm that its heuristic had found. No document says so.
BlasStatus CheckScales(const blas::Desc& desc) {
  for (const void* scale : {desc.a_scale, desc.b_scale}) {
    if (reinterpret_cast<uint64_t>(scale) % 16 != 0) {
      return blas::Unsupported("a scale is not aligned to 16 bytes");
    }
  }
  return kBlasSuccess;
}

BlasStatus CheckWorkspace(const blas::Product& product, size_t bytes) {
  if (bytes < product.algorithm.workspace_bytes) {
    return blas::Invalid("the workspace is smaller than the algorithm's");
  }
  if (bytes > 0 && product.workspace == nullptr) {
    return blas::Invalid("the workspace is null");
  }
  // The documents of cublasLtMatmul require that of the workspace.
  if (bytes > 0 && reinterpret_cast<uint64_t>(product.workspace) % 256 != 0) {
    return blas::Invalid("the workspace is not aligned to 256 bytes");
  }
  return kBlasSuccess;
}

BlasStatus Execute(blas::Product product, const MatmulAlgo* algo,
                   size_t workspace_bytes, StreamHandle stream) {
  // cuBLASLt would ask its heuristic. This project forbids that, because its
  // answer then depends on the workspace and is asked again at every call.
  if (algo == nullptr) {
    return blas::Invalid("there is no algorithm");
  }
  const auto configured = blas::Decode(*algo);
  if (!configured) {
    return blas::Invalid("the algorithm is none that the heuristic returned");
  }
  if (configured->fingerprint != blas::Fingerprint(product.problem)) {
    return blas::Invalid("the algorithm was made for another problem");
  }
  product.algorithm = configured->algorithm;
  BlasStatus status = CheckPointers(product, *configured);
  if (status == kBlasSuccess) {
    status = CheckScales(product.problem.desc);
  }
  if (status == kBlasSuccess) {
    status = CheckWorkspace(product, workspace_bytes);
  }
  if (status == kBlasSuccess) {
    status = blas::CheckOverlaps(product);
  }
  return status == kBlasSuccess ? blas::Enqueue(product, stream) : status;
}

BlasStatus FindAlgorithms(const blas::ProblemHandles& handles,
                          const blas::Preference& preference, int requested,
                          MatmulHeuristic* results, int* returned) {
  blas::Problem problem{};
  if (BlasStatus status = blas::MakeProblem(handles, &problem);
      status != kBlasSuccess) {
    return status;
  }
  for (const blas::Candidate& candidate :
       blas::FindCandidates(problem, preference)) {
    if (*returned == requested) {
      break;
    }
    MatmulHeuristic& result = results[(*returned)++];
    result = {};
    result.algo = blas::Encode(candidate.configured);
    result.workspace_bytes = candidate.configured.algorithm.workspace_bytes;
    result.state = kBlasSuccess;
    result.waves = candidate.waves;
  }
  return *returned > 0 ? kBlasSuccess
                       : blas::Unsupported("no algorithm is as preferred");
}

// Of pointers and of a workspace it knows nothing.
BlasStatus CheckAlgorithm(const blas::ProblemHandles& handles,
                          const MatmulAlgo& algo, MatmulHeuristic* result) {
  blas::Problem problem{};
  if (BlasStatus status = blas::MakeProblem(handles, &problem);
      status != kBlasSuccess) {
    return status;
  }
  const auto configured = blas::Decode(algo);
  if (!configured) {
    return blas::Invalid("the algorithm is none that the heuristic returned");
  }
  if (configured->fingerprint != blas::Fingerprint(problem)) {
    return blas::Invalid("the algorithm was made for another problem");
  }
  *result = {};
  result->algo = algo;
  result->workspace_bytes = configured->algorithm.workspace_bytes;
  result->state = kBlasSuccess;
  result->waves = 1;
  return kBlasSuccess;
}

}  // namespace

extern "C" {

BlasStatus cublasLtMatmulAlgoGetHeuristic(
    BlasHandle handle, MatmulDesc desc, MatrixLayout a, MatrixLayout b,
    MatrixLayout c, MatrixLayout d, MatmulPreference preference, int requested,
    MatmulHeuristic* results, int* returned) {
  if (BlasStatus status = blas::Enter("cublasLtMatmulAlgoGetHeuristic");
      status != kBlasSuccess) {
    return status;
  }
  if (!blas::Libraries().Find(handle)) {
    return blas::Refuse(kBlasNotInitialized, "there is no such handle");
  }
  if (requested <= 0 || results == nullptr || returned == nullptr) {
    return blas::Invalid("there is no place for the algorithms");
  }
  *returned = 0;
  const auto preferred = blas::Preferences().Find(preference);
  if (!preferred) {
    return blas::Invalid("there is no such preference");
  }
  return FindAlgorithms({desc, {a, b, c, d}}, *preferred, requested, results,
                        returned);
}

BlasStatus cublasLtMatmulAlgoCheck(BlasHandle handle, MatmulDesc desc,
                                   MatrixLayout a, MatrixLayout b,
                                   MatrixLayout c, MatrixLayout d,
                                   const MatmulAlgo* algo,
                                   MatmulHeuristic* result) {
  if (BlasStatus status = blas::Enter("cublasLtMatmulAlgoCheck");
      status != kBlasSuccess) {
    return status;
  }
  if (!blas::Libraries().Find(handle)) {
    return blas::Refuse(kBlasNotInitialized, "there is no such handle");
  }
  if (algo == nullptr || result == nullptr) {
    return blas::Invalid("there is no algorithm, or no place for the result");
  }
  return CheckAlgorithm({desc, {a, b, c, d}}, *algo, result);
}

BlasStatus cublasLtMatmulAlgoConfigGetAttribute(const MatmulAlgo* algo,
                                                int attribute, void* value,
                                                size_t bytes, size_t* written) {
  if (BlasStatus status = blas::Enter("cublasLtMatmulAlgoConfigGetAttribute");
      status != kBlasSuccess) {
    return status;
  }
  const auto configured = algo == nullptr ? std::nullopt : blas::Decode(*algo);
  if (!configured) {
    return blas::Invalid("the algorithm is none that the heuristic returned");
  }
  const auto found = Attribute(configured->algorithm, attribute);
  if (!found) {
    return blas::Invalid("the double knows no such attribute of an algorithm");
  }
  // As documented: no bytes are a question for their number.
  if (bytes == 0 ? written == nullptr
                 : value == nullptr || bytes != sizeof *found) {
    return blas::Invalid("the value of an attribute has another size");
  }
  if (bytes != 0) {
    std::memcpy(value, &*found, bytes);
  }
  if (written != nullptr) {
    *written = sizeof *found;
  }
  return kBlasSuccess;
}

BlasStatus cublasLtMatmul(BlasHandle handle, MatmulDesc desc, const void* alpha,
                          const void* a, MatrixLayout a_layout, const void* b,
                          MatrixLayout b_layout, const void* beta,
                          const void* c, MatrixLayout c_layout, void* d,
                          MatrixLayout d_layout, const MatmulAlgo* algo,
                          void* workspace, size_t workspace_bytes,
                          StreamHandle stream) {
  if (BlasStatus status = blas::Enter("cublasLtMatmul");
      status != kBlasSuccess) {
    return status;
  }
  if (!blas::Libraries().Find(handle)) {
    return blas::Refuse(kBlasNotInitialized, "there is no such handle");
  }
  blas::Product product{};
  const blas::ProblemHandles handles{desc,
                                     {a_layout, b_layout, c_layout, d_layout}};
  if (BlasStatus status = blas::MakeProblem(handles, &product.problem);
      status != kBlasSuccess) {
    return status;
  }
  if (alpha == nullptr || beta == nullptr) {
    return blas::Invalid("alpha or beta is null");
  }
  // In host memory, and the caller's again when this call returns.
  std::memcpy(&product.alpha, alpha, sizeof(float));
  std::memcpy(&product.beta, beta, sizeof(float));
  product.a = static_cast<const std::byte*>(a);
  product.b = static_cast<const std::byte*>(b);
  product.c = static_cast<const std::byte*>(c);
  product.d = static_cast<std::byte*>(d);
  product.workspace = static_cast<std::byte*>(workspace);
  return Execute(product, algo, workspace_bytes, stream);
}

}  // extern "C"

}  // namespace accel::runtime::cuda
