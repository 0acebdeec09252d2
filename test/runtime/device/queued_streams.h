// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The streams of QueuedDevice.
#ifndef ACCEL_TEST_RUNTIME_DEVICE_QUEUED_STREAMS_H_
#define ACCEL_TEST_RUNTIME_DEVICE_QUEUED_STREAMS_H_

#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/base/deadline.h"
#include "test/runtime/device/queued_device.h"

namespace accel::testing {

// Not derived from the CPU's: whoever takes it for that fails.
class QueuedMemory : public runtime::DeviceMemory {
 public:
  explicit QueuedMemory(std::unique_ptr<runtime::CpuMemory> memory)
      : memory_(std::move(memory)) {}
  absl::Status Write(const runtime::ByteRange& range,
                     absl::Span<const std::byte> src) override {
    return memory_->Write(range, src);
  }
  absl::Status Read(const runtime::ByteRange& range,
                    absl::Span<std::byte> dst) const override {
    return memory_->Read(range, dst);
  }
  absl::Span<std::byte> Bytes(const runtime::ByteRange& range) const {
    return absl::MakeSpan(memory_->At(range), range.size());
  }

 private:
  const std::unique_ptr<runtime::CpuMemory> memory_;
};

class QueuedStreams : public runtime::StreamGroup {
 public:
  QueuedStreams(const runtime::PlanView& plan, const runtime::CpuCode& code,
                QueuedMemory& memory, runtime::StreamClient& client,
                const runtime::StreamOptions& options,
                const QueuedDeviceOptions& device);
  ~QueuedStreams() override;

  runtime::Stream& stream(uint32_t index) override { return streams_[index]; }
  void Reset() override;
  absl::Status Synchronize(absl::FunctionRef<std::string()> owner) override;
  bool TellsDataWait() const override {
    return device_.is_out_of_work.has_value();
  }
  bool IsOutOfWork() const override {
    return device_.is_out_of_work.value_or(false);
  }

 private:
  // Carried out when its turn comes.
  struct Entry {
    std::function<absl::Status()> run;
    std::optional<uint32_t> records;
    std::optional<uint32_t> waits;
    uint64_t count = 0;
  };

  class QueuedStream : public runtime::Stream, private runtime::Operations {
   public:
    QueuedStream(QueuedStreams& group, uint32_t index)
        : group_(group), index_(index) {}
    absl::Status Enqueue(const runtime::Instance& instance) override;
    absl::Status Record(uint32_t event) override;
    absl::Status WaitFor(uint32_t event, uint64_t count,
                         const runtime::Instance& waiter) override;

   private:
    absl::Status Launch(const runtime::KernelLaunch& launch) override;
    absl::Status Fill(const runtime::ByteRange& destination,
                      absl::string_view pattern) override;
    absl::Status Copy(const runtime::ByteRange& source,
                      const runtime::ByteRange& destination) override;
    absl::Status Collective(const runtime::CollectiveCall& call,
                            const runtime::ByteRange& input,
                            const runtime::ByteRange& output) override;
    absl::Status Upload(const runtime::ByteRange& destination,
                        absl::FunctionRef<absl::Status(absl::Span<std::byte>)>
                            produce) override;
    absl::Status Download(const runtime::ByteRange& source,
                          absl::Span<std::byte> host) override;
    void ParallelFor(int64_t count,
                     absl::FunctionRef<void(int64_t)> task) override;

    // Queues what always succeeds.
    absl::Status Later(std::function<void()> run);

    QueuedStreams& group_;
    const uint32_t index_;
  };

  absl::Status Push(uint32_t stream, Entry entry);
  void Drain();
  bool IsReady(const std::deque<Entry>& queue) const;
  // A stream whose first entry may be carried out. Under the monitor.
  std::optional<size_t> Choose();

  const runtime::CpuCode& code_;
  QueuedMemory& memory_;
  runtime::StreamClient& client_;
  const runtime::StreamOptions options_;
  const QueuedDeviceOptions device_;
  std::vector<QueuedStream> streams_;

  runtime::Monitor control_;  // fails with the first error
  // All guarded by control_.
  std::vector<std::deque<Entry>> queues_;  // per stream; serial: one
  std::vector<uint64_t> counts_;           // per event
  bool synchronizing_ = false;
  bool busy_ = false;
  bool stop_ = false;
  uint64_t choices_ = 0;

  std::thread thread_;
};

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_DEVICE_QUEUED_STREAMS_H_
