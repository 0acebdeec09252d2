// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/blas/blas_fixture.h"

namespace accel::cuda_double::blas {
namespace {

cuda::MatrixLayout MakeLayout(const MatrixSpec& spec) {
  const cuda::BlasFunctions& blas = TheDoubles().blas;
  cuda::MatrixLayout layout = nullptr;
  Require(blas.cublasLtMatrixLayoutCreate(&layout, spec.type, spec.rows,
                                          spec.columns,
                                          spec.leading_dimension) == 0,
          "a layout");
  auto set = [&](int attribute, const auto& value) {
    Require(blas.cublasLtMatrixLayoutSetAttribute(layout, attribute, &value,
                                                  sizeof value) == 0,
            "an attribute of a layout");
  };
  set(cuda::kLayoutOrder, spec.order);
  set(cuda::kLayoutBatchCount, spec.batches);
  set(cuda::kLayoutStridedBatchOffset, spec.stride);
  return layout;
}

Doubles WithBlas(const DriverDouble& opened) {
  Doubles doubles;
  static_cast<DriverDouble&>(doubles) = opened;
  void* blas = OpenLibrary("libcublasLt.so.13");
#define ACCEL_TEST_LOAD(result, name, ...) Load(blas, #name, doubles.blas.name);
  ACCEL_CUBLASLT_FUNCTIONS(ACCEL_TEST_LOAD)
#undef ACCEL_TEST_LOAD
  return doubles;
}

}  // namespace

Doubles OpenDoubles() { return WithBlas(OpenDriver()); }

Doubles StartDriver() { return WithBlas(StartDriverDouble()); }

const Doubles& TheDoubles() {
  static const Doubles& doubles = *[] {
    auto* made = new Doubles(WithBlas(TheDriver()));
    Require(made->blas.cublasLtCreate(&made->handle) == 0, "cublasLtCreate");
    return made;
  }();
  return doubles;
}

ProductSpec PackedProduct(int type, int64_t m, int64_t n, int64_t k) {
  ProductSpec spec;
  spec.a = {type, m, k, m};
  spec.b = {type, k, n, k};
  spec.c = spec.d = {type, m, n, m};
  return spec;
}

ProductSpec PackedFp8Product(int64_t m, int64_t n, int64_t k) {
  ProductSpec spec = PackedProduct(cuda::kR8F_E4M3, m, n, k);
  spec.transpose_a = true;
  spec.a = {cuda::kR8F_E4M3, k, m, k};
  spec.c.type = spec.d.type = cuda::kR16BF;
  return spec;
}

ProductObjects::ProductObjects(const ProductSpec& spec) {
  const cuda::BlasFunctions& blas = TheDoubles().blas;
  Require(
      blas.cublasLtMatmulDescCreate(&desc, spec.compute_type, cuda::kR32F) == 0,
      "a descriptor");
  Require(Set(cuda::kDescTransA, int32_t{spec.transpose_a}) == 0 &&
              Set(cuda::kDescTransB, int32_t{spec.transpose_b}) == 0 &&
              Set(cuda::kDescEpilogue, spec.epilogue) == 0 &&
              Set(cuda::kDescBiasPointer, spec.bias) == 0 &&
              Set(cuda::kDescAuxPointer, spec.aux) == 0 &&
              Set(cuda::kDescAuxLd, spec.aux_leading_dimension) == 0 &&
              Set(cuda::kDescAuxBatchStride, spec.aux_stride) == 0 &&
              Set(cuda::kDescAScalePointer, spec.a_scale) == 0 &&
              Set(cuda::kDescBScalePointer, spec.b_scale) == 0,
          "an attribute of a descriptor");
  const MatrixSpec* matrices[] = {&spec.a, &spec.b, &spec.c, &spec.d};
  for (int i = 0; i < 4; ++i) {
    layouts[i] = MakeLayout(*matrices[i]);
  }
  Require(blas.cublasLtMatmulPreferenceCreate(&preference) == 0,
          "a preference");
}

ProductObjects::~ProductObjects() {
  const cuda::BlasFunctions& blas = TheDoubles().blas;
  // A test may have destroyed one itself.
  blas.cublasLtMatmulDescDestroy(desc);
  for (cuda::MatrixLayout layout : layouts) {
    blas.cublasLtMatrixLayoutDestroy(layout);
  }
  blas.cublasLtMatmulPreferenceDestroy(preference);
}

cuda::BlasStatus ProductObjects::FindStatus() {
  cuda::MatmulHeuristic result;
  int returned = -1;
  return TheDoubles().blas.cublasLtMatmulAlgoGetHeuristic(
      TheDoubles().handle, desc, layouts[0], layouts[1], layouts[2], layouts[3],
      preference, 1, &result, &returned);
}

std::vector<cuda::MatmulHeuristic> ProductObjects::Find() {
  std::vector<cuda::MatmulHeuristic> results(16);
  int returned = 0;
  TheDoubles().blas.cublasLtMatmulAlgoGetHeuristic(
      TheDoubles().handle, desc, layouts[0], layouts[1], layouts[2], layouts[3],
      preference, 16, results.data(), &returned);
  results.resize(returned);
  return results;
}

cuda::BlasStatus Multiply(const ProductObjects& objects,
                          const cuda::MatmulAlgo& algo,
                          const Arguments& arguments) {
  const auto& layouts = objects.layouts;
  return TheDoubles().blas.cublasLtMatmul(
      TheDoubles().handle, objects.desc, &arguments.alpha, arguments.a,
      layouts[0], arguments.b, layouts[1], &arguments.beta, arguments.c,
      layouts[2], arguments.d, layouts[3], &algo, arguments.workspace,
      arguments.workspace_bytes,
      arguments.stream == nullptr ? TheDoubles().stream : arguments.stream);
}

uint32_t AttributeOf(const cuda::MatmulAlgo& algo, int attribute) {
  uint32_t value = 0;
  size_t written = 0;
  Require(TheDoubles().blas.cublasLtMatmulAlgoConfigGetAttribute(
              &algo, attribute, &value, sizeof value, &written) == 0 &&
              written == sizeof value,
          "an attribute of an algorithm");
  return value;
}

}  // namespace accel::cuda_double::blas
