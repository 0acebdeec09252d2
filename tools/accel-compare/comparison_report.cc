// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text and JSON of a comparison.
#include "tools/accel-compare/comparison_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace accel::tools {
namespace {

using runtime::ComparedKernel;
using runtime::DeviceComparison;

bool HasSameBits(const ComparedKernel &kernel) {
  return kernel.elements.different == 0;
}

std::string Line(const std::string &name, const ComparedKernel &kernel) {
  return absl::StrFormat(
      "%s %s%s: %d of %d elements differ, at worst %.3g of the allowed "
      "difference, in %s\n",
      kernel.elements.IsClose() ? "close" : "WRONG", name,
      kernel.uses_tf32       ? " (library, tf32)"
      : kernel.uses_fp8      ? " (library, fp8)"
      : kernel.calls_library ? " (library)"
                             : "",
      kernel.elements.different, kernel.elements.elements,
      kernel.elements.worst, kernel.worst);
}

} // namespace

bool AreClose(const DeviceComparison &comparison) {
  for (const auto &[name, kernel] : comparison.kernels()) {
    if (!kernel.elements.IsClose()) {
      return false;
    }
  }
  return true;
}

std::string ComparisonText(const ComparisonFacts &facts,
                           const DeviceComparison &comparison) {
  std::string text = absl::StrCat("reference  ", facts.reference,
                                  "\ncompared   ", facts.tested, "\n");
  size_t same = 0;
  size_t wrong = 0;
  for (const auto &[name, kernel] : comparison.kernels()) {
    same += HasSameBits(kernel);
    wrong += !kernel.elements.IsClose();
    if (!HasSameBits(kernel)) {
      absl::StrAppend(&text, Line(name, kernel));
    }
  }
  const size_t count = comparison.kernels().size();
  absl::StrAppend(&text, count, " kernels: ", same, " with the same bits, ",
                  count - same - wrong, " close, ", wrong, " wrong\n");
  return text;
}

std::string ComparisonJson(const ComparisonFacts &facts,
                           const DeviceComparison &comparison) {
  nlohmann::ordered_json report;
  report["plan_sha256"] = facts.plan_sha256;
  report["reference"] = facts.reference;
  report["compared"] = facts.tested;
  report["steps"] = facts.steps;
  report["evaluates"] = facts.evaluates;
  report["kernels"] = nlohmann::ordered_json::array();
  for (const auto &[name, kernel] : comparison.kernels()) {
    nlohmann::ordered_json own;
    own["name"] = name;
    own["library"] = kernel.calls_library;
    own["executions"] = kernel.executions;
    own["elements"] = kernel.elements.elements;
    own["different"] = kernel.elements.different;
    // JSON has no infinity.
    if (std::isfinite(kernel.elements.worst)) {
      own["worst"] = kernel.elements.worst;
    } else {
      own["worst"] = nullptr;
    }
    own["where"] = kernel.worst;
    own["close"] = kernel.elements.IsClose();
    report["kernels"].push_back(own);
  }
  return absl::StrCat(report.dump(2), "\n");
}

} // namespace accel::tools
