// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The three directions of a convolution as one: rows of results, each of which
// is a sum of terms, and a term is an element of one operand times a row of the
// other. A row of the forward direction is all filters of a group at one place
// of the response; of the gradient of the image, all channels at one place of
// the image; of the gradient of the filter, all filters at one channel and tap.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_TERMS_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_TERMS_H_

#include <functional>
#include <vector>

#include "test/cuda/double/dnn/view.h"

namespace accel::cuda_double::dnn {

struct Term {
  int64_t element;  // where the one operand's element is
  int64_t row;      // where the other's row begins
};

struct Row {
  int64_t n;  // the sample, or nothing of a filter
  int64_t group;
  int64_t channel;        // of the group, only of a filter
  Geometry::Space place;  // or the tap
};

// The operands as floats, in the order that the terms want.
struct Operands {
  std::vector<float> elements;
  std::vector<float> rows;
  int64_t length;  // of a row
  int64_t pitch;   // from one row to the next: padded with 0
};

class Terms {
 public:
  // `round` is applied to each element of an operand, and `pointer` gives where
  // a tensor is.
  Terms(const ConvolutionOperation& operation,
        const std::function<float(float)>& round,
        const std::function<std::byte*(const Tensor&)>& pointer);

  const Operands& operands() const { return operands_; }
  std::vector<Row> Rows() const;
  // In the order of their sum. Requires: a row of Rows.
  std::vector<Term> Of(const Row& row) const;
  // Where result `i` of a row is in the output.
  int64_t SampleOf(const Row& row, int64_t i) const;
  int64_t ChannelOf(const Row& row, int64_t i) const;

 private:
  struct Pair {
    int64_t tap;    // of the filter as it is stored
    int64_t place;  // in the image or in the response
  };

  void PackElements(const View& view, int64_t channels,
                    const Geometry::Space& space);
  void PackFilter(const View& view);
  void PackResponse(const View& view);
  int64_t Stored(int64_t tap) const;
  // The place of the image that a tap meets at a place of the response; -1 in
  // the padding.
  int64_t ImageAt(const Geometry::Space& response,
                  const Geometry::Space& tap) const;
  // The place of the response for which a tap meets a place of the image; -1 if
  // there is none.
  int64_t ResponseAt(const Geometry::Space& image,
                     const Geometry::Space& tap) const;
  std::vector<Pair> PairsOf(const Geometry::Space& place) const;

  Direction direction_;
  bool flips_;
  Geometry geometry_;
  std::function<float(float)> round_;
  Operands operands_;
};

// The element `index` of a space in the order of its last dimension first.
Geometry::Space PlaceOf(int64_t index, const Geometry::Space& space);
int64_t IndexOf(const Geometry::Space& place, const Geometry::Space& space);
int64_t Volume(const Geometry::Space& space);

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_TERMS_H_
