// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/dnn/engines.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "test/cuda/double/driver/inspect.h"

namespace accel::cuda_double::dnn {
namespace {

constexpr unsigned kForwardOnly = 1, kDataOnly = 2, kFilterOnly = 4;
constexpr unsigned kBackwardOnly = kDataOnly | kFilterOnly;
constexpr unsigned kAllDirections = 7;
constexpr unsigned kF32 = 1, kF16 = 2, kBf16 = 4, kAllTypes = 7;

enum class Workspace {
  kNone,
  kTables,
  kCounters,
  kCopies,
  kHalves,
  kPartialSums,
  kSpectra
};
enum class Needs { kNothing, kPacked, kChannelsFirst, kChannelsLast };

// What is special about an engine.
constexpr unsigned kTensorCores = 1;
constexpr unsigned kDownConverts = 2;
constexpr unsigned kShortSums = 4;
constexpr unsigned kUnordered = 8;
constexpr unsigned kSpectral = 16;
constexpr unsigned kHasKnob = 32;  // for the pieces
constexpr unsigned kFuses = 64;    // and is compiled at run time

// What an engine is before it meets a problem.
struct Engine {
  unsigned directions;
  unsigned types;
  Needs layout;
  int64_t vector_bytes;  // of one load, which is aligned; 1: of an element
  Workspace workspace;
  int64_t chunk;
  int64_t pieces;
  double efficiency;
  unsigned traits;

