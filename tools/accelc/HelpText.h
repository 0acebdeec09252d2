// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `accelc --help` says, and how it looks.
#ifndef ACCEL_TOOLS_ACCELC_HELPTEXT_H
#define ACCEL_TOOLS_ACCELC_HELPTEXT_H

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace accel {

extern const char *const kDescription;

/// Examples, phases, exit codes.
std::string makeFooter();

/// Options in two columns of a page of 100, defaults at the end.
class HelpFormatter : public CLI::Formatter {
public:
  std::string make_usage(const CLI::App *app, std::string name) const override;
  std::string
  make_group(std::string group, bool isPositional,
             std::vector<const CLI::Option *> options) const override;
  std::string make_option(const CLI::Option *option,
                          bool isPositional) const override;
};

} // namespace accel

#endif
