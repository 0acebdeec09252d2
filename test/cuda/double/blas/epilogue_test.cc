// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with every epilogue, by every algorithm that offers it, are those of
// double precision, and the auxiliary matrix is what GELU was applied to.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "test/cuda/double/blas/reference.h"

namespace accel::cuda_double::blas {
namespace {

// For all algorithms but one, whose 4 MiB take the driver's double a while.
constexpr size_t kAllowedBytes = size_t{64} << 10;
constexpr int kF32 = cuda::kR32F, kF16 = cuda::kR16F, kBf16 = cuda::kR16BF;

double GeluOf(double x) {
  const double inner = x + 0.044715 * std::pow(x, 3);
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * inner));
}

// By its definition, so that no formula is there twice.
double GeluDerivativeOf(double x) {
  constexpr double kStep = 1e-5;
  return (GeluOf(x + kStep) - GeluOf(x - kStep)) / (2 * kStep);
}

struct Case {
  std::string name;
  uint32_t epilogue;
  int type = kF32;        // of D
  int operand_type = -1;  // -1: that of D
  int compute_type = cuda::kCompute32F;
  float beta = 0;
};

constexpr int64_t kM = 32, kN = 16, kK = 256, kBatches = 2;
constexpr int64_t kAuxLd = 40, kAuxStride = 40 * 16 + 8;

class Epilogues : public testing::TestWithParam<Case> {
 protected:
  Epilogues()
      : epilogue_(GetParam().epilogue),
        spec_(MakeSpec()),
        a_(spec_.a, 0),
        b_(spec_.b, 0),
        c_(spec_.c, 0),
        aux_({GetParam().type, kM, kN, kAuxLd, 0, kBatches, kAuxStride}, 0x5a),
        workspace_(kAllowedBytes) {
    a_.SetAll(1);
    b_.SetAll(2);
    c_.SetAll(3);
    if (epilogue_ == cuda::kEpilogueDgelu) {
      aux_.SetAll(4);
    }
    if ((epilogue_ & cuda::kEpilogueBias) != 0) {
      MakeBias();
    }
    MakeBefore();
  }

  static ProductSpec MakeSpec();
  void MakeBias();
  void MakeBefore();
  void Run(ProductObjects& objects, const cuda::MatmulAlgo& algo);
  void Check();
  // How many of D and of the auxiliary matrix are wrong at an element.
  int CheckElement(int64_t batch, int64_t row, int64_t column);

  const uint32_t epilogue_;
  ProductSpec spec_;
  HostMatrix a_, b_, c_, aux_;
  std::vector<double> bias_;
  std::vector<Expected> before_;  // the epilogue; not rounded to D's type
  std::unique_ptr<DeviceBuffer> bias_buffer_;
  DeviceBuffer workspace_;
  HostMatrix d_{spec_.d, 0};
  HostMatrix aux_after_ = aux_;
};

ProductSpec Epilogues::MakeSpec() {
  const Case& test = GetParam();
  const int type = test.operand_type == -1 ? test.type : test.operand_type;
  ProductSpec spec = PackedProduct(test.type, kM, kN, kK);
  spec.transpose_a = true;
  spec.a = {type, kK, kM, kK, 0, kBatches, kK * kM};
  spec.b = {type, kK, kN, kK, 0, kBatches, kK * kN};
  spec.c.batches = spec.d.batches = kBatches;
  spec.c.stride = spec.d.stride = kM * kN;
  spec.compute_type = test.compute_type;
  spec.epilogue = test.epilogue;
  return spec;
}

void Epilogues::MakeBias() {
  const bool fp8_to_f32 = BytesOf(spec_.a.type) == 1 && spec_.d.type == kF32;
  const int type = fp8_to_f32 ? kBf16 : spec_.d.type;
  std::vector<std::byte> bytes(kM * BytesOf(type));
  for (int64_t row = 0; row < kM; ++row) {
    bias_.push_back((row % 7 - 3) / 4.0);
    Encode(type, bias_.back(), bytes.data() + row * BytesOf(type));
  }
  bias_buffer_ = std::make_unique<DeviceBuffer>(bytes);
}

void Epilogues::MakeBefore() {
  ProductSpec spec = spec_;
  spec.d.type = kF32;
  const Operands operands{spec, a_, b_, c_, bias_, 0.125f, GetParam().beta};
  for (int64_t i = 0; i < kBatches * kM * kN; ++i) {
    before_.push_back(Compute(operands, i / (kM * kN), i / kN % kM, i % kN, 1));
  }
}

