// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Traces: read, summed up, and printed in every form that accel-inspect has.
#include <cstdint>
#include <string>

#include "tools/accel-inspect/trace_file.h"
#include "tools/accel-inspect/trace_profile.h"
#include "tools/accel-inspect/trace_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace accel::tools;
  const auto trace =
      ParseTrace(absl::string_view(reinterpret_cast<const char*>(data), size));
  if (!trace.ok()) {
    return 0;
  }
  for (const bool fold : {false, true}) {
    ProfileOptions options;
    options.fold = fold;
    const auto profile = ProfileTrace(*trace, options);
    if (profile.ok()) {
      TraceText(*profile, /*top=*/5, /*width=*/80);
      TraceJson(*profile);
    }
  }
  return 0;
}
