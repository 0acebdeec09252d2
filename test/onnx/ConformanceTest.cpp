// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX's own conformance cases against a manifest that says of each what is to
// come of it. With ACCEL_CONFORMANCE_OUT=FILE what comes is added to FILE, for
// update_manifest.py. The compiled gradients of a sample of cases are compared,
// with ACCEL_CONFORMANCE_COMPILED=all or a FILE those of all.
#include "test/onnx/ForwardRun.h"
#include "test/onnx/GradientRun.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <unistd.h>

namespace accel::test {
namespace {

std::string describe(const Outcome &outcome) {
  switch (outcome.kind) {
  case Outcome::Kind::Pass:
    return "pass" +
           (outcome.bound.empty()
                ? ""
                : " with " + llvm::join(outcome.bound, ", ") + " bound");
  case Outcome::Kind::Refused:
    return "refused " + outcome.code;
  case Outcome::Kind::NotTried:
    return "has " + outcome.code;
  case Outcome::Kind::Wrong:
    return "wrong";
  }
  return "";
}

/// By case and operator; lines `CASE OPERATOR: OUTCOME`.
const std::map<std::string, std::string> &getManifest() {
  static const auto manifest = [] {
    std::map<std::string, std::string> entries;
    std::ifstream file(ACCEL_ONNX_MANIFEST);
    for (std::string line; std::getline(file, line);) {
      size_t colon = line.find(": ");
      if (colon != std::string::npos && line[0] != '#') {
        entries[line.substr(0, colon)] = line.substr(colon + 2);
      }
    }
    return entries;
  }();
  return manifest;
}

/// The operator of a case, or of that which it is the expansion of.
std::string findOperator(const Case &subject) {
  size_t expanded = subject.name.find("_expanded");
  if (expanded == std::string::npos) {
    return subject.getOperator();
  }
  auto base = readCase(ACCEL_ONNX_CASES, subject.name.substr(0, expanded));
  if (!base) {
    llvm::consumeError(base.takeError());
    return subject.getOperator();
  }
  return base->getOperator();
}

/// `node/test_abs Abs`; of a model that is no test of an operator `-`.
std::string getKey(const Case &subject) {
  std::string name = findOperator(subject);
  return subject.name + " " + (name.empty() ? "-" : name);
}

/// Whole networks for images take the interpreter minutes, for each number.
bool isNetwork(const Case &subject) {
  return llvm::StringRef(subject.name).starts_with("light/");
}

/// Whether compiled gradients of the case `key` are compared. Of each operator
/// those of some cases are: to compile all takes as long as all else here.
bool isCompiled(const std::string &key) {
  if (std::getenv("ACCEL_CONFORMANCE_OUT") ||
      std::getenv("ACCEL_CONFORMANCE_COMPILED")) {
    return true;
  }
  constexpr int kFirst = 2, kEvery = 8;
  std::string name = key.substr(key.find(' '));
  int position = 0;
  for (const auto &[other, text] : getManifest()) {
    if (other == key) {
      break;
    }
    position += llvm::StringRef(other).ends_with(name) &&
                llvm::StringRef(text).contains("; gradient");
  }
  return position < kFirst || position % kEvery == 0;
}

class Conformance : public testing::TestWithParam<std::string> {
protected:
  static void SetUpTestSuite() {
    auto pattern =
        (std::filesystem::temp_directory_path() / "conformance-XXXXXX")
            .string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    forward = new ForwardRun(folder);
    compiled = new CompiledGradient(folder);
  }

  static void TearDownTestSuite() {
    delete compiled;
    delete forward;
    std::filesystem::remove_all(folder);
  }

  static std::string folder;
  static ForwardRun *forward;
  static CompiledGradient *compiled;
};

std::string Conformance::folder;
ForwardRun *Conformance::forward = nullptr;
CompiledGradient *Conformance::compiled = nullptr;

TEST_P(Conformance, IsAsTheManifestSays) {
  auto subject = readCase(ACCEL_ONNX_CASES, GetParam());
  ASSERT_TRUE(bool(subject)) << llvm::toString(subject.takeError());
  Outcome outcome = forward->run(*subject, findOperator(*subject));
  std::string text = describe(outcome);
  if (outcome.kind == Outcome::Kind::Pass) {
    GradientOutcome gradient =
        isNetwork(*subject)
            ? GradientOutcome{true, "gradient not tried", ""}
            : checkGradient(*subject, outcome.bound,
                            isCompiled(getKey(*subject)) ? compiled : nullptr);
    text += "; " + gradient.text;
    outcome.detail = gradient.detail;
    if (!gradient.isRight) {
      outcome.kind = Outcome::Kind::Wrong;
      text = "wrong";
    }
  }
  if (const char *path = std::getenv("ACCEL_CONFORMANCE_OUT")) {
    std::ofstream(path, std::ios::app)
        << getKey(*subject) << ": " << text << " | " << outcome.detail << "\n";
    return;
  }
  EXPECT_NE(outcome.kind, Outcome::Kind::Wrong) << outcome.detail;
  auto known = getManifest().find(getKey(*subject));
  ASSERT_NE(known, getManifest().end());
  EXPECT_EQ(text, known->second) << outcome.detail;
}

INSTANTIATE_TEST_SUITE_P(Onnx, Conformance,
                         testing::ValuesIn(listCases(ACCEL_ONNX_CASES)),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return !isalnum(c); }, '_');
                           return name;
                         });

TEST(ConformanceManifest, ListsTheCasesThatThereAre) {
  if (std::getenv("ACCEL_CONFORMANCE_OUT")) {
    return;
  }
  std::vector<std::string> names;
  for (const auto &[name, text] : getManifest()) {
    names.push_back(name.substr(0, name.find(' ')));
  }
  EXPECT_EQ(names, listCases(ACCEL_ONNX_CASES));
}

} // namespace
} // namespace accel::test
