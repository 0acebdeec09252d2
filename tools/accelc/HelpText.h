// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `accelc --help` says, and how it looks.
#ifndef ACCEL_TOOLS_ACCELC_HELPTEXT_H
#define ACCEL_TOOLS_ACCELC_HELPTEXT_H

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

namespace accel {

extern const char *const kDescription;

/// Phases, exit codes.
std::string makeFooter();

/// Examples first, then options in two columns of a page of 100 or of a
/// narrower terminal, defaults at the end.
class HelpFormatter : public CLI::Formatter {
public:
  /// For a page of so many columns.
  explicit HelpFormatter(size_t columns);
  /// The option is also written as `word`.
  void addSpelling(const std::string &option, const std::string &word) {
    spellings[option] = word;
  }

  std::string make_usage(const CLI::App *app, std::string name) const override;
  std::string
  make_group(std::string group, bool isPositional,
             std::vector<const CLI::Option *> options) const override;
  std::string make_option(const CLI::Option *option,
                          bool isPositional) const override;

private:
  std::map<std::string, std::string> spellings;
  size_t width; ///< of the second column
};

} // namespace accel

#endif
