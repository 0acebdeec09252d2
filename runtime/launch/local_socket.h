// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sockets between processes of one user on one host, with names that vanish
// with their last holder (abstract unix sockets). They carry whole frames and
// descriptors, and never block: who waits does so with WaitUntil.
#ifndef ACCEL_RUNTIME_LAUNCH_LOCAL_SOCKET_H_
#define ACCEL_RUNTIME_LAUNCH_LOCAL_SOCKET_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/io/shared_memory.h"

namespace accel::runtime {

class LocalSocket {
 public:
  struct Message {
    std::string bytes;
    std::vector<FileDescriptor> descriptors;
  };

  // AlreadyExists if somebody has the name.
  // Requires: at most 100 bytes.
  static absl::StatusOr<LocalSocket> Listen(absl::string_view name);
  // NotFound if nobody listens; try again.
  static absl::StatusOr<LocalSocket> Connect(absl::string_view name);

  LocalSocket() = default;

  // The next connection, if one is waiting.
  std::optional<LocalSocket> Accept();
  // The process at the other end when it connected or listened;
  // PermissionDenied if it belongs to another user.
  absl::StatusOr<pid_t> PeerPid() const;
  absl::Status Send(absl::string_view bytes, absl::Span<const int> descriptors);
  // The next frame, if one is there; Unavailable: the other end is closed;
  // InvalidArgument: longer than kMaxFrameBytes.
  absl::StatusOr<std::optional<Message>> Receive();

  // Readable when Accept or Receive has something; -1: none.
  int descriptor() const { return socket_.get(); }

 private:
  explicit LocalSocket(FileDescriptor socket) : socket_(std::move(socket)) {}

  FileDescriptor socket_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_LAUNCH_LOCAL_SOCKET_H_
