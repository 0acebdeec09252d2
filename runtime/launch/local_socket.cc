// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SOCK_SEQPACKET: connected, ordered, and one send is one receive.
#include "runtime/launch/local_socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/launch/hello.h"

namespace accel::runtime {
namespace {

constexpr size_t kMaxDescriptors = 4;
constexpr int kBacklog = 1024;

struct Address {
  struct sockaddr_un value = {};
  socklen_t size = 0;
  const struct sockaddr* get() const {
    return reinterpret_cast<const struct sockaddr*>(&value);
  }
};

Address AbstractAddress(absl::string_view name) {
  Address address;
  address.value.sun_family = AF_UNIX;
  // A first byte of zero makes it abstract: it lies in no folder.
  name.copy(address.value.sun_path + 1, sizeof address.value.sun_path - 1);
  address.size = static_cast<socklen_t>(offsetof(struct sockaddr_un, sun_path) +
                                        1 + name.size());
  return address;
}

absl::StatusOr<FileDescriptor> NewSocket() {
  FileDescriptor made(
      socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (made.get() < 0) {
    return ErrnoError(errno, "cannot make a socket");
  }
  return made;
}

// What came with a message; each is closed by its owner.
std::vector<FileDescriptor> TakeDescriptors(struct msghdr& header) {
  std::vector<FileDescriptor> taken;
  for (struct cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr;
       part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int),
                  sizeof descriptor);
      taken.emplace_back(descriptor);
    }
  }
  return taken;
}

}  // namespace

absl::StatusOr<LocalSocket> LocalSocket::Listen(absl::string_view name) {
  ASSIGN_OR_RETURN(FileDescriptor made, NewSocket());
  const Address address = AbstractAddress(name);
  if (bind(made.get(), address.get(), address.size) != 0) {
    if (errno == EADDRINUSE) {
      return absl::AlreadyExistsError(
          absl::StrCat("the name '", name, "' is in use"));
    }
    return ErrnoError(errno, absl::StrCat("cannot take the name '", name, "'"));
  }
  if (listen(made.get(), kBacklog) != 0) {
    return ErrnoError(errno, absl::StrCat("cannot listen at '", name, "'"));
  }
  return LocalSocket(std::move(made));
}

absl::StatusOr<LocalSocket> LocalSocket::Connect(absl::string_view name) {
  ASSIGN_OR_RETURN(FileDescriptor made, NewSocket());
  const Address address = AbstractAddress(name);
  if (connect(made.get(), address.get(), address.size) == 0) {
    return LocalSocket(std::move(made));
  }
  // EAGAIN: too many are waiting at this moment.
  if (errno == ECONNREFUSED || errno == EAGAIN || errno == EINTR) {
    return absl::NotFoundError(absl::StrCat("nobody listens at '", name, "'"));
  }
  return ErrnoError(errno, absl::StrCat("cannot connect to '", name, "'"));
}

std::optional<LocalSocket> LocalSocket::Accept() {
  FileDescriptor accepted(
      accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (accepted.get() < 0) {
    return std::nullopt;
  }
  return LocalSocket(std::move(accepted));
}

absl::StatusOr<pid_t> LocalSocket::PeerPid() const {
  struct ucred peer = {};
  socklen_t size = sizeof peer;
  if (getsockopt(socket_.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return ErrnoError(errno, "cannot tell who is at the other end");
  }
  if (peer.uid != getuid()) {
    return absl::PermissionDeniedError(
        absl::StrCat("expected a process of user ", getuid(), ", got process ",
                     peer.pid, " of user ", peer.uid));
  }
  return peer.pid;
}

absl::Status LocalSocket::Send(absl::string_view bytes,
                               absl::Span<const int> descriptors) {
  struct iovec part = {const_cast<char*>(bytes.data()), bytes.size()};
  struct msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(struct cmsghdr) char
      control[CMSG_SPACE(kMaxDescriptors * sizeof(int))] = {};
  if (!descriptors.empty()) {
    const size_t size = descriptors.size() * sizeof(int);
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(size);
    struct cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(rights), descriptors.data(), size);
  }
  // Frames are few and small, so the kernel's buffer has room.
  if (sendmsg(socket_.get(), &header, MSG_NOSIGNAL) < 0) {
    return ErrnoError(errno, "cannot send a frame of the rendezvous");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<LocalSocket::Message>> LocalSocket::Receive() {
  Message message;
  message.bytes.resize(kMaxFrameBytes);
  struct iovec part = {message.bytes.data(), message.bytes.size()};
  alignas(struct cmsghdr) char
      control[CMSG_SPACE(kMaxDescriptors * sizeof(int))] = {};
  struct msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t size = recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC);
  if (size < 0 && errno == ECONNRESET) {
    // The other end closed without reading; what it had sent is still there.
    size = recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC);
  }
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
    return std::nullopt;
  }
  if (size <= 0) {
    return absl::UnavailableError("the other end has closed the connection");
  }
  message.descriptors = TakeDescriptors(header);
  if ((header.msg_flags & MSG_TRUNC) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a frame of more than ", kMaxFrameBytes, " bytes"));
  }
  message.bytes.resize(static_cast<size_t>(size));
  return std::optional<Message>(std::move(message));
}

}  // namespace accel::runtime
