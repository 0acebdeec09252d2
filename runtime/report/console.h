// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one owner of a terminal: permanent lines and one live line below them
// share it without overwriting each other.
#ifndef ACCEL_RUNTIME_REPORT_CONSOLE_H_
#define ACCEL_RUNTIME_REPORT_CONSOLE_H_

#include <functional>
#include <mutex>
#include <string>

#include "absl/strings/string_view.h"
#include "runtime/base/logger.h"

namespace accel::runtime {

enum class ColorMode { kAuto, kAlways, kNever };

// What a stream is. `width` is asked for at every redraw, as windows change.
struct TerminalTraits {
  bool is_terminal = false;
  bool color = false;
  std::function<int()> width;  // columns; absent or <= 0: 80

  // Of a file descriptor of this process. kAuto honours NO_COLOR and
  // CLICOLOR_FORCE (both count when set and not empty), then TERM and the kind
  // of stream.
  static TerminalTraits OfDescriptor(int fd, ColorMode mode);
};

// Whether to colour, given what the environment says (null: variable not set).
bool DecideColor(ColorMode mode, bool is_terminal, const char* no_color,
                 const char* clicolor_force, const char* term);

// Threads: everything may be called from any thread.
class Console {
 public:
  using Write = std::function<void(absl::string_view bytes)>;

  Console(TerminalTraits traits, Write write);
  // Writes to the descriptor.
  static Write ToDescriptor(int fd);
  // Ends the live line, leaving it on the screen.
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  bool is_terminal() const { return traits_.is_terminal; }
  bool color() const { return traits_.color; }
  int Width() const;

  // A line that stays; on a terminal one that is too long for it breaks between
  // words. The live line, if any, moves below it.
  void PrintLine(absl::string_view text);
  // Replaces the live line.
  // Requires: `line` takes fewer than Width() columns.
  void SetLive(absl::string_view line);
  // Turns the live line into one that stays.
  void FinishLive();

  // PrintLine as a sink for a Logger whose messages go to the same terminal.
  LineSink Sink();

 private:
  TerminalTraits traits_;
  Write write_;
  std::mutex mutex_;
  std::string live_;  // guarded by mutex_
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_REPORT_CONSOLE_H_
