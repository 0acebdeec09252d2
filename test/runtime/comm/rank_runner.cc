// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process per rank is forked while this one has a single thread; a pipe per
// rank brings its status back.
#include "test/runtime/comm/rank_runner.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/comm/shm_group.h"
#include "runtime/comm/thread_group.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::Communicator;
using runtime::CommunicatorOptions;
using runtime::FileDescriptor;

absl::Status RunThread(const runtime::ThreadGroup& group, uint32_t rank,
                       const RankBody& body) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   group.Join(rank));
  return body(*communicator);
}

absl::Status RunProcess(const FileDescriptor& memory, uint32_t rank,
                        uint32_t ranks, const RankBody& body,
                        const CommunicatorOptions& options) {
  ASSIGN_OR_RETURN(FileDescriptor own, memory.Duplicate());
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   runtime::JoinShmGroup(std::move(own), rank, ranks, options));
  return body(*communicator);
}

void Send(int pipe, const absl::Status& status) {
  std::string text(1, static_cast<char>('A' + static_cast<int>(status.code())));
  absl::StrAppend(&text, status.message());
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t wrote = write(pipe, text.data() + sent, text.size() - sent);
    if (wrote <= 0) {
      _exit(3);
    }
    sent += static_cast<size_t>(wrote);
  }
}

std::string ReceiveAll(int pipe) {
  std::string text;
  char block[1024];
  while (true) {
    const ssize_t got = read(pipe, block, sizeof block);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return text;
    }
    text.append(block, static_cast<size_t>(got));
  }
}

std::vector<absl::Status> RunThreads(uint32_t ranks, const RankBody& body,
                                     const CommunicatorOptions& options) {
  std::vector<absl::Status> results(ranks);
  auto group = runtime::ThreadGroup::Create(ranks, options);
  if (!group.ok()) {
    results.assign(ranks, group.status());
    return results;
  }
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back(
        [&, rank] { results[rank] = RunThread(*group, rank, body); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return results;
}

}  // namespace

std::string BackendName(const ::testing::TestParamInfo<Backend>& info) {
  return info.param == Backend::kThreads ? "Threads" : "Shm";
}

std::vector<absl::Status> RunRanks(Backend backend, uint32_t ranks,
                                   const RankBody& body,
                                   const CommunicatorOptions& options) {
  return backend == Backend::kThreads
             ? RunThreads(ranks, body, options)
             : RankProcesses(ranks, body, options).Wait();
}

RankProcesses::RankProcesses(uint32_t ranks, const RankBody& body,
                             const CommunicatorOptions& options) {
  auto memory = runtime::CreateShmGroup(ranks, options);
  EXPECT_THAT(memory, IsOk());
  for (uint32_t rank = 0; memory.ok() && rank < ranks; ++rank) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
      for (const Process& other : processes_) {
        close(other.pipe);
      }
      Send(ends[1], RunProcess(*memory, rank, ranks, body, options));
      _exit(0);
    }
    close(ends[1]);
    processes_.push_back({pid, ends[0]});
  }
}

void RankProcesses::Signal(uint32_t rank, int signal) const {
  EXPECT_EQ(kill(processes_[rank].pid, signal), 0);
}

std::vector<absl::Status> RankProcesses::Wait() {
  std::vector<absl::Status> results;
  for (const Process& process : processes_) {
    const std::string text = ReceiveAll(process.pipe);
    close(process.pipe);
    int status = 0;
    EXPECT_EQ(waitpid(process.pid, &status, 0), process.pid);
    if (text.empty()) {
      results.push_back(absl::UnknownError(
          WIFSIGNALED(status) ? absl::StrCat("signal ", WTERMSIG(status))
                              : absl::StrCat("status ", WEXITSTATUS(status))));
      continue;
    }
    results.emplace_back(static_cast<absl::StatusCode>(text[0] - 'A'),
                         text.substr(1));
  }
  processes_.clear();
  return results;
}

int64_t MonotonicNanoseconds() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

void SleepFor(std::chrono::nanoseconds duration) {
  std::this_thread::sleep_for(duration);
}

}  // namespace accel::testing
