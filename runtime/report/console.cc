// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terminal control: every change of the screen is one write, so that lines of
// several threads never mix.
#include "runtime/report/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/text_wrap.h"

namespace accel::runtime {
namespace {

constexpr absl::string_view kEraseLine = "\r\x1b[K";
constexpr int kDefaultWidth = 80;

bool IsSet(const char* variable) {
  return variable != nullptr && variable[0] != '\0';
}

int WidthOfDescriptor(int fd) {
  struct winsize size = {};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

bool DecideColor(ColorMode mode, bool is_terminal, const char* no_color,
                 const char* clicolor_force, const char* term) {
  if (mode != ColorMode::kAuto) {
    return mode == ColorMode::kAlways;
  }
  if (IsSet(no_color)) {
    return false;
  }
  if (IsSet(clicolor_force) && absl::string_view(clicolor_force) != "0") {
    return true;
  }
  return is_terminal && IsSet(term) && absl::string_view(term) != "dumb";
}

TerminalTraits TerminalTraits::OfDescriptor(int fd, ColorMode mode) {
  const char* term = std::getenv("TERM");
  TerminalTraits traits;
  // A dumb terminal cannot erase a line, so there it is plain lines.
  traits.is_terminal =
      ::isatty(fd) == 1 && IsSet(term) && absl::string_view(term) != "dumb";
  traits.color = DecideColor(mode, traits.is_terminal, std::getenv("NO_COLOR"),
                             std::getenv("CLICOLOR_FORCE"), term);
  traits.width = [fd] { return WidthOfDescriptor(fd); };
  return traits;
}

Console::Console(TerminalTraits traits, Write write)
    : traits_(std::move(traits)), write_(std::move(write)) {}

Console::Write Console::ToDescriptor(int fd) {
  return [fd](absl::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) {
        continue;
      }
      if (written <= 0) {
        // A reader that went away must not end the training.
        return;
      }
      bytes.remove_prefix(static_cast<size_t>(written));
    }
  };
}

Console::~Console() { FinishLive(); }

int Console::Width() const {
  const int width = traits_.width ? traits_.width() : 0;
  return width > 0 ? width : kDefaultWidth;
}

void Console::PrintLine(absl::string_view text) {
  const std::string line =
      is_terminal() ? WrapWords(text, Width()) : std::string(text);
  std::lock_guard<std::mutex> lock(mutex_);
  write_(live_.empty() ? absl::StrCat(line, "\n")
                       : absl::StrCat(kEraseLine, line, "\n", live_));
}

void Console::SetLive(absl::string_view line) {
  std::lock_guard<std::mutex> lock(mutex_);
  live_ = std::string(line);
  write_(absl::StrCat(kEraseLine, live_));
}

void Console::FinishLive() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!live_.empty()) {
    write_("\n");
    live_.clear();
  }
}

LineSink Console::Sink() {
  return [this](absl::string_view line) { PrintLine(line); };
}

}  // namespace accel::runtime
