// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines for a file or a descriptor, written by a thread of their own: a disk
// that is full or does not answer, and a pipe that nobody reads, stop nobody
// who has something to say.
#ifndef ACCEL_RUNTIME_REPORT_LINE_WRITER_H_
#define ACCEL_RUNTIME_REPORT_LINE_WRITER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

struct LineWriterOptions {
  std::string what = {};  // for messages: "'run/metrics.jsonl'"
  // Of lines that wait to be written. Those that come beyond it are lost.
  size_t most_bytes = size_t{16} << 20;
  // After an error a write is tried again, later and later up to this.
  std::chrono::nanoseconds longest_pause = std::chrono::seconds(5);
  // So long a write may take before somebody is told.
  std::chrono::nanoseconds silence = std::chrono::seconds(5);
  // Close brings what was written to stable storage.
  bool durable = false;
  // Asked before each write; an error is one of the write.
  std::function<absl::Status()> check = nullptr;
  // Told of the first error of a write that goes on to be tried, or that a
  // write does not answer; again only after one that succeeded. Called on the
  // writer's thread, or on the one that appends.
  std::function<void(const absl::Status& status)> on_trouble = nullptr;
};

// Threads: everything may be called from any thread, Close by one.
class LineWriter {
 public:
  // ResourceExhausted if there can be no thread.
  static absl::StatusOr<std::unique_ptr<LineWriter>> Start(
      LineWriterOptions options);
  // Gives up what was not written.
  ~LineWriter();

  // Where lines go from now on. Once.
  void Open(std::unique_ptr<File> file);

  // One or more whole lines, which one write hands to the kernel if it takes
  // them. Never waits for a write.
  void Append(std::string lines);

  // For two writers whose lines one reader sees in the order in which they were
  // said: waits a moment until what was appended is written, and not at all
  // while it hangs.
  void Settle();

  // The waits below end when for `patience` no write gets on.
  //
  // Waits until what was appended is written, or until its write has failed
  // once more: that error.
  absl::Status Flush(std::chrono::nanoseconds patience);
  // And until it is on stable storage.
  absl::Status Sync(std::chrono::nanoseconds patience);
  // Flushes, syncs and closes. An error says how many lines are lost, and why;
  // they are also lost for who calls nothing. A line of which only a part was
  // written is taken back where that is possible. Nothing may be appended
  // afterwards.
  absl::Status Close(std::chrono::nanoseconds patience);

 private:
  struct State;

  explicit LineWriter(std::shared_ptr<State> state);
  absl::Status Await(std::chrono::nanoseconds patience,
                     absl::FunctionRef<bool()> ready);

  // The thread's, too: one that does not come back from a write lives longer
  // than the writer.
  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_REPORT_LINE_WRITER_H_
