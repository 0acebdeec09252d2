// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every product and attention of a step computes in.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_PRECISION_REPORT_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_PRECISION_REPORT_H_

#include <string>
#include <vector>

#include "runtime/plan/validate/plan_view.h"

namespace accel::tools {

// A product or attention, where the step launches its kernel.
struct PrecisionSite {
  uint32_t instruction = 0;  // of the plan's main function
  std::string node;          // of the ONNX graph; "": not known
  std::string scope;         // module of the user's program
  const planpb::Site* site = nullptr;
};

// Those of the plan's main function, in program order. Borrows: the plan.
std::vector<PrecisionSite> FindPrecisionSites(const runtime::PlanView& plan);

// What was asked for: "bf16", "fp8 (recipe current, f8e4m3, gradients
// f8e5m2), emulated, otherwise bf16".
std::string AskedPrecision(const planpb::Manifest& manifest);

// "product weight_gradient 768x3072x256"
std::string SiteName(const planpb::Site& site);
// "bf16", "f8e5m2 x f8e4m3" where the operands have two types, or "f32, on GPUs
// tf32"
std::string SiteOperands(const planpb::Site& site);
// "bf16, summed in f32, stored as bf16"
std::string SiteTypes(const planpb::Site& site);

// A table of them and the totals, in `width` columns.
std::string PrecisionText(const runtime::PlanView& plan, size_t width);

// {"version": 2, "asked": "bf16", "sites": [{"instruction": 12, "node": ...,
// "scope": ..., "kind": "product", "role": "weight_gradient", "shape": [1, 768,
// 3072, 256], "operands": "bf16", "accumulator": "f32", "results": ["f32"],
// "flops": N, "share": 0.01, "recipe": "", "emulated": false, "reason": ""}],
// "totals": [{"operands": "bf16",
// "sites": N, "flops": N, "share": 0.99}]}. A share is that of the FLOPs of all
// sites of a microbatch.
std::string PrecisionJson(const runtime::PlanView& plan);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_PRECISION_REPORT_H_
