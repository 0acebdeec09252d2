// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variants in their order, which is that of preference.
#include "runtime/device/choose_variant.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace accel::runtime {

absl::StatusOr<int> ChooseFirstVariant(
    const planpb::Manifest& manifest, absl::string_view heading,
    absl::string_view remedy,
    absl::FunctionRef<std::string(int variant)> why_not) {
  std::vector<std::string> refused;
  for (int i = 0; i < manifest.variants_size(); ++i) {
    const std::string reason = why_not(i);
    if (reason.empty()) {
      return i;
    }
    refused.push_back(
        absl::StrCat("'", manifest.variants(i).name(), "' ", reason));
  }
  if (refused.empty()) {
    refused.push_back("it holds no code at all");
  }
  return absl::UnimplementedError(
      absl::StrCat(heading, ": ", absl::StrJoin(refused, "; "), "; ", remedy));
}

std::string FindUnknownCall(
    const planpb::Manifest& manifest, int variant,
    absl::FunctionRef<bool(const planpb::LibraryCall&)> known) {
  for (const planpb::Kernel& kernel : manifest.kernels()) {
    const planpb::KernelEntry& entry = kernel.entries(variant);
    if (entry.has_call() && !known(entry.call())) {
      return absl::StrCat("calls ", entry.call().function(), " of library ",
                          entry.call().library(), " for kernel '",
                          kernel.name(), "'");
    }
  }
  return "";
}

}  // namespace accel::runtime
