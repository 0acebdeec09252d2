// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One small kernel for each type and reduction, written in PTX, so that neither
// the build nor the plan has to have them.
#include "runtime/device/cuda/collectives/rank_reduction.h"

#include <string>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::runtime::cuda {
namespace {

using planpb::Collective;

constexpr unsigned kThreads = 256;

struct Type {
  DType dtype;
  absl::string_view name;  // in PTX
  absl::string_view sum;
  uint64_t bytes;
  bool is_float;
};
constexpr std::array<Type, 3> kTypeTable = {
    {{DType::kF32, "f32", "add.rn.f32", 4, true},
     {DType::kF64, "f64", "add.rn.f64", 8, true},
     {DType::kI64, "s64", "add.s64", 8, false}}};

struct Reduction {
  CollectiveCall::Reduction reduction;
  absl::string_view name;
  absl::string_view keeps;  // the comparison that holds where `into` stays
};
constexpr std::array<Reduction, 3> kReductionTable = {
    {{Collective::REDUCTION_SUM, "sum", ""},
     {Collective::REDUCTION_MAX, "max", "gt"},
     {Collective::REDUCTION_MIN, "min", "lt"}}};

std::string KernelName(const Type& type, const Reduction& reduction) {
  return absl::StrCat("accel_rank_", reduction.name, "_", type.name);
}

// %v = %v op %w.
std::string Body(const Type& type, const Reduction& reduction) {
  if (reduction.keeps.empty()) {
    return absl::Substitute("  $0 %v, %v, %w;\n", type.sum);
  }
  std::string body = absl::Substitute("  setp.$0.$1 %p1, %v, %w;\n",
                                      reduction.keeps, type.name);
  if (type.is_float) {
    absl::SubstituteAndAppend(&body,
                              "  setp.nan.$0 %p2, %v, %v;\n"
                              "  or.pred %p1, %p1, %p2;\n",
                              type.name);
  }
  absl::SubstituteAndAppend(&body, "  selp.$0 %v, %v, %w, %p1;\n", type.name);
  return body;
}

// $0 name, $1 type, $2 its bytes, $3 the body.
constexpr absl::string_view kKernel = R"(
.visible .entry $0(.param .u64 into, .param .u64 next, .param .u64 count) {
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .b64 %d<7>;
  .reg .$1 %v, %w;
  ld.param.u64 %d1, [into];
  ld.param.u64 %d2, [next];
  ld.param.u64 %d3, [count];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %d4, %r1, %r2;
  cvt.u64.u32 %d5, %r3;
  add.s64 %d4, %d4, %d5;
  setp.ge.u64 %p1, %d4, %d3;
  @%p1 bra END;
  mul.lo.s64 %d6, %d4, $2;
  add.s64 %d1, %d1, %d6;
  add.s64 %d2, %d2, %d6;
  ld.global.$1 %v, [%d1];
  ld.global.$1 %w, [%d2];
$3  st.global.$1 [%d1], %v;
END:
  ret;
}
)";

// PTX that drivers for CUDA 11.1 and GPUs from sm_80 on know, as plans do.
std::string ModuleText() {
  std::string text = ".version 7.1\n.target sm_80\n.address_size 64\n";
  for (const Type& type : kTypeTable) {
    for (const Reduction& reduction : kReductionTable) {
      absl::SubstituteAndAppend(&text, kKernel, KernelName(type, reduction),
                                type.name, type.bytes, Body(type, reduction));
    }
  }
  return text;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RankReduction>> RankReduction::Create(
    const Gpu& gpu) {
  auto reduction = absl::WrapUnique(new RankReduction(gpu));
  const std::string text = ModuleText();
  RETURN_IF_CUDA_ERROR(gpu.driver(), cuModuleLoadDataEx, &reduction->module_,
                       text.c_str(), 0, nullptr, nullptr);
  for (size_t type = 0; type < kTypes; ++type) {
    for (size_t kind = 0; kind < kReductions; ++kind) {
      RETURN_IF_CUDA_ERROR(
          gpu.driver(), cuModuleGetFunction, &reduction->functions_[type][kind],
          reduction->module_,
          KernelName(kTypeTable[type], kReductionTable[kind]).c_str());
    }
  }
  return reduction;
}

RankReduction::~RankReduction() {
  if (module_ != nullptr && gpu_.MakeCurrent().ok()) {
    gpu_.driver()->cuModuleUnload(module_);
  }
}

absl::Status RankReduction::Fold(DType dtype,
                                 CollectiveCall::Reduction reduction,
                                 DevicePointer into, DevicePointer next,
                                 uint64_t elements, StreamHandle stream) const {
  if (elements == 0) {
    return absl::OkStatus();
  }
  size_t type = 0;
  while (kTypeTable[type].dtype != dtype) {
    ++type;
  }
  size_t kind = 0;
  while (kReductionTable[kind].reduction != reduction) {
    ++kind;
  }
  std::array<void*, 3> arguments = {&into, &next, &elements};
  RETURN_IF_CUDA_ERROR(gpu_.driver(), cuLaunchKernel, functions_[type][kind],
                       static_cast<unsigned>(DivideUp(elements, kThreads)), 1,
                       1, kThreads, 1, 1, 0, stream, arguments.data(), nullptr);
  return absl::OkStatus();
}

}  // namespace accel::runtime::cuda
