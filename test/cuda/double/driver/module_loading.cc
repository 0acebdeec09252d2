// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "test/cuda/double/driver/kernel_task.h"

// Of LeakSanitizer, where there is one.
extern "C" __attribute__((weak)) void __lsan_disable();
extern "C" __attribute__((weak)) void __lsan_enable();

namespace accel::cuda_double {
namespace {

using runtime::cuda::Result;

// What a driver's compiler understands: "PTX ISA version" of the release notes.
struct Release {
  int driver;
  int ptx;  // 10 * major + minor
};
constexpr Release kReleases[] = {
    {11000, 70}, {11010, 71}, {11020, 72}, {11030, 73}, {11040, 74},
    {11050, 75}, {11060, 76}, {11070, 77}, {11080, 78}, {12000, 80},
    {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84}, {12050, 85},
    {12070, 86}, {12080, 87}, {12090, 88}, {13000, 90}, {13010, 91},
};

int NewestPtx(int driver_version) {
  int newest = 0;
  for (const Release& release : kReleases) {
    if (release.driver <= driver_version) {
      newest = release.ptx;
    }
  }
  return newest;
}

// Removes white space and comments from the beginning.
absl::string_view SkipBlank(absl::string_view text) {
  while (true) {
    const size_t first = text.find_first_not_of(" \t\r\n");
    text.remove_prefix(std::min(first, text.size()));
    if (absl::StartsWith(text, "//")) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (absl::StartsWith(text, "/*")) {
      const size_t end = text.find("*/");
      text.remove_prefix(end == text.npos ? text.size() : end + 2);
    } else {
      return text;
    }
  }
}

// Takes a word that follows a directive: ".target sm_90, debug".
absl::string_view TakeWord(absl::string_view* text) {
  *text = SkipBlank(*text);
  const absl::string_view word =
      text->substr(0, text->find_first_of(" \t\r\n,;/"));
  text->remove_prefix(word.size());
  return word;
}

// sm_90 runs on 9.0 and newer, sm_90a on 9.0 alone, sm_100f on 10.x from 10.0.
bool RunsOn(const Capability& device, absl::string_view target) {
  if (!absl::ConsumePrefix(&target, "sm_")) {
    return false;
  }
  const bool exact = absl::ConsumeSuffix(&target, "a");
  const bool family = !exact && absl::ConsumeSuffix(&target, "f");
  int number = 0;
  if (!absl::SimpleAtoi(target, &number)) {
    return false;
  }
  const int have = 10 * device.major + device.minor;
  if (exact) {
    return number == have;
  }
  return number <= have && (!family || number / 10 == device.major);
}

// The interpreter has objects that live as long as the process. A program that
// unloads the double loses them, which is no leak of that program's.
absl::StatusOr<ptx::Module> Parse(absl::string_view text) {
  const bool has_sanitizer = __lsan_disable != nullptr;
  if (has_sanitizer) {
    __lsan_disable();
  }
  absl::StatusOr<ptx::Module> parsed = ptx::Module::Parse(text);
  if (has_sanitizer) {
    __lsan_enable();
  }
  return parsed;
}

Result CheckVersion(absl::string_view version, int driver_version,
                    std::string* error) {
  const std::vector<absl::string_view> parts = absl::StrSplit(version, '.');
  int major = 0;
  int minor = 0;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &major) ||
      !absl::SimpleAtoi(parts[1], &minor)) {
    *error = absl::StrCat("expected a version, got '", version, "'");
    return runtime::cuda::kErrorInvalidPtx;
  }
  const int newest = NewestPtx(driver_version);
  if (10 * major + minor > newest) {
    *error =
        absl::StrCat("Unsupported .version ", version, "; current version is '",
                     newest / 10, ".", newest % 10, "'");
    return runtime::cuda::kErrorUnsupportedPtxVersion;
  }
  return runtime::cuda::kSuccess;
}

}  // namespace

Result LoadModule(Device& device, int driver_version, const char* image,
                  LoadedModule* module, std::string* error) {
  const absl::string_view text(image);
  absl::string_view rest = SkipBlank(text);
  if (TakeWord(&rest) != ".version") {
    *error = "expected PTX, which begins with .version";
    return runtime::cuda::kErrorNoBinaryForGpu;
  }
  const Result version = CheckVersion(TakeWord(&rest), driver_version, error);
  if (version != runtime::cuda::kSuccess) {
    return version;
  }
  if (TakeWord(&rest) == ".target") {
    const absl::string_view target = TakeWord(&rest);
    if (!RunsOn(device.capability, target)) {
      *error =
          absl::StrCat("'", target, "' does not run on a device of ",
                       device.capability.major, ".", device.capability.minor);
      return runtime::cuda::kErrorNoBinaryForGpu;
    }
  }
  absl::StatusOr<ptx::Module> parsed = Parse(text);
  if (!parsed.ok()) {
    *error = std::string(parsed.status().message());
    return runtime::cuda::kErrorInvalidPtx;
  }
  module->device = &device;
  module->program = std::make_unique<ptx::Module>(*std::move(parsed));
  return runtime::cuda::kSuccess;
}

}  // namespace accel::cuda_double
