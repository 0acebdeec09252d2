// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels. The bound of an element is made of three parts: a few units in the
// last place, for the polynomials; what the oracle's result moves by when every
// operand is moved by half a unit in the last place and every operation is
// rounded to its type, for cancellation in this element; and the mean of that
// over all elements, because one sample may be lucky. A kernel that rounds to
// 16 bits may round what lies beside a tie to the other side: a unit in the
// last place of those, of the element or of the mean size of all.
#include "dialects/Accel/Interpreter/Interpreter.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/GroupedSizes.h"
#include "passes/Analysis/IterationDomain.h"
#include "runtime/device/cpu/thread_pool.h"
#include "test/compiler/OracleCheck.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

using namespace mlir;

namespace accel::test {
namespace {

constexpr double kUnits = 8.0;
constexpr double kNoiseFactor = 8.0;
/// What the oracle does in one operation, kernels of attention and of products
/// do in many roundings.
constexpr double kLongNoiseFactor = 32.0;

/// Floats of 16 bits are computed with in f32.
double getEpsilon(Type element) {
  return element.isF64() ? 0x1p-53 : isa<FloatType>(element) ? 0x1p-24 : 0.0;
}

/// A unit in the last place of 1 in the type of 16 bits that the kernel casts
/// to; 0: in none.
double getRoundingUnit(func::FuncOp kernel) {
  double unit = 0.0;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      Type element = getElementTypeOrSelf(type);
      unit = std::max(unit, element.isBF16()  ? 0x1p-7
                            : element.isF16() ? 0x1p-10
                                              : 0.0);
    }
  });
  return unit;
}

/// Half a unit in the last place of 1, in the kernel's narrowest float type.
double getCoarsestEpsilon(func::FuncOp kernel) {
  double epsilon = 0.0;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      epsilon = std::max(epsilon, getEpsilon(getElementTypeOrSelf(type)));
    }
  });
  return epsilon;
}

SmallVector<RankedTensorType> getTypes(func::FuncOp kernel) {
  SmallVector<RankedTensorType> types;
  for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(),
                                            kernel.getResultTypes())) {
    types.push_back(cast<RankedTensorType>(type));
  }
  return types;
}

HostTensor readPlace(const Place &place, RankedTensorType type) {
  GuardedBuffer buffer(type);
  memcpy(buffer.data(), place.data, place.bytes);
  return buffer.read();
}

/// What a thread passes to a kernel: operands, results, and memory of its own.
class Arguments {
public:
  Arguments(func::FuncOp kernel, std::vector<void *> places)
      : pointers(std::move(places)), workspace(makeWorkspace(kernel)) {
    if (workspace) {
      pointers.push_back(workspace->data());
    }
  }

  void *const *data() const { return pointers.data(); }

private:
  std::vector<void *> pointers;
  std::unique_ptr<GuardedBuffer> workspace;
};

/// Buffers of one run, each ending at a page that traps. `isAligned`: they
/// begin at multiples of what the plan's buffers begin at, up to a line of the
/// cache.
class Run {
public:
  Run(func::FuncOp kernel, const std::vector<Place> &places,
      bool isAligned = false)
      : kernel(kernel), places(places) {
    for (auto [i, type] : llvm::enumerate(getTypes(kernel))) {
      Place place = places[i];
      GuardedBuffer *shared = nullptr;
      if (!place.isRead) {
        shared = findOperand(i);
      }
      if (!shared) {
        auto address = reinterpret_cast<uintptr_t>(place.data);
        owned.push_back(std::make_unique<GuardedBuffer>(
            type, isAligned ? llvm::MinAlign(address, plan::kAlignment) : 1));
        shared = owned.back().get();
        if (place.isRead) {
          memcpy(shared->data(), place.data, place.bytes);
        }
      }
      buffers.push_back(shared);
    }
  }

