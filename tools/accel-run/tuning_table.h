// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What --tune prints: a row for each product, and what a step gains.
#ifndef ACCEL_TOOLS_ACCEL_RUN_TUNING_TABLE_H_
#define ACCEL_TOOLS_ACCEL_RUN_TUNING_TABLE_H_

#include <cstdint>
#include <map>
#include <string>

#include "runtime/device/tuned_products.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::tools {

class TuningTable {
 public:
  // Of a step with so many microbatches. Borrows: the plan.
  TuningTable(const runtime::PlanView& plan, uint64_t microbatches);

  std::string Header() const;
  std::string Row(const std::string& kernel,
                  const runtime::TunedProduct& product) const;
  std::string Sum(
      const std::map<std::string, runtime::TunedProduct>& products) const;

 private:
  uint64_t LaunchesOf(const std::string& kernel) const;

  std::map<std::string, uint64_t> launches_;  // in a step, by the kernel's name
  int name_width_ = 0;
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_TUNING_TABLE_H_
