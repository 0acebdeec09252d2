// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes `KEY=VALUE,` off the front until `targets=` or the end.
#include "passes/Import/AdapterOptions.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

#include <cmath>

namespace accel {

/// More than any weight has rows or columns is a mistake.
static constexpr int64_t kLargestRank = 65536;

static llvm::Error complain(const llvm::Twine &text) {
  return llvm::createStringError(
      "--lora: " + text +
      "; for example --lora rank=8,alpha=16,targets=c_attn");
}

static llvm::Error setTargets(llvm::StringRef pattern,
                              AdapterOptions &options) {
  std::string problem = pattern.empty() ? "it is empty" : "";
  if (!pattern.empty()) {
    llvm::Regex(pattern).isValid(problem);
  }
  options.targets = pattern.str();
  return problem.empty()
             ? llvm::Error::success()
             : complain("expected targets=REGEX, a POSIX extended regular "
                        "expression, got '" +
                        pattern + "': " + problem);
}

static llvm::Error setNumber(llvm::StringRef key, llvm::StringRef value,
                             AdapterOptions &options) {
  bool isBad = true;
  if (key == "rank") {
    isBad = value.getAsInteger(10, options.rank);
  } else if (key == "alpha") {
    isBad = value.getAsDouble(options.alpha);
  } else if (key == "dropout") {
    isBad = value.getAsDouble(options.dropout);
  } else {
    return complain(
        "expected rank=, alpha=, dropout= and last targets=, got '" + key +
        "'");
  }
  return isBad
             ? complain("expected a number as " + key + ", got '" + value + "'")
             : llvm::Error::success();
}

llvm::Error AdapterOptions::verify() const {
  if (rank < 1 || rank > kLargestRank) {
    return complain("expected a rank from 1 to " + llvm::Twine(kLargestRank) +
                    ", got " + llvm::Twine(rank));
  }
  if (!std::isfinite(alpha) || alpha <= 0) {
    return complain("expected an alpha above 0, got " +
                    llvm::Twine(std::to_string(alpha)));
  }
  if (!(dropout >= 0 && dropout < 1)) {
    return complain("expected a dropout from 0 to below 1, got " +
                    llvm::Twine(std::to_string(dropout)));
  }
  return llvm::Error::success();
}

llvm::Expected<AdapterOptions> AdapterOptions::parse(llvm::StringRef text) {
  AdapterOptions options;
  options.rank = 8; // as PEFT
  llvm::StringSet<> seen;
  llvm::StringRef rest = text;
  while (!rest.empty()) {
    auto [key, behind] = rest.split('=');
    if (!seen.insert(key).second) {
      return complain("expected " + key + "= once, got it twice");
    }
    if (key == "targets") {
      if (llvm::Error error = setTargets(behind, options)) {
        return error;
      }
      break;
    }
    auto [value, more] = behind.split(',');
    if (llvm::Error error = setNumber(key, value, options)) {
      return error;
    }
    rest = more;
  }
  if (llvm::Error error = options.verify()) {
    return error;
  }
  return options;
}

} // namespace accel
