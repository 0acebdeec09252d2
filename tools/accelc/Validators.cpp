// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every check returns an empty text or the complaint.
#include "tools/accelc/Validators.h"

#include "tools/command-line/option_table.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"

#include <algorithm>
#include <cmath>

namespace accel {

CLI::Validator numberFrom(double lowest, double bound, const std::string &range,
                          const std::string &example) {
  return CLI::Validator(
      [=](std::string &text) -> std::string {
        double value = 0.0;
        bool isNumber = CLI::detail::lexical_cast(text, value);
        if (isNumber && std::isfinite(value) && value >= lowest &&
            value < bound) {
          return "";
        }
        return "expected a number " + range + ", got '" + text +
               "'; for example " + example;
      },
      "");
}

CLI::Validator wholeNumberFrom(int64_t lowest, const std::string &example) {
  return CLI::Validator(
      [=](std::string &text) -> std::string {
        int64_t value = 0;
        constexpr int64_t highest = int64_t(1) << 31;
        bool isNumber = CLI::detail::lexical_cast(text, value);
        if (isNumber && value >= lowest && value <= highest) {
          return "";
        }
        return "expected a whole number of at least " + std::to_string(lowest) +
               ", got '" + text + "'; for example " + example;
      },
      "");
}

/// The bytes in `text`, or nothing if it is no size or more than 63 bits hold.
static std::optional<uint64_t> parseByteCount(llvm::StringRef text) {
  static constexpr std::pair<llvm::StringLiteral, uint64_t> units[] = {
      {"KiB", uint64_t(1) << 10},
      {"MiB", uint64_t(1) << 20},
      {"GiB", uint64_t(1) << 30},
      {"TiB", uint64_t(1) << 40},
      {"KB", 1'000},
      {"MB", 1'000'000},
      {"GB", 1'000'000'000},
      {"TB", 1'000'000'000'000},
      {"", 1}};
  uint64_t number = 0;
  if (text.consumeInteger(10, number)) {
    return std::nullopt;
  }
  for (const auto &[name, bytes] : units) {
    if (text == name && number > 0 && number <= uint64_t(INT64_MAX) / bytes) {
      return number * bytes;
    }
  }
  return std::nullopt;
}

CLI::Validator byteCount(const std::string &example) {
  return CLI::Validator(
      [=](std::string &text) -> std::string {
        std::optional<uint64_t> bytes = parseByteCount(text);
        if (!bytes) {
          return "expected a whole number of bytes, KiB, MiB, GiB, TiB, KB, "
                 "MB, GB or TB, got '" +
                 text + "'; for example " + example;
        }
        text = std::to_string(*bytes);
        return "";
      },
      "");
}

CLI::Validator regularExpression(const std::string &example) {
  return CLI::Validator(
      [=](std::string &text) -> std::string {
        std::string problem = text.empty() ? "it is empty" : "";
        if (!text.empty()) {
          llvm::Regex(text).isValid(problem);
        }
        return problem.empty()
                   ? ""
                   : "expected a POSIX extended regular expression, got '" +
                         text + "': " + problem + "; for example " + example;
      },
      "");
}

std::string listChoices(const std::vector<std::string> &choices) {
  std::string list;
  for (size_t i = 0; i < choices.size(); ++i) {
    list += i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ";
    list += choices[i];
  }
  return list;
}

std::optional<std::string> findNearest(const std::string &text,
                                       const std::vector<std::string> &words) {
  std::optional<std::string> nearest;
  unsigned allowed =
      text.size() < 4 ? 1 : std::max<unsigned>(2, text.size() / 3);
  for (const std::string &word : words) {
    unsigned distance =
        llvm::StringRef(text).edit_distance(word, true, allowed);
    if (distance <= allowed) {
      allowed = distance - (distance > 0 ? 1 : 0);
      nearest = word;
    }
  }
  return nearest;
}

CLI::Validator oneOf(const std::vector<std::string> &choices) {
  return CLI::Validator(
      [=](std::string &text) -> std::string {
        for (const std::string &choice : choices) {
          if (text == choice) {
            return "";
          }
        }
        std::string complaint =
            "expected " + listChoices(choices) + ", got '" + text + "'";
        std::optional<std::string> nearest = findNearest(text, choices);
        return nearest ? complaint + "; did you mean " + *nearest + "?"
                       : complaint;
      },
      "", tools::NameOfChoices(choices));
}

} // namespace accel
