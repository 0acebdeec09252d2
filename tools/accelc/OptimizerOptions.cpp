// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions and defaults are put together from the table.
#include "tools/accelc/OptimizerOptions.h"

#include "tools/accelc/Validators.h"
#include "tools/command-line/value_checks.h"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace accel {
namespace {

/// 0.9, 1e-08
std::string toText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

/// An optimizer and what `name` is to it.
struct Reader {
  std::string optimizer;
  const OptimizerNumber *number;
};

std::vector<Reader> findReaders(const std::string &name) {
  std::vector<Reader> readers;
  for (const Optimizer *optimizer : getOptimizers()) {
    if (const OptimizerNumber *number = optimizer->findNumber(name)) {
      readers.push_back({optimizer->name.str(), number});
    }
  }
  return readers;
}

/// `TEXT` where it is the same for all readers, else `adamw, adamw8: TEXT;
/// lion: TEXT`; with `isNamed` the readers are always named.
template <typename Text>
std::string describeEach(const std::vector<Reader> &readers, bool isNamed,
                         Text text) {
  std::string description;
  std::vector<std::string> said;
  for (const Reader &reader : readers) {
    std::string meaning = text(*reader.number);
    if (std::find(said.begin(), said.end(), meaning) != said.end()) {
      continue;
    }
    said.push_back(meaning);
    std::string names;
    bool areAll = true;
    for (const Reader &other : readers) {
      bool isSame = text(*other.number) == meaning;
      areAll = areAll && isSame;
      names += isSame ? (names.empty() ? "" : ", ") + other.optimizer : "";
    }
    description += description.empty() ? "" : "; ";
    description += areAll && !isNamed ? meaning : names + ": " + meaning;
  }
  return description;
}

CLI::Validator checkOf(const OptimizerNumber &number) {
  std::string example = "--" + number.name.str() + "=" + number.example.str();
  return number.range == OptimizerNumber::Range::BelowOne
             ? numberFrom(0, 1, "from 0 to below 1", example)
             : numberFrom(0, std::numeric_limits<double>::infinity(),
                          "that is not negative", example);
}

} // namespace

std::vector<std::string> getOptimizerNames() {
  std::vector<std::string> names;
  for (const Optimizer *optimizer : getOptimizers()) {
    names.push_back(optimizer->name.str());
  }
  return names;
}

std::string describeOptimizers() {
  std::vector<std::string> choices;
  for (const Optimizer *optimizer : getOptimizers()) {
    choices.push_back(optimizer->name.str() + " (" + optimizer->summary.str() +
                      ")");
  }
  return tools::ListChoices(choices);
}

std::vector<std::string> getOptimizerNumbers() {
  std::vector<std::string> names;
  for (const Optimizer *optimizer : getOptimizers()) {
    for (const OptimizerNumber &number : optimizer->numbers) {
      std::string name = number.name.str();
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  return names;
}

std::vector<std::string> getOptimizersWith(const std::string &name) {
  std::vector<std::string> names;
  for (const Reader &reader : findReaders(name)) {
    names.push_back(reader.optimizer);
  }
  return names;
}

void addOptimizerNumbers(CLI::App &app, CommandLine &line, const char *group) {
  for (const std::string &name : getOptimizerNumbers()) {
    std::vector<Reader> readers = findReaders(name);
    app.add_option_function<double>(
           "--" + name,
           [&line, name](double value) { line.optimizerNumbers[name] = value; },
           describeEach(readers, /*isNamed=*/true,
                        [](const OptimizerNumber &number) {
                          return number.meaning.str();
                        }))
        ->type_name("X")
        ->check(checkOf(*readers.front().number))
        ->default_str(describeEach(
            readers, /*isNamed=*/false,
            [](const OptimizerNumber &number) { return toText(number.value); }))
        ->group(group);
  }
  app.parse_complete_callback([&app, &line] {
    const Optimizer *chosen = findOptimizer(line.optimizer);
    for (const std::string &name : getOptimizerNumbers()) {
      const OptimizerNumber *number =
          chosen ? chosen->findNumber(name) : nullptr;
      app.get_option("--" + name)
          ->default_str(number ? toText(number->value) : "");
    }
  });
}

void addOptimizerKind(CLI::App &app, CommandLine &line, const char *group) {
  app.add_option("--optimizer", line.optimizer, describeOptimizers())
      ->type_name("KIND")
      ->check(tools::OneOf(getOptimizerNames()))
      ->capture_default_str()
      ->group(group);
}

void addNonFinitePolicy(CLI::App &app, CommandLine &line, const char *group) {
  app.add_option("--on-nonfinite", line.onNonFinite,
                 "What a run does when a loss or gradient is not finite: halt, "
                 "or skip the step and go on. Neither updates the weights; "
                 "accel-run --on-nonfinite overrides it")
      ->type_name("POLICY")
      ->check(tools::OneOf({"halt", "skip"}))
      ->capture_default_str()
      ->group(group);
}

} // namespace accel
