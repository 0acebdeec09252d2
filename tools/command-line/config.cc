// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading tables of TOML into options, and printing options as such a table.
#include "tools/command-line/config.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "runtime/base/format.h"
#include "runtime/base/toml.h"
#include "tools/command-line/value_checks.h"

namespace accel::tools {
namespace {

constexpr size_t kMostConfigBytes = size_t{1} << 20;
// Programs that may share a file.
const std::vector<std::string> kPrograms = {"accelc", "accel-run"};

// Without its dashes; of an argument its own name.
std::string KeyOf(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name(true)
                                     : option.get_lnames().front();
}

bool IsFlag(const CLI::Option& option) {
  return option.get_items_expected_max() == 0;
}

// What a flag stands for when it is given without a value: "true", or, of a
// flag that takes one behind an equals sign, its default.
std::string ValueOfFlag(const CLI::Option& option) {
  return option.get_flag_value(KeyOf(option), "");
}

bool TakesValue(const CLI::Option& flag) { return ValueOfFlag(flag) != "true"; }

bool IsRepeatable(const CLI::Option& option) {
  return option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
}

bool IsNamed(const CLI::Option& option) {
  return option.get_type_name().rfind("NAME=", 0) == 0;
}

// What the file may set: not what is hidden.
std::vector<CLI::Option*> SettableOptions(CLI::App& app) {
  return app.get_options([](const CLI::Option* option) {
    return option->get_configurable() && !option->get_group().empty();
  });
}

// A value as it would be written on the command line; nothing of what has no
// such form.
std::optional<std::string> ScalarText(const toml::node& node) {
  if (const auto* text = node.as_string()) {
    return text->get();
  }
  if (const auto* number = node.as_integer()) {
    return std::to_string(number->get());
  }
  if (const auto* number = node.as_floating_point()) {
    return runtime::FormatRoundTrip(number->get());
  }
  return std::nullopt;
}

std::string KindOf(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or a time";
  }
}

std::string ExpectedOf(const CLI::Option& option) {
  if (IsFlag(option)) {
    return TakesValue(option) ? "true, false or a string" : "true or false";
  }
  if (IsNamed(option)) {
    return "a table, { NAME = VALUE }";
  }
  return IsRepeatable(option) ? "a string, a number, or an array of them"
                              : "a string or a number";
}

// The table's entries in the order of the file.
std::vector<std::pair<std::string, const toml::node*>> InOrder(
    const toml::table& table) {
  std::vector<std::pair<std::string, const toml::node*>> entries;
  for (const auto& [key, node] : table) {
    entries.emplace_back(std::string(key.str()), &node);
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) {
                     return a.second->source().begin < b.second->source().begin;
                   });
  return entries;
}

// All values of an option; nothing if the node has another type.
std::optional<std::vector<std::string>> ValuesOf(const CLI::Option& option,
                                                 const toml::node& node) {
  std::vector<std::string> values;
  if (IsFlag(option)) {
    if (const auto* given = node.as_boolean()) {
      return given->get() ? std::vector<std::string>{ValueOfFlag(option)}
                          : values;
    }
    const auto* text = TakesValue(option) ? node.as_string() : nullptr;
    return text == nullptr ? std::nullopt
                           : std::optional(std::vector{text->get()});
  }
  const auto add = [&values](const toml::node& each,
                             const std::string& prefix) {
    const std::optional<std::string> text = ScalarText(each);
    if (text) {
      values.push_back(prefix + *text);
    }
    return text.has_value();
  };
  bool good = true;
  if (const toml::table* table = node.as_table(); table && IsNamed(option)) {
    for (const auto& [key, each] : InOrder(*table)) {
      good = add(*each, key + "=") && good;
    }
  } else if (const toml::array* array = node.as_array();
             array && IsRepeatable(option)) {
    for (const toml::node& each : *array) {
      good = add(each, "") && good;
    }
  } else {
    good = add(node, "");
  }
  return good ? std::optional(values) : std::nullopt;
}

std::string_view NameIn(std::string_view value) {
  return value.substr(0, value.find('='));
}

// Reads one program's table into its options.
class Reader {
 public:
  Reader(CLI::App& app, const std::string& path,
         std::map<const CLI::Option*, std::string>& origins,
         std::vector<const CLI::Option*>& given)
      : app_(app), path_(path), origins_(origins), given_(given) {}