  bool Is(unsigned trait) const { return (traits & trait) != 0; }
};

constexpr int64_t kMaxPieces = 8;

// The index in this table is the global index.
constexpr Engine kEngines[] = {
    // 0: computes everything, slowly.
    {kAllDirections, kAllTypes, Needs::kNothing, 1, Workspace::kNone, 16, 1,
     0.1, 0},
    // 1 and 2: implicit products, of NHWC and of copies of NCHW.
    {kAllDirections, kAllTypes, Needs::kChannelsLast, 16, Workspace::kNone, 32,
     1, 1, kTensorCores},
    {kAllDirections, kAllTypes, Needs::kChannelsFirst, 1, Workspace::kCopies,
     32, 1, 0.8, kTensorCores},
    // 3: an implicit product without tensor cores.
    {kAllDirections, kAllTypes, Needs::kPacked, 1, Workspace::kTables, 64, 1,
     0.4, 0},
    // 4: sums in pieces, which the workspace holds.
    {kBackwardOnly, kAllTypes, Needs::kPacked, 1, Workspace::kPartialSums, 32,
     4, 0.5, kHasKnob},
    // 5 and 6: sums in pieces by atomic additions. With three pieces another
    // order is another sum; with two it would not be.
    {kBackwardOnly, kAllTypes, Needs::kPacked, 1, Workspace::kNone, 32, 3, 0.6,
     kUnordered},
    {kBackwardOnly, kAllTypes, Needs::kPacked, 1, Workspace::kCounters, 16, 3,
     1.1, kTensorCores | kUnordered},
    // 7: f32 as bf16.
    {kAllDirections, kF32, Needs::kPacked, 1, Workspace::kHalves, 32, 1, 1.5,
     kTensorCores | kDownConverts},
    // 8: f16 with sums in f16.
    {kAllDirections, kF16, Needs::kPacked, 1, Workspace::kNone, 32, 1, 1.4,
     kTensorCores | kShortSums},
    // 9: compiled for a graph of operations.
    {kForwardOnly, kAllTypes, Needs::kChannelsLast, 16, Workspace::kNone, 64, 1,
     0.9, kTensorCores | kFuses},
    // 10: by Fourier transforms, with the largest workspace.
    {kForwardOnly | kDataOnly, kF32, Needs::kChannelsFirst, 1,
     Workspace::kSpectra, 1, 1, 0.7, kSpectral},
};

const Engine& EngineAt(int64_t index) { return kEngines[index]; }

unsigned MaskOf(Direction direction) {
  return direction == Direction::kForward        ? kForwardOnly
         : direction == Direction::kBackwardData ? kDataOnly
                                                 : kFilterOnly;
}

unsigned MaskOf(int type) {
  return type == kFloat ? kF32 : type == kHalf ? kF16 : kBf16;
}

// As documented, that variable keeps every library of NVIDIA's from TF32.
bool Tf32IsForbidden() {
  const char* value = std::getenv("NVIDIA_TF32_OVERRIDE");
  return value != nullptr && std::strcmp(value, "0") == 0;
}

bool LayoutFits(const ConvolutionOperation& operation, Needs needs) {
  const auto all = [&](Layout layout) {
    return HasLayout(operation.x, layout) && HasLayout(operation.w, layout) &&
           HasLayout(operation.y, layout);
  };
  switch (needs) {
    case Needs::kChannelsFirst:
      return all(Layout::kChannelsFirst);
    case Needs::kChannelsLast:
      return all(Layout::kChannelsLast);
    case Needs::kPacked:
      return all(Layout::kChannelsFirst) || all(Layout::kChannelsLast);
    default:
      return true;
  }
}

bool AlignmentFits(const ConvolutionOperation& operation, int64_t bytes) {
  const Geometry geometry = GeometryOf(operation);
  const auto fits = [&](const Tensor& tensor, int64_t channels) {
    return tensor.is_virtual ||
           (tensor.alignment % bytes == 0 &&
            channels * ElementBytes(tensor.type) % bytes == 0);
  };
  return bytes == 1 || (fits(operation.x, geometry.channels) &&
                        fits(operation.w, geometry.channels) &&
                        fits(operation.y, geometry.filters));
}

bool SpectraFit(const ConvolutionOperation& operation) {
  const auto ones = [](const std::vector<int64_t>& values) {
    return std::all_of(values.begin(), values.end(),
                       [](int64_t value) { return value == 1; });
  };
  const Convolution& convolution = operation.convolution;
  return convolution.spatial_dims == 2 && ones(convolution.strides) &&
         ones(convolution.dilations) && GeometryOf(operation).groups == 1;
}

bool HasCapability(const Engine& engine, int type) {
  return !engine.Is(kTensorCores) ||
         CurrentCapability() >= (type == kHalf ? 70 : 80);
}

int64_t Bytes(const Tensor& tensor) {
  return tensor.elements() * ElementBytes(tensor.type);
}

int64_t RoundUp(int64_t bytes, int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

double Multiplications(const ConvolutionOperation& operation) {
  const Geometry geometry = GeometryOf(operation);
  return double(operation.y.elements()) * double(geometry.channels) *
         double(geometry.taps[0] * geometry.taps[1] * geometry.taps[2]);
}

// The smaller the better. The neural network of mode B has other opinions.
double Estimate(const Problem& problem, int64_t index, int mode) {
  const Engine& engine = EngineAt(index);
  double estimate = Multiplications(problem.convolution) / engine.efficiency;
  if (engine.workspace != Workspace::kNone) {
    estimate += mode == kHeurB ? 0 : 1e4;
  }
  return estimate;
}

}  // namespace

int CurrentCapability() {
  int major = 0, minor = 0;
  return accel_double_current_capability(&major, &minor) == cuda::kSuccess
             ? 10 * major + minor
             : 0;
}

int64_t EngineCount() { return std::size(kEngines); }

Status CheckEngine(const Problem& problem, int64_t index, const char** reason) {
  const Engine& engine = EngineAt(index);
  const ConvolutionOperation& operation = problem.convolution;
  const auto no = [&](Status status, const char* text) {
    *reason = text;
    return status;
  };
  if ((engine.directions & MaskOf(operation.direction)) == 0 ||
      (!problem.epilogue.empty() && !engine.Is(kFuses))) {
    return no(kNotSupportedGraphPattern,
              "the engine does not compute such a graph");
  }
  if ((engine.types & MaskOf(operation.x.type)) == 0 ||
      (!engine.Is(kFuses) && operation.y.type != operation.x.type)) {
    return no(kNotSupportedDataType,
              "the engine does not compute with such types");
  }
  if (!LayoutFits(operation, engine.layout)) {
    return no(kNotSupportedLayout, "the engine has no such layout");
  }
  if (!AlignmentFits(operation, engine.vector_bytes)) {
    return no(kNotSupportedLayout,
              "the engine wants channels and pointers of 16 bytes");
  }
  const Convolution& convolution = operation.convolution;
  if (index != 0 && convolution.pre_paddings != convolution.post_paddings) {
    return no(kNotSupportedPadding,
              "the engine wants as much padding behind as before");
  }
  if (index != 0 && convolution.mode != kCrossCorrelation) {
    return no(kNotSupported, "the engine only correlates");
  }
  if (engine.Is(kSpectral) && !SpectraFit(operation)) {
    return no(kNotSupportedShape, "the engine wants one stride and dilation");
  }
  if (engine.Is(kFuses) && (operation.alpha != 1 || operation.beta != 0)) {
    return no(kNotSupported, "the engine wants an alpha of 1 and a beta of 0");
  }
  if (!HasCapability(engine, operation.x.type)) {
    return no(kNotSupportedArchMismatch, "the device has no such tensor cores");
  }
  return kSuccess;
}

Status CheckPlan(const EngineConfiguration& configuration,
                 const char** reason) {
  const Geometry geometry = GeometryOf(configuration.problem->convolution);
  if (EngineAt(configuration.index).workspace == Workspace::kCopies &&
      (geometry.channels % 4 != 0 || geometry.filters % 4 != 0)) {
    *reason = "the engine wants a multiple of 4 channels after all";
    return kNotSupportedShape;
  }
  return kSuccess;
}

std::vector<int> NumericalNotes(int64_t index) {
  const Engine& engine = EngineAt(index);
  std::vector<int> notes;
  const auto add = [&](bool has, int note) {
    if (has) {
      notes.push_back(note);
    }
  };
  add(engine.Is(kTensorCores), kNoteTensorCore);
  add(engine.Is(kDownConverts), kNoteDownConvertInputs);
  add(engine.Is(kShortSums), kNoteReducedPrecisionReduction);
  add(engine.Is(kSpectral), kNoteFft);
  add(engine.Is(kUnordered), kNoteNondeterministic);
  return notes;
}

std::vector<int> BehaviorNotes(int64_t index) {
  return EngineAt(index).Is(kFuses)
             ? std::vector<int>{kBehaviorRuntimeCompilation}
             : std::vector<int>();
}

std::vector<KnobRange> Knobs(int64_t index) {
  return EngineAt(index).Is(kHasKnob)
             ? std::vector<KnobRange>{{kKnobSplitKSlc, 2, kMaxPieces, 1}}
             : std::vector<KnobRange>();
}

EngineConfiguration DefaultConfiguration(std::shared_ptr<const Problem> problem,
                                         int64_t index) {
  const Engine& engine = EngineAt(index);
  return {std::move(problem), index, engine.Is(kHasKnob) ? engine.pieces : 0};
}

int64_t WorkspaceBytes(const EngineConfiguration& configuration) {
  const ConvolutionOperation& operation = configuration.problem->convolution;
  switch (EngineAt(configuration.index).workspace) {
    case Workspace::kNone:
      return 0;
    case Workspace::kTables:
      return int64_t{1} << 20;
    case Workspace::kCounters:
      return RoundUp(4 * operation.output().dims[0] + 4096, 1024);
    case Workspace::kCopies:
      return RoundUp(Bytes(operation.x), 256) +
             RoundUp(Bytes(operation.w), 256) +
             RoundUp(Bytes(operation.y), 256);
    case Workspace::kHalves:
      return RoundUp(Bytes(operation.x) / 2, 256) +
             RoundUp(Bytes(operation.w) / 2, 256) +
             RoundUp(Bytes(operation.y) / 2, 256);
    case Workspace::kPartialSums:
      return RoundUp(4 * configuration.pieces * operation.output().elements(),
                     256);
    case Workspace::kSpectra:
      return int64_t{32} << 20;
  }
  return 0;
}

Sums SumsOf(const EngineConfiguration& configuration) {
  const Engine& engine = EngineAt(configuration.index);
  Sums sums;
  sums.pieces = engine.Is(kHasKnob) ? configuration.pieces : engine.pieces;
  sums.chunk = engine.chunk;
  sums.is_unordered = engine.Is(kUnordered);
  sums.is_reduced = engine.Is(kShortSums);
  if (engine.Is(kDownConverts)) {
    sums.rounding = OperandRounding::kBfloat16;
  } else if (engine.Is(kTensorCores) && !Tf32IsForbidden()) {
    sums.rounding = OperandRounding::kTf32;  // of f32; f16 and bf16 have less
  }
  return sums;
}

std::vector<int64_t> RankEngines(const Problem& problem, int mode) {
  std::vector<int64_t> ranked;
  const char* reason = nullptr;
  for (int64_t index = 0; index < EngineCount(); ++index) {
    // As documented, a fallback computes rightly and promises no speed.
    const bool is_meant = mode != kHeurFallback || index == 0;
    if (is_meant && CheckEngine(problem, index, &reason) == kSuccess) {
      ranked.push_back(index);
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(), [&](int64_t a, int64_t b) {
    return Estimate(problem, a, mode) < Estimate(problem, b, mode);
  });
  return ranked;
}

}  // namespace accel::cuda_double::dnn
