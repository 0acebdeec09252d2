// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parser keeps the order of options, and of each its values.
#include "tools/accelc/RuleOptions.h"

namespace accel {

std::vector<std::string> getRules(const CLI::App &app,
                                  const tools::ConfigFile &config,
                                  const RuleOption (&options)[2]) {
  std::vector<std::string> rules;
  size_t taken[2] = {0, 0};
  std::vector<const CLI::Option *> order = config.given();
  order.insert(order.end(), app.parse_order().begin(), app.parse_order().end());
  for (const CLI::Option *option : order) {
    for (size_t i = 0; i < 2; ++i) {
      if (option == app.get_option(options[i].option)) {
        rules.push_back(options[i].rule + option->results()[taken[i]++]);
      }
    }
  }
  return rules;
}

void addWritten(const std::vector<std::string> &rules,
                const RuleOption (&options)[2],
                std::vector<std::pair<std::string, std::string>> &written) {
  for (const std::string &rule : rules) {
    size_t behind = rule.find('=') + 1;
    for (const RuleOption &each : options) {
      if (rule.compare(0, behind, each.rule) == 0) {
        written.emplace_back(each.option + 2, rule.substr(behind));
      }
    }
  }
}

} // namespace accel
