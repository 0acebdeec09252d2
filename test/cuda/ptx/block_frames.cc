// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registers, parameters and local variables of a block's threads.
#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "test/cuda/ptx/block.h"
#include "test/cuda/ptx/hash.h"

namespace accel::ptx {
namespace {

constexpr size_t kDeepestCall = 256;
constexpr size_t kLocalAlignment = 256;

size_t WordsOf(size_t bytes) { return (bytes + 7) / 8; }

}  // namespace

void Block::PrepareImages(const GlobalSpace& global) {
  std::vector<const Function*> pending = {kernel_.code};
  while (!pending.empty()) {
    const Function* function = pending.back();
    pending.pop_back();
    if (!images_.try_emplace(function).second) {
      continue;
    }
    images_[function] = ImageOf(*function, global);
    for (uint32_t callee : function->callees) {
      pending.push_back(program().functions[callee].get());
    }
  }
}

std::vector<uint64_t> Block::ImageOf(const Function& function,
                                     const GlobalSpace& global) const {
  std::vector<uint64_t> image = function.image;
  for (size_t k = 0; k < image.size(); ++k) {
    if (function.undefined_bits[k] != 0) {
      image[k] = LowBits(Hash(options_.seed, k), function.undefined_bits[k]);
    }
  }
  for (const AddressUse& use : function.addresses) {
    switch (use.space) {
      case Space::kGlobal:
      case Space::kConst:
        image[use.slot] = global.AddressOf(use.variable) + use.offset;
        break;
      case Space::kShared:
        image[use.slot] = shared_.AddressOf(use.variable) + use.offset;
        break;
      case Space::kParam:
        image[use.slot] =
            kWindowBase + function.locals[use.variable].offset + use.offset;
        break;
      default:
        break;  // A local variable's address depends on the frame.
    }
  }
  return image;
}

uint64_t Block::ValueOf(const Thread& thread, Special special) const {
  const Dim3& block = launch_.block;
  const Dim3& grid = launch_.grid;
  const uint32_t bit = 1u << thread.laneid;
  const uint64_t values[] = {thread.tid.x,
                             thread.tid.y,
                             thread.tid.z,
                             block.x,
                             block.y,
                             block.z,
                             position_.x,
                             position_.y,
                             position_.z,
                             grid.x,
                             grid.y,
                             grid.z,
                             thread.laneid,
                             thread.warp,
                             (threads_.size() + 31) / kWarpSize,
                             bit,
                             bit | (bit - 1),
                             bit - 1,
                             ~(bit - 1),
                             ~(bit | (bit - 1)),
                             launch_.dynamic_shared_bytes};
  return values[static_cast<int>(special)] & 0xffffffff;
}

void Block::PushFrame(Thread& thread, const Function& function) {
  const std::vector<uint64_t>& image = images_.at(&function);
  Frame frame;
  frame.function = &function;
  frame.base = thread.stack.size();
  frame.local_base = thread.local.size();
  thread.stack.resize(frame.base + image.size() +
                      2 * WordsOf(function.parameter_bytes));
  std::copy(image.begin(), image.end(), thread.stack.begin() + frame.base);
  thread.frames.push_back(frame);
  EnterFrame(thread);
  for (const SpecialUse& use : function.specials) {
    thread.registers[use.slot] = ValueOf(thread, use.special);
  }
  PlaceVariables(thread, function, frame.local_base);
}

void Block::PlaceVariables(Thread& thread, const Function& function,
                           size_t local_base) {
  if (function.local_bytes > 0) {
    const size_t size = (function.local_bytes + kLocalAlignment) /
                        kLocalAlignment * kLocalAlignment;
    thread.local.resize(local_base + size);
    thread.local_state.resize(local_base);
    thread.local_state.resize(local_base + size, ByteState::kNoVariable);
  }
  for (const Variable& variable : function.locals) {
    if (variable.space == Space::kLocal) {
      std::fill_n(&thread.local_state[local_base + variable.offset],
                  variable.size_bytes, ByteState::kUnwritten);
    } else {
      std::memset(thread.params_written + variable.offset,
                  static_cast<int>(ByteState::kUnwritten), variable.size_bytes);
    }
  }
  for (const AddressUse& use : function.addresses) {
    if (use.space == Space::kLocal) {
      thread.registers[use.slot] = kWindowBase + local_base +
                                   function.locals[use.variable].offset +
                                   use.offset;
    }
  }
}

void Block::EnterFrame(Thread& thread) {
  const Frame& frame = thread.frames.back();
  const Function& function = *frame.function;
  thread.function = &function;
  thread.code = function.code.data();
  thread.registers = thread.stack.data() + frame.base;
  uint64_t* params = thread.registers + function.image.size();
  thread.params = reinterpret_cast<uint8_t*>(params);
  thread.params_written =
      reinterpret_cast<uint8_t*>(params + WordsOf(function.parameter_bytes));
}

void Block::StartThread(Thread& thread, uint32_t index) {
  thread.block = this;
  thread.index = index;
  thread.laneid = index % kWarpSize;
  thread.warp = index / kWarpSize;
  thread.tid = PositionOf(index, launch_.block);
  thread.state = State::kReady;
  thread.pc = 0;
  thread.time = 1;
  thread.seen = start_clock_;
  thread.frames.clear();
  thread.stack.clear();
  thread.local.clear();
  thread.local_state.clear();
  PushFrame(thread, *kernel_.code);
  for (size_t k = 0; k < launch_.arguments.size(); ++k) {
    const Parameter& parameter = kernel_.parameters[k];
    std::memcpy(thread.params + parameter.offset, launch_.arguments[k].data(),
                parameter.size_bytes);
    std::memset(thread.params_written + parameter.offset,
                static_cast<int>(ByteState::kWritten), parameter.size_bytes);
  }
}

// `list` of a call: the callers' offsets of the results, then of the arguments.
void Block::Call(Thread& thread, const Instruction& call) {
  if (thread.frames.size() >= kDeepestCall) {
    thread.Fault(absl::StrCat("more than ", kDeepestCall, " nested calls"));
    return;
  }
  const Function& callee = *program().functions[call.target];
  const uint32_t* offsets =
      &thread.function->lists[call.list] + callee.results.size();
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> written;
  for (size_t k = 0; k < callee.parameters.size(); ++k) {
    const uint32_t size = callee.parameters[k].size_bytes;
    bytes.insert(bytes.end(), thread.params + offsets[k],
                 thread.params + offsets[k] + size);
    written.insert(written.end(), thread.params_written + offsets[k],
                   thread.params_written + offsets[k] + size);
  }
  thread.frames.back().pc = thread.pc;
  PushFrame(thread, callee);
  thread.frames.back().call = &call;
  size_t at = 0;
  for (const Parameter& parameter : callee.parameters) {
    std::copy_n(&bytes[at], parameter.size_bytes,
                thread.params + parameter.offset);
    std::copy_n(&written[at], parameter.size_bytes,
                thread.params_written + parameter.offset);
    at += parameter.size_bytes;
  }
  thread.pc = 0;
}

void Block::Return(Thread& thread) {
  if (thread.frames.size() == 1) {
    Exit(thread);
    return;
  }
  const Frame callee = thread.frames.back();
  const uint8_t* params = thread.params;
  const uint8_t* written = thread.params_written;
  thread.frames.pop_back();
  EnterFrame(thread);
  const uint32_t* offsets = &thread.function->lists[callee.call->list];
  for (size_t k = 0; k < callee.function->results.size(); ++k) {
    const Parameter& result = callee.function->results[k];
    std::copy_n(params + result.offset, result.size_bytes,
                thread.params + offsets[k]);
    std::copy_n(written + result.offset, result.size_bytes,
                thread.params_written + offsets[k]);
  }
  thread.stack.resize(callee.base);
  thread.local.resize(callee.local_base);
  thread.local_state.resize(callee.local_base);
  thread.pc = thread.frames.back().pc;
}

}  // namespace accel::ptx
