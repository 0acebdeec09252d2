// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that wait at a gate until all of them are there.
#include "compiler/ThreadStart.h"

#include <pthread.h>

#include <mutex>
#include <vector>

namespace accel {

static void *passGate(void *gate) {
  std::lock_guard<std::mutex> lock(*static_cast<std::mutex *>(gate));
  return nullptr;
}

unsigned countStartableThreads(unsigned wanted) {
  std::mutex gate;
  std::vector<pthread_t> threads;
  {
    std::lock_guard<std::mutex> closed(gate);
    pthread_t thread{};
    while (threads.size() < wanted &&
           pthread_create(&thread, nullptr, passGate, &gate) == 0) {
      threads.push_back(thread);
    }
  }
  for (pthread_t thread : threads) {
    pthread_join(thread, nullptr);
  }
  return static_cast<unsigned>(threads.size());
}

void startThreads(llvm::ThreadPoolInterface &pool) {
  std::mutex gate;
  {
    std::lock_guard<std::mutex> closed(gate);
    for (unsigned i = 0; i < pool.getMaxConcurrency(); ++i) {
      pool.async([&gate] { passGate(&gate); });
    }
  }
  pool.wait();
}

} // namespace accel
