// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What people know by another name, or from where it is decided elsewhere:
// flags of torchrun, accelerate and training scripts, flags of accelc, and
// names for --set. Each is answered with what does it here.
#ifndef ACCEL_TOOLS_ACCEL_RUN_FAMILIAR_OPTIONS_H_
#define ACCEL_TOOLS_ACCEL_RUN_FAMILIAR_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/plan/schema/plan.pb.h"
#include "tools/command-line/parse.h"

namespace accel::tools {

// For the parser of accel-run's command line.
std::vector<FamiliarOption> FamiliarOptions();

// What to do instead of `--set NAME=...`, where the plan has no hyperparameter
// of that name; empty: the name means nothing.
std::string AnswerFor(const planpb::Manifest& manifest, absl::string_view name);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_FAMILIAR_OPTIONS_H_
