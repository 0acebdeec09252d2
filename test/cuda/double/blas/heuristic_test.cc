// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heuristic offers what the preference allows, and refuses products that
// cuBLASLt does not have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "test/cuda/double/blas/blas_fixture.h"

namespace accel::cuda_double::blas {
namespace {

using cuda::kBlasInvalidValue;
using cuda::kBlasNotSupported;
using cuda::kBlasSuccess;
using testing::ElementsAre;
using testing::Not;

ProductSpec Large() { return PackedProduct(cuda::kR32F, 512, 512, 1024); }

void AllowWorkspace(ProductObjects& objects, uint64_t bytes) {
  ASSERT_EQ(objects.Prefer(cuda::kPreferenceMaxWorkspaceBytes, bytes), 0);
}

std::vector<uint32_t> Ids(ProductObjects& objects) {
  std::vector<uint32_t> ids;
  for (const cuda::MatmulHeuristic& result : objects.Find()) {
    EXPECT_EQ(result.state, kBlasSuccess);
    EXPECT_GT(result.waves, 0);
    ids.push_back(AttributeOf(result.algo, cuda::kAlgoId));
  }
  return ids;
}

TEST(HeuristicTest, AllowsNoWorkspaceUnlessAsked) {
  ProductObjects objects(Large());
  for (const cuda::MatmulHeuristic& result : objects.Find()) {
    EXPECT_EQ(result.workspace_bytes, 0u);
  }
  AllowWorkspace(objects, 64 << 10);
  std::set<size_t> sizes;
  for (const cuda::MatmulHeuristic& result : objects.Find()) {
    EXPECT_LE(result.workspace_bytes, size_t{64} << 10);
    sizes.insert(result.workspace_bytes);
  }
  EXPECT_GT(sizes.size(), 1u);
  AllowWorkspace(objects, 64 << 20);
  EXPECT_EQ(objects.Find().size(), 7u);
  EXPECT_GT(objects.Find()[0].workspace_bytes, 0u);
}

TEST(HeuristicTest, OrdersByShape) {
  ProductObjects wide(PackedProduct(cuda::kR32F, 4096, 4096, 256));
  ProductObjects deep(PackedProduct(cuda::kR32F, 64, 64, 65536));
  AllowWorkspace(wide, 1 << 30);
  AllowWorkspace(deep, 1 << 30);
  EXPECT_THAT(Ids(deep), Not(testing::ElementsAreArray(Ids(wide))));
  const cuda::MatmulAlgo best = deep.Find()[0].algo;
  EXPECT_GT(AttributeOf(best, cuda::kAlgoSplitK), 1u);
  EXPECT_EQ(AttributeOf(wide.Find()[0].algo, cuda::kAlgoSplitK), 1u);
}

TEST(HeuristicTest, ReturnsNoMoreThanRequested) {
  ProductObjects objects(Large());
  std::vector<cuda::MatmulHeuristic> results(3);
  int returned = 0;
  auto find = [&](int requested, cuda::MatmulHeuristic* to, int* count) {
    return TheDoubles().blas.cublasLtMatmulAlgoGetHeuristic(
        TheDoubles().handle, objects.desc, objects.layouts[0],
        objects.layouts[1], objects.layouts[2], objects.layouts[3],
        objects.preference, requested, to, count);
  };
  EXPECT_EQ(find(1, results.data(), &returned), kBlasSuccess);
  EXPECT_EQ(returned, 1);
  EXPECT_EQ(find(0, results.data(), &returned), kBlasInvalidValue);
  EXPECT_EQ(find(1, nullptr, &returned), kBlasInvalidValue);
  EXPECT_EQ(find(1, results.data(), nullptr), kBlasInvalidValue);
}

TEST(HeuristicTest, HonoursTheMaskOfReductions) {
  ProductObjects objects(Large());
  AllowWorkspace(objects, 64 << 20);
  auto schemes = [&](uint32_t mask) {
    EXPECT_EQ(objects.Prefer(cuda::kPreferenceReductionSchemeMask, mask), 0);
    std::set<uint32_t> found;
    for (const cuda::MatmulHeuristic& result : objects.Find()) {
      found.insert(AttributeOf(result.algo, cuda::kAlgoReductionScheme));
    }
    return found;
  };
  EXPECT_THAT(schemes(7), ElementsAre(0, 1, 2));
  EXPECT_THAT(schemes(cuda::kReductionComputeType), ElementsAre(0, 2));
  EXPECT_THAT(schemes(cuda::kReductionInPlace), ElementsAre(0, 1));
  EXPECT_THAT(schemes(cuda::kReductionNone), ElementsAre(0));
}

TEST(HeuristicTest, OffersWhatThePromisedAlignmentsAllow) {
  ProductObjects objects(Large());
  AllowWorkspace(objects, 64 << 20);
  auto offered = [&](uint32_t alignment) {
    EXPECT_EQ(objects.Prefer(cuda::kPreferenceMinAlignmentBBytes, alignment),
              0);
    return Ids(objects).size();
  };
  EXPECT_EQ(offered(256), 7u);
  EXPECT_EQ(offered(16), 7u);
  EXPECT_EQ(offered(8), 4u);
  EXPECT_EQ(offered(4), 3u);
  EXPECT_EQ(objects.FindStatus(), kBlasSuccess);
  EXPECT_EQ(offered(2), 0u);
  EXPECT_EQ(objects.FindStatus(), kBlasNotSupported);
}

TEST(HeuristicTest, SeesTheAlignmentOfLinesBatchesAndBias) {
  auto offered = [](const std::function<void(ProductSpec&)>& change) {
    ProductSpec spec = Large();
    change(spec);
    ProductObjects objects(spec);
    AllowWorkspace(objects, 1 << 30);
    return Ids(objects).size();
  };
  EXPECT_EQ(offered([](ProductSpec& spec) { spec.a.leading_dimension += 1; }),
            3u);
  EXPECT_EQ(offered([](ProductSpec& spec) {
              for (MatrixSpec* matrix : {&spec.a, &spec.b, &spec.c, &spec.d}) {
                matrix->batches = 2;
                matrix->stride = 1024 * 1024;
              }
              spec.d.stride += 2;
            }),
            4u);
  EXPECT_EQ(offered([](ProductSpec& spec) {
              spec.epilogue = 4;
              spec.bias = reinterpret_cast<void*>(4);
            }),
            3u);
}

TEST(HeuristicTest, AnswersQuestionsOfAnAlgorithm) {
  ProductObjects objects(Large());
  const cuda::MatmulAlgo algo = objects.Find().at(0).algo;
  const cuda::BlasFunctions& blas = TheDoubles().blas;
  uint32_t value = 0;
  size_t written = 0;
  EXPECT_EQ(blas.cublasLtMatmulAlgoConfigGetAttribute(&algo, cuda::kAlgoTileId,
                                                      nullptr, 0, &written),
            kBlasSuccess);
  EXPECT_EQ(written, 4u);
  EXPECT_EQ(blas.cublasLtMatmulAlgoConfigGetAttribute(&algo, cuda::kAlgoTileId,
                                                      nullptr, 0, nullptr),
            kBlasInvalidValue);
  EXPECT_EQ(blas.cublasLtMatmulAlgoConfigGetAttribute(&algo, cuda::kAlgoTileId,
                                                      &value, 2, &written),
            kBlasInvalidValue);
  EXPECT_EQ(blas.cublasLtMatmulAlgoConfigGetAttribute(&algo, cuda::kAlgoTileId,
                                                      &value, 4, nullptr),
            kBlasSuccess);
  EXPECT_NE(value, 0u);
  const cuda::MatmulAlgo nothing{};
  EXPECT_EQ(blas.cublasLtMatmulAlgoConfigGetAttribute(
                &nothing, cuda::kAlgoTileId, &value, 4, nullptr),
            kBlasInvalidValue);
}

struct Refusal {
  const char* name;
  cuda::BlasStatus status;
  std::function<void(ProductSpec&)> change;
};

class Refusals : public testing::TestWithParam<Refusal> {};

TEST_P(Refusals, HaveTheDocumentedStatus) {
  ProductSpec spec = PackedProduct(cuda::kR32F, 32, 48, 64);
  GetParam().change(spec);
  EXPECT_EQ(ProductObjects(spec).FindStatus(), GetParam().status);
}

ProductSpec Fp8(int a, int b, int c, int d) {
  ProductSpec spec = PackedFp8Product(32, 48, 64);
  spec.a.type = a;
  spec.b.type = b;
  spec.c.type = c;
  spec.d.type = d;
  return spec;
}

constexpr int kE4m3 = cuda::kR8F_E4M3, kE5m2 = cuda::kR8F_E5M2;
constexpr int kBf16 = cuda::kR16BF, kF16 = cuda::kR16F, kF32 = cuda::kR32F;

const Refusal kRefusals[] = {
    {"None", kBlasSuccess, [](ProductSpec&) {}},
    {"F64", kBlasNotSupported,
     [](ProductSpec& spec) {
       spec.a.type = spec.b.type = spec.c.type = spec.d.type = cuda::kR64F;
     }},
    {"MixedOperands", kBlasNotSupported,
     [](ProductSpec& spec) { spec.a.type = kBf16; }},
    {"F32ToBf16", kBlasNotSupported,
     [](ProductSpec& spec) { spec.c.type = spec.d.type = kBf16; }},
    {"Bf16ToF16", kBlasNotSupported,
     [](ProductSpec& spec) {
       spec = PackedProduct(kBf16, 32, 48, 64);
       spec.c.type = spec.d.type = kF16;
     }},
    {"Tf32OfBf16", kBlasNotSupported,
     [](ProductSpec& spec) {
       spec = PackedProduct(kBf16, 32, 48, 64);
       spec.compute_type = cuda::kCompute32FFastTf32;
     }},
    {"ComputeType", kBlasNotSupported,
     [](ProductSpec& spec) { spec.compute_type = 64; }},
    {"Fp8", kBlasSuccess,
     [](ProductSpec& spec) { spec = Fp8(kE4m3, kE4m3, kBf16, kBf16); }},
    {"TwoE5m2", kBlasNotSupported,
     [](ProductSpec& spec) { spec = Fp8(kE5m2, kE5m2, kBf16, kBf16); }},
    {"E4m3ToE5m2", kBlasNotSupported,
     [](ProductSpec& spec) { spec = Fp8(kE4m3, kE4m3, kBf16, kE5m2); }},
    {"Fp8ToFp8WithC", kBlasNotSupported,
     [](ProductSpec& spec) { spec = Fp8(kE4m3, kE4m3, kE4m3, kE4m3); }},
    {"Fp8NotTransposed", kBlasNotSupported,
     [](ProductSpec& spec) {
       spec = Fp8(kE4m3, kE4m3, kF32, kF32);
       spec.transpose_a = false;
       spec.a = {kE4m3, 32, 64, 32};
     }},
    {"Fp8OddDimension", kBlasNotSupported,
     [](ProductSpec& spec) {
       spec = Fp8(kE4m3, kE4m3, kF32, kF32);
       spec.b.columns = spec.c.columns = spec.d.columns = 40;
     }},
    {"Fp8OddRows", kBlasNotSupported,
     [](ProductSpec& spec) {
       spec = Fp8(kE4m3, kE4m3, kBf16, kBf16);
       spec.a.columns = spec.c.rows = spec.d.rows = 24;
     }},
    {"Fp8OddSum", kBlasNotSupported,
     [](ProductSpec& spec) {
       spec = Fp8(kE4m3, kE4m3, kBf16, kBf16);
       spec.a.rows = spec.b.rows = 56;
     }},
    {"Fp8OddLines", kBlasNotSupported,
     [](ProductSpec& spec) {
       spec = Fp8(kE4m3, kE4m3, kBf16, kBf16);
       spec.b.leading_dimension = 72;
     }},
    {"Fp8OddLinesOfD", kBlasNotSupported,
     [](ProductSpec& spec) {
       spec = Fp8(kE4m3, kE4m3, kBf16, kBf16);
       spec.d.leading_dimension = 36;
     }},
    {"Fp8LinesOf16BytesOfD", kBlasSuccess,
     [](ProductSpec& spec) {
       spec = Fp8(kE4m3, kE4m3, kBf16, kBf16);
       spec.d.leading_dimension = 40;
     }},
    {"Fp8WithBf16", kBlasNotSupported,
     [](ProductSpec& spec) { spec = Fp8(kE4m3, kBf16, kBf16, kBf16); }},
    {"Tf32OfFp8", kBlasNotSupported,
     [](ProductSpec& spec) {
       spec = Fp8(kE4m3, kE4m3, kF32, kF32);
       spec.compute_type = cuda::kCompute32FFastTf32;
     }},
    {"Fp8OfCAndDApart", kBlasNotSupported,
     [](ProductSpec& spec) { spec = Fp8(kE4m3, kE4m3, kBf16, kF32); }},
    {"ScaleOfF32", kBlasInvalidValue,
     [](ProductSpec& spec) { spec.a_scale = reinterpret_cast<void*>(16); }},
    {"ScaleOfBf16", kBlasInvalidValue,
     [](ProductSpec& spec) {
       spec = PackedProduct(kBf16, 32, 48, 64);
       spec.b_scale = reinterpret_cast<void*>(16);
     }},
    // The heuristic reads neither of them.
    {"ScalesOfFp8", kBlasSuccess,
     [](ProductSpec& spec) {
       spec = Fp8(kE4m3, kE4m3, kBf16, kBf16);
       spec.a_scale = reinterpret_cast<void*>(16);
       spec.b_scale = reinterpret_cast<void*>(4);
     }},
    {"Epilogue", kBlasNotSupported,
     [](ProductSpec& spec) { spec.epilogue = 2; }},
    {"Order", kBlasNotSupported, [](ProductSpec& spec) { spec.a.order = 2; }},
    {"OrderOfC", kBlasInvalidValue,
     [](ProductSpec& spec) {
       spec.c.order = 1;
       spec.c.leading_dimension = 48;
     }},
    {"Shapes", kBlasInvalidValue, [](ProductSpec& spec) { spec.b.rows = 32; }},
    {"ShapeOfC", kBlasInvalidValue,
     [](ProductSpec& spec) { spec.c.columns = 47; }},
    {"Empty", kBlasInvalidValue,
     [](ProductSpec& spec) { spec.a.columns = spec.b.rows = 0; }},
    {"LeadingDimension", kBlasInvalidValue,
     [](ProductSpec& spec) { spec.a.leading_dimension = 31; }},
    {"LeadingDimensionByRows", kBlasInvalidValue,
     [](ProductSpec& spec) { spec.a.order = 1; }},
    {"BatchCounts", kBlasInvalidValue,
     [](ProductSpec& spec) { spec.a.batches = 2; }},
    {"BatchesWithoutStride", kBlasInvalidValue,
     [](ProductSpec& spec) {
       spec.a.batches = spec.b.batches = spec.c.batches = spec.d.batches = 2;
     }},
    {"OperandsOfAllBatches", kBlasSuccess,
     [](ProductSpec& spec) {
       spec.a.batches = spec.b.batches = spec.c.batches = spec.d.batches = 2;
       spec.c.stride = spec.d.stride = 32 * 48;
     }},
    {"OneLineOfC", kBlasSuccess,
     [](ProductSpec& spec) { spec.c.leading_dimension = 0; }},
};

INSTANTIATE_TEST_SUITE_P(All, Refusals, testing::ValuesIn(kRefusals),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace accel::cuda_double::blas
