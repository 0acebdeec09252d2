// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue of lines and the thread that empties it. The thread alone touches the
// file, outside the lock, so that nobody waits for the lock while it writes.
#include "runtime/report/line_writer.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/deadline.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/start_thread.h"
#include "runtime/base/watchdog.h"

namespace accel::runtime {
namespace {

using Clock = Deadline::Clock;

constexpr std::chrono::nanoseconds kFirstPause = std::chrono::milliseconds(100);
// And so often a write may fail then, a first pause apart.
constexpr int kLastTries = 3;
constexpr std::chrono::milliseconds kMoment(200);
// Of who has not closed the writer.
constexpr std::chrono::seconds kLastPatience(1);
// The wait is repeated; nothing depends on its length.
constexpr std::chrono::nanoseconds kIdle = std::chrono::minutes(1);

int64_t CountLines(absl::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

// A reader that went away, or a descriptor that is no more: no later write
// will succeed.
bool IsForever(const absl::Status& status) {
  return absl::IsFailedPrecondition(status);
}

}  // namespace

struct LineWriter::State {
  explicit State(LineWriterOptions given) : options(std::move(given)) {}

  void Serve();
  // Waits for something to do. False: the end.
  bool AwaitWork();
  void WriteFront();
  absl::Status WritePiece();
  void NoteWritten();
  void NoteFailed(const absl::Status& status);
  void SyncFile();
  void Finish();
  void GiveUp();
  // Whether somebody is to be told now.
  bool IsNews() { return !std::exchange(told, true) && options.on_trouble; }

  const LineWriterOptions options;
  // Grows with each piece that is written.
  std::atomic<uint64_t> progress{0};
  std::unique_ptr<File> file;  // the thread's, once it is there
  size_t written = 0;          // of the first text; the thread's
  std::chrono::nanoseconds pause = kFirstPause;