  void run(KernelFunction function, int64_t tiles, int threads) {
    std::vector<void *> pointers;
    for (GuardedBuffer *buffer : buffers) {
      pointers.push_back(buffer->data());
    }
    std::vector<Arguments> all;
    for (int thread = 0; thread < threads; ++thread) {
      all.emplace_back(kernel, pointers);
    }
    runtime::ThreadPool pool = runtime::ThreadPool::Create(threads).value();
    pool.ParallelFor(0, tiles, 1, [&](int thread, int64_t begin, int64_t end) {
      FlushedSubnormals flush(kernel);
      function(all[thread].data(), begin, end);
    });
  }

  void run(const KernelCode::Ptx &code) {
    std::vector<PtxRange> ranges;
    for (auto [buffer, place] : llvm::zip_equal(buffers, places)) {
      ranges.push_back(
          {buffer->data(), place.bytes, place.isRead, place.isWritten});
    }
    absl::Status status = code.image->run(code.kernel, ranges, 0, code.tiles,
                                          code.threads, /*seed=*/1);
    EXPECT_TRUE(status.ok()) << code.name << ": " << status;
  }

  std::vector<std::string> bytes() const {
    std::vector<std::string> all;
    for (GuardedBuffer *buffer : buffers) {
      all.push_back(buffer->bytes());
    }
    return all;
  }

  void checkMemory() const {
    for (const auto &buffer : owned) {
      EXPECT_TRUE(buffer->isGuardIntact());
    }
    for (auto [i, place] : llvm::enumerate(places)) {
      if (!isOverwritten(i)) {
        EXPECT_EQ(memcmp(buffers[i]->data(), place.data, place.bytes), 0)
            << "operand " << i << " has changed";
      }
    }
  }

private:
  /// The operand where result `index` lies, if it lies on one.
  GuardedBuffer *findOperand(size_t index) const {
    for (size_t i = 0; i < index; ++i) {
      bool isSame = places[i].data == places[index].data;
      bool overlaps =
          places[i].data < places[index].data + places[index].bytes &&
          places[index].data < places[i].data + places[i].bytes;
      EXPECT_TRUE(!overlaps ||
                  (isSame && places[i].bytes == places[index].bytes))
          << "result " << index << " overlaps a part of operand " << i;
      if (isSame) {
        return buffers[i];
      }
    }
    return nullptr;
  }

  bool isOverwritten(size_t index) const {
    return llvm::any_of(places, [&](const Place &other) {
      return other.isWritten && other.data == places[index].data;
    });
  }

  func::FuncOp kernel;
  std::vector<Place> places;
  std::vector<std::unique_ptr<GuardedBuffer>> owned;
  std::vector<GuardedBuffer *> buffers;
};

/// The definition's results; what was in an accumulated one is added.
FailureOr<SmallVector<HostTensor>>
askOracle(func::FuncOp kernel, ArrayRef<HostTensor> inputs, bool round) {
  InterpreterOptions options;
  options.roundResults = round;
  Interpreter interpreter(kernel->getParentOfType<ModuleOp>(), options);
  unsigned operands = kernel.getNumArguments();
  auto results = interpreter.run(kernel, inputs.take_front(operands));
  if (failed(results)) {
    return failure();
  }
  for (auto [i, result] : llvm::enumerate(*results)) {
    const HostTensor &before = inputs[operands + i];
    if (!isKept(kernel, i, inputs)) {
      continue;
    }
    if (!result.isFloat()) {
      return failure();
    }
    for (auto [x, y] :
         llvm::zip_equal(result.mutableFloats(), before.floats())) {
      x += y;
    }
    result = round ? result.rounded() : result;
  }
  return results;
}

/// Every float away by `units` in the last place, up where `isUp`, or down.
SmallVector<HostTensor> disturb(ArrayRef<HostTensor> inputs, double units,
                                llvm::function_ref<bool(double)> isUp) {
  SmallVector<HostTensor> moved(inputs);
  for (HostTensor &input : moved) {
    if (!input || !input.isFloat()) {
      continue;
    }
    double step = 2.0 * units * getEpsilon(input.getElementType());
    for (double &value : input.mutableFloats()) {
      value *= isUp(value) ? 1.0 + step : 1.0 - step;
    }
  }
  return moved;
}

