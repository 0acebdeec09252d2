// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table follows the order of declaration, which is that of --help.
#include "tools/command-line/option_table.h"

#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace accel::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kChoices[] = "one of ";

// The words of the check that NameOfChoices has named; none if there is none.
std::vector<std::string> ChoicesOf(CLI::Option& option) {
  for (int i = 0;; ++i) {
    const CLI::Validator* check = nullptr;
    try {
      check = option.get_validator(i);
    } catch (const CLI::OptionNotFound&) {
      return {};  // behind the last one
    }
    absl::string_view words = check->get_name();
    if (absl::ConsumePrefix(&words, kChoices)) {
      return absl::StrSplit(words, '|');
    }
  }
}

// The flags that a person types: -o and --output.
std::vector<std::string> NamesOf(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) {
    names.push_back(absl::StrCat("-", name));
  }
  for (const std::string& name : option.get_lnames()) {
    names.push_back(absl::StrCat("--", name));
  }
  return names;
}

Json DescribeOption(CLI::Option& option) {
  const bool takes_value =
      option.get_positional() || option.get_items_expected_max() > 0;
  return {{"names", NamesOf(option)},
          {"value", takes_value ? option.get_type_name() : ""},
          {"choices", ChoicesOf(option)},
          {"repeatable", option.get_items_expected_max() > 1},
          {"required", option.get_required()},
          {"default", option.get_default_str()},
          {"group", option.get_group()},
          {"description", option.get_description()}};
}

Json Describe(CLI::App& app) {
  Json options = Json::array();
  for (CLI::Option* option : app.get_options([](const CLI::Option* each) {
         return !each->get_group().empty();  // hidden ones have none
       })) {
    options.push_back(DescribeOption(*option));
  }
  Json commands = Json::array();
  for (CLI::App* command : app.get_subcommands(nullptr)) {
    commands.push_back(Describe(*command));
  }
  return {{"name", app.get_name()},
          {"version", app.version()},
          {"description", app.get_description()},
          {"options", options},
          {"commands", commands},
          {"help", app.help()}};
}

}  // namespace

void AddOptionTable(CLI::App& app) {
  app.add_flag_callback("--option-table",
                        [&app] {
                          const std::string text = Describe(app).dump(1);
                          throw CLI::CallForVersion(text, 0);
                        })
      ->group("");
}

std::string NameOfChoices(const std::vector<std::string>& choices) {
  return absl::StrCat(kChoices, absl::StrJoin(choices, "|"));
}

}  // namespace accel::tools
