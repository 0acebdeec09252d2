// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/dnn/terms.h"

namespace accel::cuda_double::dnn {
namespace {

constexpr int64_t kPitch = 8;

// A row of one result is not padded: a convolution of single channels has many.
int64_t PitchOf(int64_t length) {
  return length == 1 ? 1 : (length + kPitch - 1) / kPitch * kPitch;
}

}  // namespace

int64_t Volume(const Geometry::Space& space) {
  return space[0] * space[1] * space[2];
}

Geometry::Space PlaceOf(int64_t index, const Geometry::Space& space) {
  return {index / (space[1] * space[2]), index / space[2] % space[1],
          index % space[2]};
}

int64_t IndexOf(const Geometry::Space& place, const Geometry::Space& space) {
  return (place[0] * space[1] + place[1]) * space[2] + place[2];
}

Terms::Terms(const ConvolutionOperation& operation,
             const std::function<float(float)>& round,
             const std::function<std::byte*(const Tensor&)>& pointer)
    : direction_(operation.direction),
      flips_(operation.convolution.mode == kConvolutionMode),
      geometry_(GeometryOf(operation)),
      round_(round),
      operands_{} {
  const bool forward = direction_ == Direction::kForward;
  operands_.length = direction_ == Direction::kBackwardData ? geometry_.channels
                                                            : geometry_.filters;
  operands_.pitch = PitchOf(operands_.length);
  if (direction_ == Direction::kBackwardData) {
    PackElements(View(operation.y, pointer(operation.y)),
                 geometry_.groups * geometry_.filters, geometry_.response);
  } else {
    PackElements(View(operation.x, pointer(operation.x)),
                 geometry_.groups * geometry_.channels, geometry_.image);
  }
  if (forward || direction_ == Direction::kBackwardData) {
    PackFilter(View(operation.w, pointer(operation.w)));
  } else {
    PackResponse(View(operation.y, pointer(operation.y)));
  }
}

void Terms::PackElements(const View& view, int64_t channels,
                         const Geometry::Space& space) {
  operands_.elements.reserve(geometry_.batches * channels * Volume(space));
  for (int64_t n = 0; n < geometry_.batches; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t i = 0; i < Volume(space); ++i) {
        operands_.elements.push_back(
            round_(view.Load(n, c, PlaceOf(i, space))));
      }
    }
  }
}

// By group, then by the channel or the filter that is summed, then by tap.
void Terms::PackFilter(const View& view) {
  const int64_t taps = Volume(geometry_.taps);
  const bool forward = direction_ == Direction::kForward;
  const int64_t summed = forward ? geometry_.channels : geometry_.filters;
  operands_.rows.assign(geometry_.groups * summed * taps * operands_.pitch, 0);
  float* to = operands_.rows.data();
  for (int64_t g = 0; g < geometry_.groups; ++g) {
    for (int64_t s = 0; s < summed; ++s) {
      for (int64_t tap = 0; tap < taps; ++tap, to += operands_.pitch) {
        for (int64_t i = 0; i < operands_.length; ++i) {
          const int64_t filter = forward ? i : s;
          const int64_t channel = forward ? s : i;
          to[i] = round_(view.Load(g * geometry_.filters + filter, channel,
                                   PlaceOf(tap, geometry_.taps)));
        }
      }
    }
  }
}

// By group, then by sample, then by place.
void Terms::PackResponse(const View& view) {
  const int64_t places = Volume(geometry_.response);
  operands_.rows.assign(
      geometry_.groups * geometry_.batches * places * operands_.pitch, 0);
  float* to = operands_.rows.data();
  for (int64_t g = 0; g < geometry_.groups; ++g) {
    for (int64_t n = 0; n < geometry_.batches; ++n) {
      for (int64_t q = 0; q < places; ++q, to += operands_.pitch) {
        for (int64_t k = 0; k < operands_.length; ++k) {
          to[k] = round_(view.Load(n, g * geometry_.filters + k,
                                   PlaceOf(q, geometry_.response)));
        }
      }
    }
  }
}

// In the mode that is no correlation, the filter is turned around.
int64_t Terms::Stored(int64_t tap) const {
  return flips_ ? Volume(geometry_.taps) - 1 - tap : tap;
}

