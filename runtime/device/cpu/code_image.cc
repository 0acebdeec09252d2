// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copy, hash, protect.
#include "runtime/device/cpu/code_image.h"

#include <utility>

#include "runtime/base/status_macros.h"

namespace accel::runtime {

absl::StatusOr<CodeImage> CodeImage::Load(const ContainerReader& plan,
                                          uint32_t section) {
  constexpr uint64_t kPage = 4096;
  const uint64_t size =
      plan.manifest().sections(static_cast<int>(section)).size();
  ASSIGN_OR_RETURN(Mapping mapping, Mapping::Create(size, kPage, size));
  // Read hashes what it has put into the mapping.
  RETURN_IF_ERROR(
      plan.Read(section, 0, absl::MakeSpan(mapping.data(), mapping.size())));
  RETURN_IF_ERROR(mapping.MakeExecutable());
  return CodeImage(std::move(mapping));
}

}  // namespace accel::runtime