  Monitor monitor;  // guards what follows
  bool opened = false;
  // The thread alone removes texts, and reads the first one without the lock.
  std::deque<std::string> queue;
  size_t queued_bytes = 0;
  std::optional<Clock::time_point> busy_since;  // with a write
  bool told = false;
  // `progress` when Settle has last waited in vain.
  std::optional<uint64_t> unsettled_at;
  absl::Status trouble;   // of the last write
  uint64_t failures = 0;  // of writes
  bool hurry = false;     // the pause after an error ends
  bool sync = false;      // is asked for
  absl::Status synced;
  bool closing = false;
  int last_tries = 0;      // that have failed since then
  bool abandoned = false;  // Close does not wait any more
  bool done = false;
  int64_t lost = 0;   // lines
  absl::Status loss;  // why
};

absl::StatusOr<std::unique_ptr<LineWriter>> LineWriter::Start(
    LineWriterOptions options) {
  auto state = std::make_shared<State>(std::move(options));
  std::unique_ptr<LineWriter> writer(new LineWriter(state));
  auto thread =
      StartThread(absl::StrCat("the thread that writes ", state->options.what),
                  [state] { state->Serve(); });
  if (!thread.ok()) {
    return thread.status();
  }
  writer->thread_ = *std::move(thread);
  return writer;
}

LineWriter::LineWriter(std::shared_ptr<State> state)
    : state_(std::move(state)) {}

LineWriter::~LineWriter() { Close(kLastPatience).IgnoreError(); }

void LineWriter::Open(std::unique_ptr<File> file) {
  state_->monitor.Update([&] {
    state_->file = std::move(file);
    state_->opened = true;
  });
}

void LineWriter::Append(std::string lines) {
  State& state = *state_;
  const size_t bytes = lines.size();
  bool slow = false;
  state.monitor.Update([&] {
    if (!state.loss.ok() && IsForever(state.loss)) {
      state.lost += CountLines(lines);
      return;
    }
    slow = state.busy_since &&
           Clock::now() - *state.busy_since > state.options.silence &&
           state.IsNews();
    if (state.queued_bytes + bytes > state.options.most_bytes) {
      state.lost += CountLines(lines);
      state.loss.Update(absl::ResourceExhaustedError(absl::StrCat(
          "more than ", FormatBytes(state.options.most_bytes), " wait for it",
          state.trouble.ok() ? "" : ": ", state.trouble.message())));
      return;
    }
    state.queued_bytes += bytes;
    state.queue.push_back(std::move(lines));
  });
  if (slow) {
    state.options.on_trouble(absl::DeadlineExceededError(
        absl::StrCat("writing to ", state.options.what, " has not ended for ",
                     FormatDuration(state.options.silence))));
  }
}

absl::Status LineWriter::Await(std::chrono::nanoseconds patience,
                               absl::FunctionRef<bool()> ready) {
  const Watchdog watchdog(patience, [this] { return state_->progress.load(); });
  return watchdog.Wait([&](const Deadline& deadline) {
    return WaitUntil(deadline, state_->options.what, state_->monitor, ready);
  });
}

void LineWriter::Settle() {
  State& state = *state_;
  const uint64_t progress = state.progress.load();
  bool hangs = false;
  state.monitor.Update(
      [&] { hangs = !state.trouble.ok() || state.unsettled_at == progress; });
  if (hangs) {
    return;
  }
  const absl::Status waited =
      WaitUntil(Deadline::After(kMoment), state.options.what, state.monitor,
                [&] { return state.queue.empty() || !state.trouble.ok(); });
  if (!waited.ok()) {
    state.monitor.Update([&] { state.unsettled_at = progress; });
  }
}

absl::Status LineWriter::Flush(std::chrono::nanoseconds patience) {
  State& state = *state_;
  uint64_t failures = 0;
  state.monitor.Update([&] {
    failures = state.failures;
    state.hurry = true;
  });
  absl::Status status;
  const absl::Status waited = Await(patience, [&] {
    status = state.failures != failures ? state.trouble : absl::OkStatus();
    return !status.ok() || state.queue.empty();
  });
  return waited.ok() ? status : waited;
}

absl::Status LineWriter::Sync(std::chrono::nanoseconds patience) {
  const absl::Status flushed = Flush(patience);
  if (!flushed.ok()) {
    return flushed;
  }
  State& state = *state_;
  state.monitor.Update([&] { state.sync = true; });
  const absl::Status waited = Await(patience, [&] { return !state.sync; });
  return waited.ok() ? state.synced : waited;
}

absl::Status LineWriter::Close(std::chrono::nanoseconds patience) {
  if (!thread_.joinable()) {
    return absl::OkStatus();
  }
  State& state = *state_;
  state.monitor.Update([&] {
    state.closing = true;
    state.hurry = true;
  });
  const absl::Status waited = Await(patience, [&] { return state.done; });
  if (waited.ok()) {
    thread_.join();
  } else {
    // It does not come back from a write, and would take us with it.
    thread_.detach();
  }
  absl::Status why;
  int64_t lost = 0;
  state.monitor.Update([&] {
    state.abandoned = !waited.ok();
    why = waited;
    why.Update(state.loss);
    why.Update(state.synced);
    lost = state.lost;
    for (const std::string& text : state.queue) {
      lost += CountLines(text);
    }
  });
  return Annotate(
      why, lost == 0
               ? state.options.what
               : absl::StrCat(state.options.what, ": ", lost,
                              lost == 1 ? " line is" : " lines are", " lost"));
}

void LineWriter::State::Serve() {
  while (AwaitWork()) {
    bool writes = false;
    monitor.Update([&] { writes = !queue.empty(); });
    if (writes) {
      WriteFront();
    } else {
      SyncFile();
    }
  }
  Finish();
}

bool LineWriter::State::AwaitWork() {
  bool work = false;
  bool end = false;
  while (!work && !end) {
    const bool pausing = !trouble.ok();
    const auto wait = pausing ? std::chrono::nanoseconds(pause) : kIdle;
    const auto ready = [&](bool retry) {
      const bool writes = opened && !queue.empty();
      work = !abandoned && ((writes && retry) || (opened && !writes && sync));
      end = abandoned || (closing && !writes && !work);
      return work || end;
    };
    WaitUntil(Deadline::After(wait), "lines to write", monitor, [&] {
      return ready(!pausing || hurry);
    }).IgnoreError();
    // The pause is over, or was ended.
    monitor.Update([&] { ready(true); });
  }
  return work;
}

void LineWriter::State::WriteFront() {
  monitor.Update([&] {
    busy_since = Clock::now();
    hurry = false;
  });
  const absl::Status status = WritePiece();
  if (status.ok()) {
    NoteWritten();
  } else {
    NoteFailed(status);
  }
}

absl::Status LineWriter::State::WritePiece() {
  const absl::Status there = options.check ? options.check() : absl::OkStatus();
  if (!there.ok()) {
    return there;
  }
  const absl::string_view rest =
      absl::string_view(queue.front()).substr(written);
  const absl::StatusOr<size_t> count = file->Write(absl::MakeConstSpan(
      reinterpret_cast<const std::byte*>(rest.data()), rest.size()));
  if (count.ok()) {
    written += *count;
    progress.fetch_add(1);
  }
  return count.status();
}

void LineWriter::State::NoteWritten() {
  pause = kFirstPause;
  monitor.Update([&] {
    busy_since.reset();
    trouble = absl::OkStatus();
    told = false;
    if (written == queue.front().size()) {
      queued_bytes -= written;
      written = 0;
      queue.pop_front();
    }
  });
}

void LineWriter::State::NoteFailed(const absl::Status& status) {
  bool tell = false;
  bool ends = false;
  monitor.Update([&] {
    pause = closing ? kFirstPause : std::min(2 * pause, options.longest_pause);
    busy_since.reset();
    trouble = status;
    ++failures;
    ends = IsForever(status) || (closing && ++last_tries == kLastTries);
    tell = !ends && IsNews();
  });
  if (ends) {
    GiveUp();
  } else if (tell) {
    options.on_trouble(status);
  }
}

void LineWriter::State::GiveUp() {
  // Where that is possible no reader sees half a line.
  if (written > 0) {
    const auto stat = file->Stat();
    if (stat.ok() && stat->is_regular && stat->size >= written) {
      file->Truncate(stat->size - written).IgnoreError();
    }
  }
  written = 0;
  monitor.Update([&] {
    for (const std::string& text : queue) {
      lost += CountLines(text);
    }
    queue.clear();
    queued_bytes = 0;
    loss.Update(trouble);
    trouble = absl::OkStatus();
  });
}

void LineWriter::State::SyncFile() {
  absl::Status status = options.check ? options.check() : absl::OkStatus();
  if (status.ok()) {
    status = file->Sync();
  }
  monitor.Update([&] {
    synced = status;
    sync = false;
  });
}

void LineWriter::State::Finish() {
  bool last = false;
  monitor.Update([&] { last = opened && options.durable && !abandoned; });
  absl::Status status;
  if (last) {
    SyncFile();
    status = file->Close();
  }
  monitor.Update([&] {
    synced.Update(status);
    done = true;
  });
}

}  // namespace accel::runtime
