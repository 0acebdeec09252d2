// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded into a program, it is a system that refuses: the Nth thread of the
// process, or its Nth piece of memory of 64 KiB or more, and all after it.
//   ACCEL_TEST_REFUSE=thread:N|memory:N LD_PRELOAD=librefuse-nth.so PROGRAM ...
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace {

constexpr size_t kLarge = size_t{1} << 16;

// Whether one more of `kind` is refused.
bool IsRefused(const char* kind, std::atomic<long>& count) {
  const char* what = getenv("ACCEL_TEST_REFUSE");
  const size_t length = strlen(kind);
  if (what == nullptr || strncmp(what, kind, length) != 0 ||
      what[length] != ':') {
    return false;
  }
  return ++count >= atol(what + length + 1);
}

bool IsMemoryRefused(size_t size) {
  static std::atomic<long> count;
  return size >= kLarge && IsRefused("memory", count);
}

void* Refuse() {
  errno = ENOMEM;
  return nullptr;
}

}  // namespace

extern "C" {

// glibc's own, under the names that nobody replaces.
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                   void* (*body)(void*), void* argument) {
  static std::atomic<long> count;
  if (IsRefused("thread", count)) {
    return EAGAIN;
  }
  static const auto next = reinterpret_cast<decltype(&pthread_create)>(
      dlsym(RTLD_NEXT, "pthread_create"));
  return next(thread, attributes, body, argument);
}

void* mmap(void* at, size_t size, int protection, int flags, int file,
           off_t offset) {
  if ((flags & MAP_ANONYMOUS) != 0 && IsMemoryRefused(size)) {
    Refuse();
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, at, size, protection, flags, file, offset));
}

void* malloc(size_t size) {
  return IsMemoryRefused(size) ? Refuse() : __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  return IsMemoryRefused(count * size) ? Refuse() : __libc_calloc(count, size);
}

void* realloc(void* old, size_t size) {
  return IsMemoryRefused(size) ? Refuse() : __libc_realloc(old, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  return IsMemoryRefused(size) ? Refuse() : __libc_memalign(alignment, size);
}

int posix_memalign(void** result, size_t alignment, size_t size) {
  void* memory = aligned_alloc(alignment, size);
  if (memory == nullptr) {
    return ENOMEM;
  }
  *result = memory;
  return 0;
}

}  // extern "C"
