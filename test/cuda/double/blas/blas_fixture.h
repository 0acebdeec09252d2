// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the double of cuBLASLt begin with: both libraries as a
// program opens them, and descriptors of a product.
#ifndef ACCEL_TEST_CUDA_DOUBLE_BLAS_BLAS_FIXTURE_H_
#define ACCEL_TEST_CUDA_DOUBLE_BLAS_BLAS_FIXTURE_H_

#include <cstddef>
#include <vector>

#include "runtime/device/cuda/abi/cublaslt.h"
#include "test/cuda/double/driver_double.h"

namespace accel::cuda_double::blas {

struct Doubles : DriverDouble {
  cuda::BlasFunctions blas;
  cuda::BlasHandle handle = nullptr;
};

// Opened, with every symbol, and nothing called.
Doubles OpenDoubles();
// With a current context and a stream, but without a handle.
Doubles StartDriver();
// With all, once in a process.
const Doubles& TheDoubles();

struct MatrixSpec {
  int type = cuda::kR32F;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t leading_dimension = 0;
  int32_t order = 0;
  int32_t batches = 1;
  int64_t stride = 0;
};

struct ProductSpec {
  MatrixSpec a, b, c, d;
  bool transpose_a = false;
  bool transpose_b = false;
  int compute_type = cuda::kCompute32F;
  uint32_t epilogue = 1;
  const void* bias = nullptr;
  void* aux = nullptr;
  int64_t aux_leading_dimension = 0;
  int64_t aux_stride = 0;
  const void* a_scale = nullptr;
  const void* b_scale = nullptr;
};

// Of m x k and k x n matrices without gaps, stored by columns.
ProductSpec PackedProduct(int type, int64_t m, int64_t n, int64_t k);
// Of e4m3 into bf16, where A is transposed.
ProductSpec PackedFp8Product(int64_t m, int64_t n, int64_t k);

// The objects of cuBLASLt for one product.
class ProductObjects {
 public:
  explicit ProductObjects(const ProductSpec& spec);
  ~ProductObjects();
  ProductObjects(const ProductObjects&) = delete;
  ProductObjects& operator=(const ProductObjects&) = delete;

  template <typename T>
  cuda::BlasStatus Prefer(int attribute, T value) {
    return TheDoubles().blas.cublasLtMatmulPreferenceSetAttribute(
        preference, attribute, &value, sizeof value);
  }
  template <typename T>
  cuda::BlasStatus Set(int attribute, T value) {
    return TheDoubles().blas.cublasLtMatmulDescSetAttribute(
        desc, attribute, &value, sizeof value);
  }

  cuda::BlasStatus FindStatus();
  // Up to 16 algorithms; none if that fails.
  std::vector<cuda::MatmulHeuristic> Find();

  cuda::MatmulDesc desc = nullptr;
  cuda::MatrixLayout layouts[4] = {};
  cuda::MatmulPreference preference = nullptr;
};

// The arguments of cublasLtMatmul that are no descriptors.
struct Arguments {
  float alpha = 1;
  float beta = 0;
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;
  void* d = nullptr;
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
  cuda::StreamHandle stream = nullptr;  // null: that of TheDoubles
};

cuda::BlasStatus Multiply(const ProductObjects& objects,
                          const cuda::MatmulAlgo& algo,
                          const Arguments& arguments);

// The value of an attribute of the algorithm.
uint32_t AttributeOf(const cuda::MatmulAlgo& algo, int attribute);

}  // namespace accel::cuda_double::blas

#endif  // ACCEL_TEST_CUDA_DOUBLE_BLAS_BLAS_FIXTURE_H_
