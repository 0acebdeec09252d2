// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every check returns an empty text or the complaint.
#include "tools/accelc/Validators.h"

#include "passes/Target/TargetNames.h"

#include "tools/command-line/option_table.h"
#include "tools/command-line/value_checks.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

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

CLI::Validator notEmpty(const std::string &expected,
                        const std::string &example) {
  return CLI::Validator(
      [=](std::string &text) -> std::string {
        return text.empty()
                   ? "expected " + expected + ", got ''; for example " + example
                   : "";
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

static std::string complain(const std::string &expected,
                            const std::string &text,
                            const std::string &remedy) {
  return "expected " + expected + ", got '" + text + "'; " + remedy;
}

CLI::Validator zeroStage() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        if (text == "1" || text == "2") {
          return "";
        }
        return complain("1 or 2", text,
                        text == "3"   ? "ZeRO's third stage is --fsdp"
                        : text == "0" ? "without --zero every rank keeps all"
                                      : "for example --zero=1");
      },
      "", tools::NameOfChoices({"1", "2"}));
}

CLI::Validator target() {
  std::vector<std::string> names = {"cpu"};
  for (llvm::StringRef name : getVariantNames()) {
    names.push_back(name.str());
  }
  return CLI::Validator(
      [](std::string &text) -> std::string {
        std::string complaint;
        parseVariants(text,
                      [&](const llvm::Twine &why) { complaint = why.str(); });
        return complaint;
      },
      "", tools::NameOfChoices(names));
}

CLI::Validator timeReport() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        text = text == "true" ? "text" : text;
        return text == "text" || text == "json"
                   ? ""
                   : complain("text or json", text,
                              "for example --time-report=json");
      },
      "");
}

CLI::Validator objective() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        static const std::vector<std::string> kinds{"auto", "causal-lm",
                                                    "classification", "mse"};
        const std::string byName = "output:";
        bool named = text.compare(0, byName.size(), byName) == 0 &&
                     text.size() > byName.size();
        if (named ||
            std::find(kinds.begin(), kinds.end(), text) != kinds.end()) {
          return "";
        }
        std::vector<std::string> choices = kinds;
        choices.push_back("output:NAME");
        std::optional<std::string> nearest = tools::FindNearest(text, kinds);
        return "expected " + tools::ListChoices(choices) + ", got '" + text +
               "'" + (nearest ? "; did you mean " + *nearest + "?" : "");
      },
      "", tools::NameOfChoices({"auto", "causal-lm", "classification", "mse"}));
}

} // namespace accel