void Epilogues::Run(ProductObjects& objects, const cuda::MatmulAlgo& algo) {
  const DeviceBuffer a(a_.bytes()), b(b_.bytes()), c(c_.bytes());
  const DeviceBuffer d(d_.bytes()), aux(aux_.bytes());
  objects.Set(cuda::kDescAuxPointer, aux.at());
  if (bias_buffer_ != nullptr) {
    objects.Set(cuda::kDescBiasPointer, bias_buffer_->at());
  }
  const Arguments arguments{0.125f,          GetParam().beta, a.at(),
                            b.at(),          c.at(),          d.at(),
                            workspace_.at(), kAllowedBytes};
  EXPECT_EQ(Multiply(objects, algo, arguments), 0);
  Finish();
  d_.bytes() = d.Download();
  aux_after_.bytes() = aux.Download();
}

int Epilogues::CheckElement(int64_t batch, int64_t row, int64_t column) {
  const Expected before = before_[(batch * kM + row) * kN + column];
  double value = before.value;
  const double aux = aux_after_.Get(batch, row, column);
  int wrong = 0;
  if (epilogue_ == cuda::kEpilogueDgelu) {
    value *= GeluDerivativeOf(aux);
  } else if ((epilogue_ & cuda::kEpilogueGelu) != 0) {
    value = GeluOf(value);
  }
  const double roundoff = RoundoffOf(spec_.d.type);
  if ((epilogue_ & cuda::kEpilogueGeluAux) == cuda::kEpilogueGeluAux) {
    const double error =
        before.error + roundoff * std::fabs(before.value) + 1e-7;
    wrong += !(std::fabs(aux - before.value) <= error);
    aux_after_.Set(batch, row, column, aux_.Get(batch, row, column));
  }
  // No slope of GELU is more than 1.13.
  const double error = 1.13 * before.error + roundoff * std::fabs(value) + 1e-6;
  return wrong + !(std::fabs(d_.Get(batch, row, column) - value) <= error);
}

void Epilogues::Check() {
  int wrong = 0;
  for (int64_t batch = 0; batch < kBatches; ++batch) {
    for (int64_t row = 0; row < kM; ++row) {
      for (int64_t column = 0; column < kN; ++column) {
        wrong += CheckElement(batch, row, column);
      }
    }
  }
  EXPECT_EQ(wrong, 0) << "elements are wrong";
  EXPECT_TRUE(aux_after_.bytes() == aux_.bytes())
      << "bytes between the elements of the auxiliary matrix changed";
}

TEST_P(Epilogues, AreThoseOfDoublePrecisionByEveryAlgorithm) {
  spec_.aux_leading_dimension = kAuxLd;
  spec_.aux_stride = kAuxStride;
  ProductObjects objects(spec_);
  objects.Prefer(cuda::kPreferenceMaxWorkspaceBytes, uint64_t{kAllowedBytes});
  const auto found = objects.Find();
  ASSERT_GE(found.size(), 5u);
  for (const cuda::MatmulHeuristic& result : found) {
    const uint32_t id = AttributeOf(result.algo, cuda::kAlgoId);
    const uint32_t scheme =
        AttributeOf(result.algo, cuda::kAlgoReductionScheme);
    SCOPED_TRACE(id);
    if (epilogue_ > cuda::kEpilogueBias) {
      EXPECT_NE(scheme, uint32_t{cuda::kReductionInPlace});
    }
    if (scheme != cuda::kReductionInPlace) {
      Run(objects, result.algo);
      Check();
    }
  }
}

std::vector<Case> Cases() {
  const std::pair<std::string, uint32_t> epilogues[] = {
      {"Default", cuda::kEpilogueDefault},
      {"Bias", cuda::kEpilogueBias},
      {"Gelu", cuda::kEpilogueGelu},
      {"GeluBias", cuda::kEpilogueGeluBias},
      {"GeluAux", cuda::kEpilogueGeluAux},
      {"GeluAuxBias", cuda::kEpilogueGeluAuxBias},
      {"Dgelu", cuda::kEpilogueDgelu}};
  std::vector<Case> cases;
  for (const auto& [name, epilogue] : epilogues) {
    cases.push_back({name + "F32", epilogue, kF32});
    cases.push_back({name + "Bf16", epilogue, kBf16});
    cases.push_back({name + "F16Beta", epilogue, kF16});
    cases.back().beta = 0.5;
    cases.push_back({name + "Tf32", epilogue, kF32});
    cases.back().compute_type = cuda::kCompute32FFastTf32;
    cases.push_back({name + "Fp8", epilogue, kBf16, cuda::kR8F_E4M3});
    cases.push_back({name + "Fp8ToF32", epilogue, kF32, cuda::kR8F_E4M3});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, Epilogues, testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace accel::cuda_double::blas
