// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parser's errors in our words. What it does not take is collected here and
// not by the parser, which would name it without a remedy.
#include "tools/command-line/parse.h"

#include <algorithm>
#include <cctype>
#include <iostream>
#include <string_view>

#include "tools/command-line/config.h"
#include "tools/command-line/option_table.h"
#include "tools/command-line/response_file.h"
#include "tools/command-line/value_checks.h"

namespace accel::tools {
namespace {

// The number behind NAME or NAME=, "VALUE" if there is none.
std::string NumberAfter(const std::vector<std::string>& words,
                        const std::string& name) {
  const auto number = [](std::string_view text) {
    return !text.empty() && (std::isdigit(text[0]) != 0 || text[0] == '.');
  };
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == name && i + 1 < words.size() && number(words[i + 1])) {
      return words[i + 1];
    }
    if (word.substr(0, word.find('=')) == name && word != name &&
        number(word.substr(name.size() + 1))) {
      return std::string(word.substr(name.size() + 1));
    }
  }
  return "VALUE";
}

// --Learning_Rate as learning-rate.
std::string Normalized(std::string_view option) {
  std::string name(option.substr(option.find_first_not_of('-')));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return static_cast<char>(c == '_' ? '-' : std::tolower(c));
  });
  return name;
}

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::vector<std::string> LongNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) {
      continue;  // hidden
    }
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::string DescribeUnknown(const CLI::App& app, const std::string& name,
                            const std::vector<std::string>& words,
                            const CommandLineErrors& errors) {
  const std::string complaint = "unknown option '" + name + "'; ";
  const std::string normalized = Normalized(name);
  for (const FamiliarOption& option : errors.familiar) {
    if (std::find(option.names.begin(), option.names.end(), normalized) !=
        option.names.end()) {
      std::string answer = option.answer;
      ReplaceAll(answer, "VALUE", NumberAfter(words, name));
      return complaint + answer;
    }
  }
  const std::optional<std::string> nearest = FindNearest(name, LongNames(app));
  return complaint +
         (nearest ? "did you mean " + *nearest + "?" : errors.remedy);
}

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    names.push_back(command->get_name());
  }
  return names;
}

std::string DescribeWord(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> commands = CommandNames(app);
  if (!commands.empty()) {
    const std::optional<std::string> nearest = FindNearest(word, commands);
    return "expected " + ListChoices(commands) + ", got '" + word + "'" +
           (nearest ? "; did you mean " + *nearest + "?" : "");
  }
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      return "expected one " + option->get_type_name() + ", got '" + word +
             "' too";
    }
  }
  return "expected options only, got '" + word + "'";
}

// What the parser did not take, of the app and of the command that was given.
std::vector<std::string> FindStrangers(const CLI::App& app,
                                       const std::vector<std::string>& words,
                                       const CommandLineErrors& errors) {
  std::vector<std::string> options;
  std::vector<std::string> others;
  for (const std::string& word : app.remaining()) {
    if (word == "--") {
      continue;
    }
    if (word.find_first_not_of('-') == std::string::npos || word[0] != '-') {
      others.push_back(DescribeWord(app, word));
    } else {
      options.push_back(
          DescribeUnknown(app, word.substr(0, word.find('=')), words, errors));
    }
  }
  // A word may just be the value of an option that is not known.
  std::vector<std::string> found = options.empty() ? others : options;
  for (const CLI::App* command : app.get_subcommands()) {
    const auto more = FindStrangers(*command, words, errors);
    found.insert(found.end(), more.begin(), more.end());
  }
  return found;
}

// "PLAN" of a positional, "--output FILE.bin" of an option.
std::string NameAndType(const CLI::Option& option) {
  return option.get_positional()
             ? option.get_type_name()
             : option.get_name() + " " + option.get_type_name();
}

// The first option, or argument, that is required and missing.
const CLI::Option* FindMissing(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_required() && option->count() == 0) {
      return option;
    }
  }
  for (const CLI::App* command : app.get_subcommands()) {
    if (const CLI::Option* option = FindMissing(*command)) {
      return option;
    }
  }
  return nullptr;
}

std::string DescribeRequired(const CLI::App& app,
                             const CommandLineErrors& errors) {
  const CLI::Option* missing = FindMissing(app);
  const std::string what = missing == nullptr ? ListChoices(CommandNames(app))
                                              : NameAndType(*missing);
  return "expected " + what + ", got none; " + errors.remedy;
}

