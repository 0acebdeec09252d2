// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A system where only ACCEL_TEST_THREADS threads run at a time beside the
// first, for LD_PRELOAD.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace {

std::atomic<int> running{0};

int Limit() {
  const char* limit = std::getenv("ACCEL_TEST_THREADS");
  return limit == nullptr ? 0 : std::atoi(limit);
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* traits,
                              void* (*run)(void*), void* argument) {
  using Create =
      int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create =
      reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (++running > Limit()) {
    --running;
    return EAGAIN;
  }
  return create(thread, traits, run, argument);
}

extern "C" int pthread_join(pthread_t thread, void** result) {
  using Join = int (*)(pthread_t, void**);
  static const auto join =
      reinterpret_cast<Join>(dlsym(RTLD_NEXT, "pthread_join"));
  const int status = join(thread, result);
  running -= status == 0 ? 1 : 0;
  return status;
}
