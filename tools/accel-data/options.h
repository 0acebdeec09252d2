// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of accel-data, as a value.
#ifndef ACCEL_TOOLS_ACCEL_DATA_OPTIONS_H_
#define ACCEL_TOOLS_ACCEL_DATA_OPTIONS_H_

#include <variant>

#include "tools/accel-data/pack.h"
#include "tools/accel-data/token_report.h"

namespace accel::tools {

struct DataOptions {
  enum class Command { kPack, kInfo, kVerify, kHead };

  Command command = Command::kPack;
  PackOptions pack;
  ReportOptions report;  // of the other commands
};

// The options, or the exit status after help or a complaint was printed.
std::variant<DataOptions, int> ParseDataOptions(int argc, char** argv);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_DATA_OPTIONS_H_