// The option that a message of the parser begins with, or has behind `start`.
const CLI::Option* FindNamed(const CLI::App& app, const std::string& name) {
  if (const CLI::Option* option = app.get_option_no_throw(name)) {
    return option;
  }
  for (const CLI::App* command : app.get_subcommands()) {
    if (const CLI::Option* option = FindNamed(*command, name)) {
      return option;
    }
  }
  return nullptr;
}

// A value that no check of ours has looked at.
std::string DescribeConversion(const CLI::App& app, std::string text) {
  constexpr std::string_view kStart = "Could not convert: ";
  if (text.compare(0, kStart.size(), kStart) != 0) {
    return text;
  }
  text.erase(0, kStart.size());
  const size_t equals = text.find(" = ");
  const std::string name = text.substr(0, equals);
  const CLI::Option* option = FindNamed(app, name);
  const bool flag = option != nullptr && option->get_items_expected_max() == 0;
  const std::string expected =
      flag || option == nullptr ? "no value" : option->get_type_name();
  return name + ": expected " + expected + ", got '" +
         (equals == std::string::npos ? "" : text.substr(equals + 3)) + "'";
}

// Null if the app has none.
const ConfigFile* ConfigOf(const CLI::App& app) {
  return dynamic_cast<const ConfigFile*>(app.get_config_formatter().get());
}

bool WantsConfig(const CLI::App& app) {
  const ConfigFile* config = ConfigOf(app);
  return config != nullptr && config->print_requested();
}

std::string Describe(const CLI::App& app, const CLI::ParseError& error,
                     const CommandLineErrors& errors) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return DescribeRequired(app, errors);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool missing = text.find("missing") != std::string::npos;
    return text.substr(0, text.find(':')) + ": expected one value, got " +
           (missing ? "none" : "several");
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    return DescribeConversion(app, text);
  }
  if (dynamic_cast<const CLI::FileError*>(&error) != nullptr) {
    return "--config: expected a file of TOML, got '" +
           app.get_config_ptr()->as<std::string>() + "', which cannot be read";
  }
  return text;
}

void AllowExtras(CLI::App& app) {
  app.allow_extras();
  for (CLI::App* command : app.get_subcommands(nullptr)) {
    AllowExtras(*command);
  }
}

// What a run of the parser ends with, if not with values.
std::vector<std::string> Complain(const CLI::App& app,
                                  const CLI::ParseError& error,
                                  const std::vector<std::string>& words,
                                  const CommandLineErrors& errors) {
  std::vector<std::string> complaints = FindStrangers(app, words, errors);
  const ConfigFile* config = ConfigOf(app);
  if (config != nullptr && !config->complaints().empty()) {
    complaints.insert(complaints.end(), config->complaints().begin(),
                      config->complaints().end());
    return complaints;
  }
  // What is missing may be what an unknown option has taken.
  const bool missing = dynamic_cast<const CLI::RequiredError*>(&error);
  if (!missing || (complaints.empty() && !WantsConfig(app))) {
    complaints.push_back(Describe(app, error, errors));
  }
  return complaints;
}

}  // namespace

std::optional<int> ParseWords(CLI::App& app,
                              const std::vector<std::string>& words,
                              const CommandLineErrors& errors) {
  AddOptionTable(app);
  AllowExtras(app);
  std::vector<std::string> complaints;
  try {
    // The parser takes them from the back.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    complaints = FindStrangers(app, words, errors);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    complaints = Complain(app, error, words, errors);
  }
  for (const std::string& complaint : complaints) {
    std::cerr << "error: " << complaint << "\n";
  }
  if (!complaints.empty()) {
    return errors.exit_status;
  }
  if (WantsConfig(app)) {
    std::cout << app.config_to_str();
    return 0;
  }
  return std::nullopt;
}

std::optional<int> ParseCommandLine(CLI::App& app, int argc, char** argv,
                                    const CommandLineErrors& errors) {
  const auto line = ExpandResponseFiles(argc, argv);
  if (!line.ok()) {
    std::cerr << "error: " << line.status().message() << "\n";
    return errors.exit_status;
  }
  return ParseWords(app, line->words, errors);
}

}  // namespace accel::tools
