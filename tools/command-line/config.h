// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --config FILE.toml gives options values, --print-config shows those in force.
//
//   [accelc]                     # a table for each program: a file serves both
//   lr = 3e-4                    # an option by its long name, or an argument
//   fsdp = true                  # by its own
//   dim = { batch = 8 }          # NAME=VALUE, repeatable
//   [accel-run]
//   data = ["a.bin", "b.bin"]    # repeatable
//
// The command line wins. Of options that are NAME=VALUE it does so name by
// name.
#ifndef ACCEL_TOOLS_COMMAND_LINE_CONFIG_H_
#define ACCEL_TOOLS_COMMAND_LINE_CONFIG_H_

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace accel::tools {

// Where the values of an app come from, if not from its command line.
class ConfigFile : public CLI::Config {
 public:
  // Gives `app` the two options. Both are in `group` of its help.
  static std::shared_ptr<ConfigFile> AddTo(CLI::App& app,
                                           const std::string& group);

  // What was wrong with the file, each with its line.
  const std::vector<std::string>& complaints() const { return complaints_; }
  // The path; empty if there is none.
  const std::string& path() const { return path_; }
  // The options that the file gave values, one for each value and in the order
  // of the file.
  const std::vector<const CLI::Option*>& given() const { return given_; }
  bool print_requested() const { return print_requested_; }

  // What is in force: a file that --config reads, with the origin of each value
  // behind it. Defaults are comments.
  std::string to_config(const CLI::App* app, bool, bool,
                        std::string) const override;
  // Gives the options that the file names their values. The parser calls it
  // when it has read the command line.
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

 private:
  explicit ConfigFile(CLI::App& app) : app_(app) {}

  CLI::App& app_;
  bool print_requested_ = false;
  // The parser's interface is that of something that changes nothing.
  mutable std::string path_;
  mutable std::vector<std::string> complaints_;
  mutable std::map<const CLI::Option*, std::string> origins_;
  mutable std::vector<const CLI::Option*> given_;
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_COMMAND_LINE_CONFIG_H_
