// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/nccl/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace accel::cuda_double::nccl {
namespace {

using runtime::cuda::NcclUniqueId;

constexpr char kMagic[8] = {'a', 'c', 'c', 'e', 'l', '-', 'i', 'd'};
// The file is sparse: a contribution may have so many bytes, but takes only
// what is written.
constexpr uint64_t kContributionsBegin = uint64_t{1} << 20;
constexpr uint64_t kContributionBytes = uint64_t{1} << 36;
static_assert(sizeof(Header) <= kContributionsBegin);

struct Id {
  char magic[8];
  int process;
  int descriptor;
  uint64_t nonce;
};
static_assert(sizeof(Id) <= sizeof(NcclUniqueId));

// The descriptors that ids name, which nobody has forgotten yet.
struct Made {
  std::mutex lock;
  std::map<uint64_t, int> descriptors;

  ~Made() {
    for (const auto& [nonce, descriptor] : descriptors) {
      ::close(descriptor);
    }
  }
} made;

Header* Map(int descriptor) {
  void* memory = ::mmap(nullptr, sizeof(Header), PROT_READ | PROT_WRITE,
                        MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Header*>(memory);
}

off_t OffsetOf(int rank, uint64_t position, uint64_t offset) {
  const uint64_t number = static_cast<uint64_t>(rank) * 2 + position % 2;
  return static_cast<off_t>(kContributionsBegin + number * kContributionBytes +
                            offset);
}

constexpr char kFileName[] = "accel double of NCCL";

// A descriptor that was closed may be another file's by now.
bool IsSegment(const std::string& path) {
  char target[128] = {};
  return ::readlink(path.c_str(), target, sizeof(target) - 1) > 0 &&
         std::strstr(target, kFileName) != nullptr;
}

[[noreturn]] void Die(const char* what) {
  std::perror(what);
  std::abort();
}

}  // namespace

bool Segment::Create(NcclUniqueId* unique_id) {
  Id id = {};
  std::memcpy(id.magic, kMagic, sizeof(kMagic));
  id.process = ::getpid();
  id.descriptor = ::memfd_create(kFileName, MFD_CLOEXEC);
  if (id.descriptor < 0 ||
      ::getrandom(&id.nonce, sizeof(id.nonce), 0) != sizeof(id.nonce) ||
      ::ftruncate(id.descriptor, sizeof(Header)) != 0) {
    return false;
  }
  Header* header = Map(id.descriptor);
  if (header == nullptr) {
    return false;
  }
  header->nonce = id.nonce;
  ::munmap(header, sizeof(Header));
  {
    const std::lock_guard<std::mutex> guard(made.lock);
    made.descriptors[id.nonce] = id.descriptor;
  }
  *unique_id = NcclUniqueId{};
  std::memcpy(unique_id->bytes, &id, sizeof(id));
  return true;
}

std::shared_ptr<Segment> Segment::Open(const NcclUniqueId& unique_id) {
  Id id = {};
  std::memcpy(&id, unique_id.bytes, sizeof(id));
  if (std::memcmp(id.magic, kMagic, sizeof(kMagic)) != 0) {
    return nullptr;
  }
  const std::string path = "/proc/" + std::to_string(id.process) + "/fd/" +
                           std::to_string(id.descriptor);
  const int descriptor =
      IsSegment(path) ? ::open(path.c_str(), O_RDWR | O_CLOEXEC) : -1;
  Header* header = descriptor < 0 ? nullptr : Map(descriptor);
  if (header == nullptr || header->nonce != id.nonce) {
    if (header != nullptr) {
      ::munmap(header, sizeof(Header));
    }
    if (descriptor >= 0) {
      ::close(descriptor);
    }
    return nullptr;
  }
  return std::shared_ptr<Segment>(new Segment(descriptor, header));
}

Segment::~Segment() {
  ::munmap(header_, sizeof(Header));
  ::close(descriptor_);
}

void Segment::ForgetId() {
  const std::lock_guard<std::mutex> guard(made.lock);
  const auto found = made.descriptors.find(header_->nonce);
  if (found != made.descriptors.end()) {
    ::close(found->second);
    made.descriptors.erase(found);
  }
}

void Segment::Write(int rank, uint64_t position, uint64_t offset,
                    const void* from, size_t bytes) {
  if (offset + bytes > kContributionBytes) {
    Die("double of NCCL: a contribution has too many bytes");
  }
  for (size_t done = 0; done < bytes;) {
    const ssize_t n =
        ::pwrite(descriptor_, static_cast<const char*>(from) + done,
                 bytes - done, OffsetOf(rank, position, offset + done));
    if (n <= 0) {
      Die("double of NCCL: a contribution cannot be written");
    }
    done += static_cast<size_t>(n);
  }
}

void Segment::Read(int rank, uint64_t position, uint64_t offset, void* to,
                   size_t bytes) const {
  for (size_t done = 0; done < bytes;) {
    const ssize_t n =
        ::pread(descriptor_, static_cast<char*>(to) + done, bytes - done,
                OffsetOf(rank, position, offset + done));
    if (n <= 0) {
      Die("double of NCCL: a contribution cannot be read");
    }
    done += static_cast<size_t>(n);
  }
}

}  // namespace accel::cuda_double::nccl