  std::vector<std::string> Read(const std::string& text) {
    try {
      const toml::table file = toml::parse(text, path_);
      for (const auto& [key, node] : InOrder(file)) {
        ReadTable(key, *node);
      }
    } catch (const toml::parse_error& error) {
      Complain(error.source(),
               "expected TOML: " + std::string(error.description()));
    }
    return std::move(complaints_);
  }

 private:
  std::string Place(const toml::source_region& source) const {
    return path_ + ":" + std::to_string(source.begin.line);
  }

  void Complain(const toml::source_region& source, const std::string& what) {
    complaints_.push_back(Place(source) + ": " + what);
  }

  void ReadTable(const std::string& key, const toml::node& node) {
    const bool known =
        std::find(kPrograms.begin(), kPrograms.end(), key) != kPrograms.end();
    const toml::table* table = node.as_table();
    if (!known || table == nullptr) {
      Complain(node.source(),
               "expected a table [" + kPrograms[0] + "] or [" + kPrograms[1] +
                   "] with the options of that program, got '" + key + "'" +
                   (FindOption(key) != nullptr
                        ? "; write [" + app_.get_name() + "] in front of it"
                        : ""));
      return;
    }
    if (key != app_.get_name()) {
      return;
    }
    for (const auto& [name, value] : InOrder(*table)) {
      ReadOption(name, *value);
    }
  }

  CLI::Option* FindOption(const std::string& key) {
    for (CLI::Option* option : SettableOptions(app_)) {
      if (KeyOf(*option) == key) {
        return option;
      }
    }
    return nullptr;
  }

  void ReadOption(const std::string& key, const toml::node& node) {
    CLI::Option* option = FindOption(key);
    if (option == nullptr) {
      std::vector<std::string> keys;
      for (const CLI::Option* each : SettableOptions(app_)) {
        keys.push_back(KeyOf(*each));
      }
      const std::optional<std::string> nearest = FindNearest(key, keys);
      return Complain(node.source(),
                      "unknown option '" + key + "' of " + app_.get_name() +
                          (nearest ? "; did you mean " + *nearest + "?"
                                   : "; " + app_.get_name() +
                                         " --print-config lists them"));
    }
    const auto values = ValuesOf(*option, node);
    if (!values) {
      return Complain(node.source(), key + ": expected " + ExpectedOf(*option) +
                                         ", got " + KindOf(node));
    }
    Give(*option, *values, node);
  }

  // The command line's values stay, and of what is NAME=VALUE hide the file's
  // of the same names.
  void Give(CLI::Option& option, std::vector<std::string> values,
            const toml::node& node) {
    const std::vector<std::string> written = option.results();
    if (!written.empty() && !IsNamed(option)) {
      return;
    }
    values.erase(std::remove_if(values.begin(), values.end(),
                                [&written](const std::string& value) {
                                  return std::any_of(
                                      written.begin(), written.end(),
                                      [&](const std::string& other) {
                                        return NameIn(other) == NameIn(value);
                                      });
                                }),
                 values.end());
    if (values.empty()) {
      if (written.empty()) {
        origins_[&option] = Place(node.source());
      }
      return;
    }
    given_.insert(given_.end(), values.size(), &option);
    values.insert(values.end(), written.begin(), written.end());
    option.clear();
    option.add_result(values);
    origins_[&option] =
        Place(node.source()) + (written.empty() ? "" : ", command line");
    try {
      option.run_callback();
    } catch (const CLI::ParseError& error) {
      Complain(node.source(), error.what());
    }
  }

  CLI::App& app_;
  const std::string& path_;
  std::map<const CLI::Option*, std::string>& origins_;
  std::vector<const CLI::Option*>& given_;
  std::vector<std::string> complaints_;
};

bool IsTomlNumber(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const size_t digit = text.rfind('-', 0) == 0 ? 1 : 0;
  // TOML has neither .5 nor 5. nor 05.
  const bool plain = text.size() > digit && std::isdigit(text[digit]) != 0 &&
                     text.back() != '.' && text.find(".e") == text.npos &&
                     (text[digit] != '0' || text.size() == digit + 1 ||
                      std::isdigit(text[digit + 1]) == 0);
  return plain && error == std::errc() && rest == end;
}

