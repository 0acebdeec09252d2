// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads take one chunk after the other.
#include "runtime/plan/container/hashed_chunk.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/sha256.h"
#include "runtime/base/start_thread.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/container/container_format.h"

namespace accel::runtime {
namespace {

bool DigestMatches(const planpb::Section& section, uint64_t chunk,
                   const Sha256Digest& digest) {
  return std::memcmp(section.chunk_digests().data() + chunk * digest.size(),
                     digest.data(), digest.size()) == 0;
}

// Runs `work` on this thread and on as many others as `bytes` are worth.
void RunOnAllCores(uint64_t bytes, const std::function<void()>& work) {
  // A thread is worth its start from some full chunks on.
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const size_t useful = bytes / (4 * kChunkSize);
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min(cores, useful); ++i) {
    // One less takes longer and finds the same.
    auto helper = StartThread("a thread that hashes the plan", work);
    if (!helper.ok()) {
      break;
    }
    helpers.push_back(*std::move(helper));
  }
  work();
  for (std::thread& helper : helpers) {
    helper.join();
  }
}

}  // namespace

uint64_t BytesOfChunk(const planpb::Section& section, uint64_t chunk) {
  return std::min(kChunkSize, section.size() - chunk * kChunkSize);
}

absl::Status ReadHashedChunk(File& file, const planpb::Section& section,
                             uint64_t chunk, absl::Span<std::byte> dst) {
  const uint64_t offset = section.offset() + chunk * kChunkSize;
  RETURN_IF_ERROR(file.ReadAt(offset, dst));
  if (!DigestMatches(section, chunk, Sha256::Of(dst))) {
    return absl::DataLossError(absl::StrCat(
        "section '", section.name(), "' is damaged: bytes [", offset, ", ",
        offset + dst.size(),
        ") of the file do not have the hash that the manifest names"));
  }
  return absl::OkStatus();
}

absl::Status VerifyChunks(File& file,
                          const std::vector<const planpb::Section*>& sections) {
  struct Chunk {
    const planpb::Section* section;
    uint64_t index;
  };
  std::vector<Chunk> chunks;
  uint64_t largest = 0;
  uint64_t all = 0;
  for (const planpb::Section* section : sections) {
    for (uint64_t i = 0; i < ChunkCount(section->size()); ++i) {
      chunks.push_back({section, i});
      largest = std::max(largest, BytesOfChunk(*section, i));
    }
    all += section->size();
  }
  std::vector<absl::Status> results(chunks.size());
  std::atomic<size_t> next = 0;
  RunOnAllCores(all, [&] {
    std::vector<std::byte> bytes(largest);
    for (size_t i = next++; i < chunks.size(); i = next++) {
      const Chunk& chunk = chunks[i];
      results[i] = ReadHashedChunk(file, *chunk.section, chunk.index,
                                   absl::MakeSpan(bytes).first(BytesOfChunk(
                                       *chunk.section, chunk.index)));
    }
  });
  for (const absl::Status& result : results) {
    RETURN_IF_ERROR(result);
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