int64_t Terms::ImageAt(const Geometry::Space& response,
                       const Geometry::Space& tap) const {
  Geometry::Space image;
  for (int d = 0; d < 3; ++d) {
    image[d] = response[d] * geometry_.strides[d] - geometry_.paddings[d] +
               tap[d] * geometry_.dilations[d];
    if (image[d] < 0 || image[d] >= geometry_.image[d]) {
      return -1;
    }
  }
  return IndexOf(image, geometry_.image);
}

int64_t Terms::ResponseAt(const Geometry::Space& image,
                          const Geometry::Space& tap) const {
  Geometry::Space response;
  for (int d = 0; d < 3; ++d) {
    const int64_t from =
        image[d] + geometry_.paddings[d] - tap[d] * geometry_.dilations[d];
    response[d] = from / geometry_.strides[d];
    if (from < 0 || from % geometry_.strides[d] != 0 ||
        response[d] >= geometry_.response[d]) {
      return -1;
    }
  }
  return IndexOf(response, geometry_.response);
}

std::vector<Terms::Pair> Terms::PairsOf(const Geometry::Space& place) const {
  std::vector<Pair> pairs;
  for (int64_t tap = 0; tap < Volume(geometry_.taps); ++tap) {
    const Geometry::Space at = PlaceOf(tap, geometry_.taps);
    const int64_t other = direction_ == Direction::kForward
                              ? ImageAt(place, at)
                              : ResponseAt(place, at);
    if (other >= 0) {
      pairs.push_back({Stored(tap), other});
    }
  }
  return pairs;
}

std::vector<Row> Terms::Rows() const {
  const bool filter = direction_ == Direction::kBackwardFilter;
  const Geometry::Space& space = filter ? geometry_.taps
                                 : direction_ == Direction::kForward
                                     ? geometry_.response
                                     : geometry_.image;
  std::vector<Row> rows;
  for (int64_t n = 0; n < (filter ? 1 : geometry_.batches); ++n) {
    for (int64_t g = 0; g < geometry_.groups; ++g) {
      for (int64_t c = 0; c < (filter ? geometry_.channels : 1); ++c) {
        for (int64_t i = 0; i < Volume(space); ++i) {
          rows.push_back({n, g, c, PlaceOf(i, space)});
        }
      }
    }
  }
  return rows;
}

std::vector<Term> Terms::Of(const Row& row) const {
  std::vector<Term> terms;
  const int64_t taps = Volume(geometry_.taps);
  if (direction_ != Direction::kBackwardFilter) {
    const bool forward = direction_ == Direction::kForward;
    const int64_t summed = forward ? geometry_.channels : geometry_.filters;
    const int64_t volume =
        Volume(forward ? geometry_.image : geometry_.response);
    const std::vector<Pair> pairs = PairsOf(row.place);
    const int64_t channel = (row.n * geometry_.groups + row.group) * summed;
    terms.reserve(pairs.size() * static_cast<size_t>(summed));
    for (int64_t s = 0; s < summed; ++s) {
      for (const Pair& pair : pairs) {
        terms.push_back(
            {(channel + s) * volume + pair.place,
             ((row.group * summed + s) * taps + pair.tap) * operands_.pitch});
      }
    }
    return terms;
  }
  const Geometry::Space tap =
      PlaceOf(Stored(IndexOf(row.place, geometry_.taps)), geometry_.taps);
  const int64_t places = Volume(geometry_.response);
  for (int64_t n = 0; n < geometry_.batches; ++n) {
    const int64_t channel =
        (n * geometry_.groups + row.group) * geometry_.channels + row.channel;
    const int64_t sample = row.group * geometry_.batches + n;
    for (int64_t q = 0; q < places; ++q) {
      const int64_t image = ImageAt(PlaceOf(q, geometry_.response), tap);
      if (image >= 0) {
        terms.push_back({channel * Volume(geometry_.image) + image,
                         (sample * places + q) * operands_.pitch});
      }
    }
  }
  return terms;
}

int64_t Terms::SampleOf(const Row& row, int64_t i) const {
  return direction_ == Direction::kBackwardFilter
             ? row.group * geometry_.filters + i
             : row.n;
}

int64_t Terms::ChannelOf(const Row& row, int64_t i) const {
  return direction_ == Direction::kBackwardFilter
             ? row.channel
             : row.group * operands_.length + i;
}

}  // namespace accel::cuda_double::dnn