// In double quotes, with the escapes of TOML.
std::string Quoted(const std::string& text) {
  std::ostringstream quoted;
  quoted << toml::toml_formatter(
      toml::value<std::string>(text),
      toml::toml_formatter::default_flags &
          ~toml::format_flags::allow_literal_strings);
  return quoted.str();
}

std::string TomlText(const std::string& text) {
  return IsTomlNumber(text) ? text : Quoted(text);
}

// A key as it may stand in a table.
std::string TomlKey(const std::string& key) {
  const bool bare = std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
  return bare && !key.empty() ? key : Quoted(key);
}

std::string Join(const std::vector<std::string>& parts, const char* open,
                 const char* close) {
  std::string text = open;
  for (size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : ", ") + parts[i];
  }
  return text + close;
}

std::string ValueText(const CLI::Option& option) {
  if (IsFlag(option)) {
    return TakesValue(option) ? Quoted(option.results().front()) : "true";
  }
  std::vector<std::string> parts;
  const bool named =
      IsNamed(option) &&
      std::all_of(option.results().begin(), option.results().end(),
                  [](const std::string& value) {
                    return value.find('=') != value.npos;
                  });
  for (const std::string& value : option.results()) {
    const std::string name(NameIn(value));
    parts.push_back(named ? TomlKey(name) + " = " +
                                TomlText(value.substr(name.size() + 1))
                          : TomlText(value));
  }
  return named                  ? Join(parts, "{ ", " }")
         : IsRepeatable(option) ? Join(parts, "[", "]")
                                : parts.front();
}

std::string WithOrigin(std::string line, const std::string& origin) {
  constexpr size_t kColumn = 40;
  line.resize(std::max(kColumn, line.size() + 1), ' ');
  return line + "# " + origin + "\n";
}

}  // namespace

std::shared_ptr<ConfigFile> ConfigFile::AddTo(CLI::App& app,
                                              const std::string& group) {
  const std::shared_ptr<ConfigFile> config(new ConfigFile(app));
  app.config_formatter(config);
  app.set_config("--config", "",
                 "Take options from the table [" + app.get_name() +
                     "] of a TOML file; the command line wins")
      ->type_name("FILE.toml")
      ->check(CLI::Validator(
          [](const std::string& path) -> std::string {
            return path.empty() ? "expected a file of TOML, got an empty path; "
                                  "leave the option out, or name a file"
                                : "";
          },
          ""))
      ->group(group);
  app.add_flag("--print-config", config->print_requested_,
               "Print the options in force and where each comes from, as a "
               "file for --config, and do nothing else")
      ->configurable(false)
      ->group(group);
  return config;
}

std::string ConfigFile::to_config(const CLI::App* app, bool, bool,
                                  std::string) const {
  std::string text = "[" + app->get_name() + "]\n";
  for (const CLI::Option* option : SettableOptions(app_)) {
    const std::string key = KeyOf(*option);
    const auto origin = origins_.find(option);
    if (option->count() > 0) {
      text += WithOrigin(
          key + " = " + ValueText(*option),
          origin == origins_.end() ? "command line" : origin->second);
    } else if (IsFlag(*option)) {
      text += WithOrigin("# " + key + " = false",
                         origin == origins_.end() ? "default" : origin->second);
    } else if (option->get_default_str().empty()) {
      text += WithOrigin("# " + key, "not set");
    } else {
      text += WithOrigin(
          "# " + key + " = " + TomlText(option->get_default_str()), "default");
    }
  }
  return text;
}

std::vector<CLI::ConfigItem> ConfigFile::from_config(
    std::istream& input) const {
  path_ = app_.get_config_ptr()->as<std::string>();
  std::string text(kMostConfigBytes + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(input.gcount()));
  if (text.size() > kMostConfigBytes) {
    complaints_ = {path_ + ": expected at most " +
                   std::to_string(kMostConfigBytes) + " bytes, got more"};
  } else {
    complaints_ = Reader(app_, path_, origins_, given_).Read(text);
  }
  if (!complaints_.empty()) {
    throw CLI::ConfigError(complaints_.front());
  }
  return {};
}

}  // namespace accel::tools
