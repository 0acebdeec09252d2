// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/ptx/block.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/hash.h"

namespace accel::ptx {
namespace {

// A turn ends at the latest after so many instructions, so that a thread that
// polls memory lets the others write to it.
constexpr uint64_t kLongestTurn = 1 << 14;

}  // namespace

Block::Block(const Kernel& kernel, const Launch& launch, const Options& options,
             GlobalSpace& global)
    : kernel_(kernel),
      launch_(launch),
      options_(options),
      global_(global),
      shared_(*kernel.program, *kernel.code, launch.dynamic_shared_bytes),
      threads_(launch.block.Count()) {
  PrepareImages(global);
  start_clock_ = std::make_shared<const Clock>(threads_.size(), 0);
}

absl::Status Block::RunBlock(uint64_t number) {
  number_ = number;
  position_ = PositionOf(number, launch_.grid);
  alive_ = static_cast<uint32_t>(threads_.size());
  shared_.Reset();
  barriers_ = {};
  for (uint32_t index = 0; index < threads_.size(); ++index) {
    StartThread(threads_[index], index);
  }
  RunTurns();
  return status_;
}

void Block::RunTurns() {
  for (uint64_t pass = 0; alive_ > 0 && status_.ok(); ++pass) {
    const std::vector<Thread*> ready = ReadyThreads(pass);
    if (ready.empty()) {
      ReportHang();
      return;
    }
    for (Thread* thread : ready) {
      uint64_t turn = kLongestTurn;
      if (options_.seed != 0) {
        turn = 1 + Hash(options_.seed + pass, thread->index) % kLongestTurn;
      }
      instructions_ += RunTurn(*thread, turn);
      if (!status_.ok()) {
        return;
      }
      if (instructions_ > options_.instruction_limit) {
        Fault(*thread, thread->code[thread->pc == 0 ? 0 : thread->pc - 1],
              absl::StrCat("the launch executes more than ",
                           options_.instruction_limit, " instructions"));
        status_ = absl::DeadlineExceededError(status_.message());
        return;
      }
    }
  }
}

uint64_t Block::RunTurn(Thread& thread, uint64_t turn) {
  uint64_t done = 0;
  while (done < turn && thread.state == State::kReady) {
    const Instruction& instruction = thread.code[thread.pc++];
    ++done;
    if (instruction.guard != kNone &&
        !GetPredicate(thread, instruction.guard, instruction.guard_negated)) {
      continue;
    }
    instruction.execute(thread, instruction);
  }
  return done;
}

std::vector<Thread*> Block::ReadyThreads(uint64_t pass) {
  std::vector<Thread*> ready;
  for (Thread& thread : threads_) {
    if (thread.state == State::kReady) {
      ready.push_back(&thread);
    }
  }
  if (options_.seed != 0) {
    Permute(ready, Hash(options_.seed, Hash(number_, pass)));
  }
  return ready;
}

void Block::ReportHang() {
  const Thread* first = nullptr;
  uint32_t exited = 0;
  std::map<uint32_t, uint32_t> waiting;  // threads by line
  for (const Thread& thread : threads_) {
    if (thread.state == State::kExited) {
      ++exited;
      continue;
    }
    ++waiting[thread.wait->line];
    first = first == nullptr ? &thread : first;
  }
  std::string message = "hang: the threads wait for each other for ever:";
  for (const auto& [line, count] : waiting) {
    absl::StrAppend(&message, " ", count, " wait at line ", line, " '",
                    program().lines[line - 1], "',");
  }
  absl::StrAppend(&message, " ", exited, " have exited");
  Fault(*first, *first->wait, message);
}

uint8_t* Block::Access(Thread& thread, Space space, const Request& request) {
  // A width that is no power of two does not exist.
  if ((request.address & (request.bytes - 1)) != 0) {
    thread.Fault(absl::StrCat("misaligned access: ", request.bytes,
                              " bytes at 0x", absl::Hex(request.address),
                              " need an alignment of ", request.bytes));
    return nullptr;
  }
  Request inner = request;
  if (space == Space::kGeneric) {
    switch (request.address >> kWindowShift) {
      case kSharedWindow >> kWindowShift:
        space = Space::kShared;
        break;
      case kLocalWindow >> kWindowShift:
        space = Space::kLocal;
        break;
      case kParamWindow >> kWindowShift:
        space = Space::kParam;
        break;
      default:
        space = Space::kGlobal;
        break;
    }
    inner.address -= WindowOf(space);
  }
  switch (space) {
    case Space::kShared:
      return shared_.Access(thread, inner, static_cast<uint32_t>(number_ + 1));
    case Space::kLocal:
      return AccessLocal(thread, inner);
    case Space::kParam:
      return AccessParam(thread, inner);
    default:
      return global_.Access(thread, inner, static_cast<uint32_t>(number_ + 1),
                            space == Space::kConst);
  }
}

void Block::Fault(const Thread& thread, const Instruction& where,
                  absl::string_view message) {
  if (!status_.ok()) {
    return;
  }
  status_ = absl::FailedPreconditionError(absl::StrCat(
      "kernel '", kernel_.name, "', line ", where.line, " '",
      program().lines[where.line - 1], "', block ", ptx::NameOf(position_),
      ", thread ", ptx::NameOf(thread.tid), ": ", message));
}

std::string Block::NameOf(const Epoch& epoch) const {
  return absl::StrCat(
      "block ", ptx::NameOf(PositionOf(epoch.block - 1, launch_.grid)),
      ", thread ", ptx::NameOf(PositionOf(epoch.Index(), launch_.block)));
}

void Thread::Fault(absl::string_view message) {
  block->Fault(*this, code[pc - 1], message);
  state = State::kFaulty;
}

}  // namespace accel::ptx
