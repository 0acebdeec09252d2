// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A convolution in one of its directions as a test writes it down, its
// descriptors, and the result that it should have: by loops in double over
// everything that an image, a filter and a response have in common.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_CONVOLUTION_CASE_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_CONVOLUTION_CASE_H_

#include "test/cuda/double/dnn/host_tensor.h"

namespace accel::cuda_double::dnn {

enum class Way { kForward, kData, kFilter };

constexpr int64_t kX = 1, kW = 2, kY = 3;  // the unique ids

struct Case {
  const char* name = "";
  Way way = Way::kForward;
  int type = kFloat;
  bool channels_last = false;
  int64_t batches = 2, groups = 1, channels = 8, filters = 8;  // of a group
  std::vector<int64_t> image = {7, 6};
  std::vector<int64_t> taps = {3, 3};
  std::vector<int64_t> strides = {1, 1};
  std::vector<int64_t> dilations = {1, 1};
  std::vector<int64_t> pre = {1, 1};
  std::vector<int64_t> post = {1, 1};
  int mode = kCrossCorrelation;
  double alpha = 1;
  double beta = 0;
  int64_t alignment = 16;

  std::vector<int64_t> response() const;  // its spatial dimensions
  Shape x() const;
  Shape w() const;
  Shape y() const;
};

// The numbers of image, filter and response, random ones.
struct Numbers {
  explicit Numbers(const Case& test, bool all_bits = false);

  const HostTensor& result(Way way) const;
  HostTensor x, w, y;
};

// What the output should be, and the sum of the magnitudes of its terms.
struct Expected {
  std::vector<double> values;
  std::vector<double> magnitudes;
};
Expected Reference(const Case& test, const Numbers& numbers);

struct TensorOptions {
  int64_t alignment = 16;
  bool is_virtual = false;
  bool is_by_value = false;
};

// Finalized.
std::unique_ptr<Object> MakeTensor(int64_t uid, const Shape& shape,
                                   const TensorOptions& options = {});
std::unique_ptr<Object> MakeConvolution(const Case& test);
std::unique_ptr<Object> MakeGraph(const std::vector<const Object*>& operations);
// Not finalized, but with all attributes.
std::unique_ptr<Object> MakeOperation(const Case& test,
                                      const Object& convolution,
                                      const Object& x, const Object& w,
                                      const Object& y);

// The descriptors of a case up to its graph, finalized.
class Graph {
 public:
  explicit Graph(const Case& test);

  const Object& graph() const { return *graph_; }
  // Configurations, the best first.
  Objects Find(int mode = kHeurA) const;
  // With an engine of one's own choice; null if the engine is refused.
  std::unique_ptr<Object> Configure(int64_t engine, Status* status);

 private:
  std::unique_ptr<Object> x_, w_, y_, convolution_, operation_, graph_;
  Objects engines_;  // what configurations refer to has to exist
};

// Finalized, or null.
std::unique_ptr<Object> MakePlan(const Object& configuration, Status* status);
// The engine of a configuration.
int64_t EngineOf(const Object& configuration);
std::vector<int> NotesOf(const Object& configuration);
bool HasNote(const Object& configuration, int note);

Status Pack(Object& pack, const std::vector<int64_t>& uids,
            const std::vector<void*>& pointers, void* workspace);

// Executes a plan of a case, whose unique ids are kX, kW and kY.
class CaseRun {
 public:
  CaseRun(const Case& test, const Numbers& numbers);

  // The output's bytes.
  Bytes Execute(const Object& plan);
  std::vector<double> Values(const Object& plan);
  void* pointer(int64_t uid) const { return buffers_[uid - 1]->at(); }
  DeviceBuffer& buffer(int64_t uid) { return *buffers_[uid - 1]; }
  int64_t output() const { return output_; }

 private:
  HostTensor result_;
  Bytes before_;
  int64_t output_;
  std::unique_ptr<DeviceBuffer> buffers_[3];
};

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_CONVOLUTION_CASE_H_
