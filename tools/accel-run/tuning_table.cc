// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows are printed as they are measured, so widths are known before.
#include "tools/accel-run/tuning_table.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace accel::tools {
namespace {

constexpr absl::string_view kProduct = "product";
// "12 of 1024x1024 over 64, bf16 and bf16 to f32"
constexpr int kSizesWidth = 46;

double Percent(double first, double best) {
  return first > 0 ? 100 * (first - best) / first : 0;
}

}  // namespace

TuningTable::TuningTable(const runtime::PlanView& plan, uint64_t microbatches) {
  const auto& kernels = plan.manifest().kernels();
  const auto count = [&](const runtime::Instance& instance) {
    if (instance.instruction->has_launch()) {
      const auto kernel =
          static_cast<int>(instance.instruction->launch().kernel());
      ++launches_[kernels.Get(kernel).name()];
    }
    return absl::OkStatus();
  };
  // It fails only where `count` does.
  plan.FindFunction(planpb::FUNCTION_STEP)
      ->Walk(microbatches, count)
      .IgnoreError();
  size_t width = kProduct.size();
  for (const planpb::Kernel& kernel : kernels) {
    const bool is_product = std::any_of(
        kernel.entries().begin(), kernel.entries().end(),
        [](const auto& entry) { return entry.call().has_product(); });
    width = std::max(width, is_product ? kernel.name().size() : 0);
  }
  name_width_ = static_cast<int>(width);
}

uint64_t TuningTable::LaunchesOf(const std::string& kernel) const {
  const auto found = launches_.find(kernel);
  return found == launches_.end() ? 0 : found->second;
}

std::string TuningTable::Header() const {
  return absl::StrFormat("%-*s  %-*s  %6s  %9s  %9s  %5s  %10s", name_width_,
                         kProduct, kSizesWidth, "sizes", "a step", "first us",
                         "best us", "gain", "algorithms");
}

std::string TuningTable::Row(const std::string& kernel,
                             const runtime::TunedProduct& product) const {
  return absl::StrFormat("%-*s  %-*s  %6d  %9.1f  %9.1f  %4.0f%%  %10d",
                         name_width_, kernel, kSizesWidth, product.sizes,
                         LaunchesOf(kernel), product.first_us, product.best_us,
                         Percent(product.first_us, product.best_us),
                         product.candidates);
}

std::string TuningTable::Sum(
    const std::map<std::string, runtime::TunedProduct>& products) const {
  double first_us = 0;
  double best_us = 0;
  for (const auto& [kernel, product] : products) {
    const auto launches = static_cast<double>(LaunchesOf(kernel));
    first_us += launches * product.first_us;
    best_us += launches * product.best_us;
  }
  return absl::StrFormat(
      "products of a step: %.3f ms with the library's first choices, %.3f ms "
      "with the best: %.1f%% less",
      first_us * 1e-3, best_us * 1e-3, Percent(first_us, best_us));
}

}  // namespace accel::tools
