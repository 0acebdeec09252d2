// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing and reading of frames.
#include "runtime/launch/hello.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "runtime/comm/group_region.h"

namespace accel::runtime {
namespace {

constexpr absl::string_view kMagic = "ACCELRDV";
constexpr uint32_t kHello = 1;
constexpr uint32_t kWelcome = 2;
constexpr uint32_t kRefusal = 3;
constexpr size_t kMaxVersion = 64;
constexpr size_t kMaxText = 4096;

void Append(std::string& bytes, uint32_t number) {
  // Both ends are this machine's, which is little-endian.
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("a frame of the rendezvous: ", what));
}

// Takes numbers from the front.
class Cursor {
 public:
  explicit Cursor(absl::string_view bytes) : rest_(bytes) {}

  bool Take(uint32_t& number) {
    if (rest_.size() < sizeof number) {
      return false;
    }
    std::memcpy(&number, rest_.data(), sizeof number);
    rest_.remove_prefix(sizeof number);
    return true;
  }
  absl::string_view rest() const { return rest_; }

 private:
  absl::string_view rest_;
};

absl::StatusOr<RendezvousFrame> DecodeHello(Cursor cursor) {
  Hello hello;
  if (!cursor.Take(hello.rank) || !cursor.Take(hello.ranks) ||
      cursor.rest().size() > kMaxVersion) {
    return Wrong("a hello of the wrong size");
  }
  if (hello.ranks < 1 || hello.ranks > GroupRegion::kMaxRanks ||
      hello.rank >= hello.ranks) {
    return Wrong(absl::StrCat("rank ", hello.rank, " of ", hello.ranks));
  }
  hello.version = std::string(cursor.rest());
  return hello;
}

absl::StatusOr<RendezvousFrame> DecodeWelcome(Cursor cursor) {
  Welcome welcome;
  if (cursor.rest().empty() || cursor.rest().size() % sizeof(uint32_t) != 0 ||
      cursor.rest().size() / sizeof(uint32_t) > GroupRegion::kMaxRanks) {
    return Wrong("a welcome of the wrong size");
  }
  uint32_t pid = 0;
  while (cursor.Take(pid)) {
    if (pid == 0 || pid > INT32_MAX) {
      return Wrong(absl::StrCat("process ", pid));
    }
    welcome.pids.push_back(pid);
  }
  return welcome;
}

}  // namespace

std::string EncodeFrame(const RendezvousFrame& frame) {
  std::string bytes(kMagic);
  Append(bytes, kRendezvousProtocol);
  if (const auto* hello = std::get_if<Hello>(&frame)) {
    Append(bytes, kHello);
    Append(bytes, hello->rank);
    Append(bytes, hello->ranks);
    bytes.append(hello->version, 0, kMaxVersion);
  } else if (const auto* welcome = std::get_if<Welcome>(&frame)) {
    Append(bytes, kWelcome);
    for (const uint32_t pid : welcome->pids) {
      Append(bytes, pid);
    }
  } else {
    Append(bytes, kRefusal);
    bytes.append(std::get<Refusal>(frame).text, 0, kMaxText);
  }
  return bytes;
}

absl::StatusOr<RendezvousFrame> DecodeFrame(absl::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    return Wrong("no magic");
  }
  Cursor cursor(bytes.substr(kMagic.size()));
  uint32_t protocol = 0;
  uint32_t kind = 0;
  if (!cursor.Take(protocol) || !cursor.Take(kind)) {
    return Wrong("too short");
  }
  if (protocol != kRendezvousProtocol) {
    return Wrong(absl::StrCat("expected protocol ", kRendezvousProtocol,
                              ", got ", protocol,
                              "; start all ranks with the same accel-run"));
  }
  switch (kind) {
    case kHello:
      return DecodeHello(cursor);
    case kWelcome:
      return DecodeWelcome(cursor);
    case kRefusal:
      if (cursor.rest().size() > kMaxText) {
        return Wrong("a refusal of the wrong size");
      }
      return Refusal{std::string(cursor.rest())};
    default:
      return Wrong(absl::StrCat("unknown kind ", kind));
  }
}

}  // namespace accel::runtime