/// Once each float by itself, and once equal ones alike, to the next number:
/// a maximum stays one of the numbers that it was taken of.
std::vector<SmallVector<HostTensor>> disturb(ArrayRef<HostTensor> inputs) {
  std::mt19937 random(1);
  // Fibonacci hashing: the highest bit depends on all others.
  constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;
  auto alike = disturb(inputs, 1.0, [](double value) {
    return llvm::bit_cast<uint64_t>(value) * kGolden >> 63 != 0;
  });
  for (HostTensor &input : alike) {
    input = input && input.isFloat() ? input.rounded() : input;
  }
  return {disturb(inputs, 0.5, [&](double) { return (random() & 1) != 0; }),
          alike};
}

/// How far each element may be from the oracle's.
std::vector<double> getBounds(const HostTensor &expected,
                              ArrayRef<HostTensor> samples, double epsilon,
                              double noiseFactor, double roundingUnit) {
  int64_t count = expected.getNumElements();
  std::vector<double> bounds(count);
  double squares = 0.0, sizes = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    double noise = 0.0;
    for (const HostTensor &sample : samples) {
      double moved = std::fabs(sample.getAsDouble(i) - expected.getAsDouble(i));
      noise = std::isfinite(moved) ? std::max(noise, moved) : noise;
    }
    squares += noise * noise;
    double size = std::fabs(expected.getAsDouble(i));
    bounds[i] = noiseFactor * noise;
    size = std::isfinite(size) ? size : 0.0;
    bounds[i] += (kUnits * epsilon + roundingUnit) * size;
    sizes += size * size;
  }
  double rounding =
      roundingUnit * std::sqrt(sizes / static_cast<double>(count));
  double mean = std::sqrt(squares / static_cast<double>(count));
  for (double &bound : bounds) {
    bound += noiseFactor * mean + rounding;
  }
  return bounds;
}

/// Of so many 8-bit codes one may be that of the neighbour: what lies half way
/// between two numbers becomes either, and rounding moves it there.
constexpr int64_t kCodesPerNeighbour = 2000;

bool compareResult(size_t index, const HostTensor &actual,
                   const HostTensor &expected, ArrayRef<double> bounds) {
  int64_t neighbours = expected.getElementType().isInteger(8)
                           ? 1 + expected.getNumElements() / kCodesPerNeighbour
                           : 0;
  for (int64_t i = 0; i < expected.getNumElements(); ++i) {
    double a = actual.getAsDouble(i);
    double b = expected.getAsDouble(i);
    // NaN is wrong on either side: a training step has none but the poison.
    bool isNear = a == b || std::fabs(a - b) <= bounds[i] ||
                  (std::fabs(a - b) == 1.0 && neighbours-- > 0);
    if (!isNear) {
      ADD_FAILURE() << "result " << index << ", element " << i << ": expected "
                    << b << ", got " << a << ", " << std::fabs(a - b)
                    << " apart, bound " << bounds[i];
      return false;
    }
  }
  return true;
}

bool compareWithOracle(func::FuncOp kernel, ArrayRef<HostTensor> inputs,
                       const std::vector<Place> &places) {
  auto expected = askOracle(kernel, inputs, /*round=*/false);
  double epsilon = getCoarsestEpsilon(kernel);
  LoopKind kind = IterationDomain::get(kernel)->kind;
  bool isLong = kind == LoopKind::Attention || kind == LoopKind::Product;
  double noiseFactor = isLong ? kLongNoiseFactor : kNoiseFactor;
  std::vector<SmallVector<HostTensor>> disturbed;
  for (const SmallVector<HostTensor> &moved : disturb(inputs)) {
    auto sample = askOracle(kernel, moved, /*round=*/true);
    if (failed(expected) || failed(sample)) {
      ADD_FAILURE() << "the interpreter cannot run it";
      return false;
    }
    disturbed.push_back(*sample);
  }
  for (auto [i, result] : llvm::enumerate(*expected)) {
    SmallVector<HostTensor> samples;
    for (const SmallVector<HostTensor> &each : disturbed) {
      samples.push_back(each[i]);
    }
    HostTensor actual =
        readPlace(places[kernel.getNumArguments() + i], result.getType());
    if (!compareResult(i, actual, result,
                       getBounds(result, samples, epsilon, noiseFactor,
                                 getRoundingUnit(kernel)))) {
      return false;
    }
  }
  return true;
}

} // namespace

