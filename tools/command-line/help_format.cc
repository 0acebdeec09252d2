// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the parts is ours, the parts are mostly the parser's.
#include "tools/command-line/help_format.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace accel::tools {
namespace {

constexpr size_t kPage = 110;
constexpr char kExamples[] = "Examples:";
// The group of options that name none: --help and --version among them.
constexpr char kUngrouped[] = "Options";

// Examples, and what follows them.
std::pair<std::string, std::string> SplitFooter(std::string footer) {
  footer.erase(0, std::min(footer.find_first_not_of('\n'), footer.size()));
  if (footer.rfind(kExamples, 0) != 0) {
    return {"", footer};
  }
  const size_t end = footer.find("\n\n");
  return end == std::string::npos
             ? std::pair<std::string, std::string>(footer, "")
             : std::pair<std::string, std::string>(footer.substr(0, end + 1),
                                                   footer.substr(end + 2));
}

// The words of `text` in lines that end before kPage.
std::string Wrapped(const std::string& text, size_t column) {
  std::istringstream words(text);
  std::string lines;
  size_t at = column;
  for (std::string word; words >> word; at += word.size()) {
    if (at > column && at + 1 + word.size() > kPage) {
      lines += "\n" + std::string(column, ' ');
      at = column;
    } else if (at > column) {
      lines += " ";
      ++at;
    }
    lines += word;
  }
  return lines;
}

// An option without a group is hidden.
bool IsShownArgument(const CLI::Option& option) {
  return option.get_positional() && !option.get_group().empty();
}

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::Sub) {
      return make_expanded(app);
    }
    const auto [examples, rest] = SplitFooter(app->get_footer());
    return make_usage(app, std::move(name)) + "\n" + make_description(app) +
           (examples.empty() ? "" : "\n" + examples) + make_positionals(app) +
           make_subcommands(app, mode) + Groups(app) +
           (rest.empty() ? "" : "\n" + rest);
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = "Usage: " + std::move(name);
    if (!app->get_subcommands(nullptr).empty()) {
      usage += " COMMAND";
    }
    usage += " [options]";
    for (const CLI::Option* option : app->get_options()) {
      if (IsShownArgument(*option)) {
        const std::string argument =
            option->get_type_name() +
            (option->get_items_expected_max() > 1 ? " ..." : "");
        usage +=
            option->get_required() ? " " + argument : " [" + argument + "]";
      }
    }
    return usage + "\n";
  }

  std::string make_positionals(const CLI::App* app) const override {
    std::string text;
    for (const CLI::Option* option : app->get_options()) {
      if (IsShownArgument(*option)) {
        text += make_option(option, true);
      }
    }
    return text.empty() ? "" : "\n" + text;
  }

  std::string Groups(const CLI::App* app) const {
    std::vector<std::string> groups = app->get_groups();
    std::stable_partition(
        groups.begin(), groups.end(),
        [](const std::string& group) { return group != kUngrouped; });
    std::string text;
    for (const std::string& group : groups) {
      std::vector<const CLI::Option*> options =
          app->get_options([&group](const CLI::Option* option) {
            return option->get_group() == group && option->nonpositional();
          });
      if (group.empty() || options.empty()) {
        continue;
      }
      std::stable_partition(options.begin(), options.end(),
                            [app](const CLI::Option* option) {
                              return option != app->get_help_ptr() &&
                                     option != app->get_version_ptr();
                            });
      const bool rest = group == kUngrouped && !text.empty();
      text += make_group(rest ? "Other" : group, false, std::move(options));
    }
    return text;
  }

  std::string make_option(const CLI::Option* option,
                          bool is_positional) const override {
    const size_t column = get_column_width();
    std::string left = "  " + (is_positional ? option->get_type_name()
                                             : make_option_name(option, false));
    if (!is_positional && option->get_type_size() != 0) {
      left += " " + option->get_type_name();
    }
    std::string right = option->get_description();
    if (option->get_type_size() != 0 && !option->get_default_str().empty()) {
      right += "; default: " + option->get_default_str();
    }
    left += left.size() < column ? std::string(column - left.size(), ' ')
                                 : "\n" + std::string(column, ' ');
    return left + Wrapped(right, column) + "\n";
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> MakeHelpFormatter(size_t column) {
  auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(column);
  formatter->label("Subcommands", "Commands");
  return formatter;
}

}  // namespace accel::tools