static void writeResults(const std::vector<Place> &places,
                         ArrayRef<std::string> bytes) {
  for (auto [place, result] : llvm::zip_equal(places, bytes)) {
    if (place.isWritten) {
      memcpy(place.data, result.data(), place.bytes);
    }
  }
}

static void expectSameBytes(ArrayRef<std::string> reference,
                            ArrayRef<std::string> bytes) {
  for (auto [place, pair] : llvm::enumerate(llvm::zip(reference, bytes))) {
    auto [expected, got] = pair;
    size_t at =
        std::mismatch(expected.begin(), expected.end(), got.begin(), got.end())
            .first -
        expected.begin();
    EXPECT_TRUE(expected == got)
        << "other bits than code for CPUs: place " << place << ", byte " << at
        << ": expected " << (expected[at] & 0xff) << ", got "
        << (got[at] & 0xff);
  }
}

/// What is added in another order has other bits, and is compared by itself.
static bool checkPtx(const KernelCode &kernel, ArrayRef<HostTensor> inputs,
                     const std::vector<Place> &places,
                     ArrayRef<std::string> reference) {
  Operation *grouped = findGrouped(kernel.definition);
  bool isSame =
      IterationDomain::get(kernel.definition)->kind != LoopKind::Attention &&
      !(grouped && GroupedSizes::get(grouped).isNarrow);
  for (const KernelCode::Ptx &code : kernel.ptx) {
    SCOPED_TRACE(code.name);
    Run run(kernel.definition, places, /*isAligned=*/true);
    run.run(code);
    run.checkMemory();
    std::vector<std::string> bytes = run.bytes();
    if (isSame) {
      expectSameBytes(reference, bytes);
      continue;
    }
    std::vector<std::string> results(bytes);
    std::vector<Place> own(places);
    for (auto [place, result] : llvm::zip_equal(own, results)) {
      place.data = result.data();
    }
    if (!compareWithOracle(kernel.definition, inputs, own)) {
      return false;
    }
  }
  return true;
}

void runLaunch(const KernelCode &kernel, const std::vector<Place> &places) {
  std::vector<void *> pointers;
  for (const Place &place : places) {
    pointers.push_back(place.data);
  }
  Arguments arguments(kernel.definition, pointers);
  const KernelCode::Variant &variant = kernel.variants.front();
  FlushedSubnormals flush(kernel.definition);
  variant.function(arguments.data(), 0, variant.tiles);
}

bool checkLaunch(const KernelCode &kernel, const std::vector<Place> &places) {
  SmallVector<HostTensor> inputs;
  for (auto [place, type] :
       llvm::zip_equal(places, getTypes(kernel.definition))) {
    inputs.push_back(place.isRead ? readPlace(place, type) : HostTensor());
  }
  std::vector<std::string> reference;
  for (const auto &[name, function, tiles] : kernel.variants) {
    for (int threads : {1, 2}) {
      Run run(kernel.definition, places);
      run.run(function, tiles, threads);
      run.checkMemory();
      if (reference.empty()) {
        reference = run.bytes();
      }
      EXPECT_TRUE(reference == run.bytes())
          << "other bits in " << name << " with " << threads << " threads";
    }
  }
  bool isGood = checkPtx(kernel, inputs, places, reference);
  writeResults(places, reference);
  return isGood && compareWithOracle(kernel.definition, inputs, places) &&
         !testing::Test::HasFailure();
}

} // namespace accel::test
