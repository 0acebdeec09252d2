// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values for the arguments and inputs of a function that is run without data.
#include "dialects/Accel/Interpreter/RandomArguments.h"

#include "dialects/Accel/Interpreter/InputRanges.h"
#include "dialects/Accel/Interpreter/Philox.h"
#include "dialects/Accel/Interpreter/RandomNormal.h"

#include <cmath>
#include <string>
#include <vector>

using namespace mlir;

namespace accel {
namespace {

constexpr double kDefaultHighest = 7.0;

struct Range {
  double lowest, highest;
};

std::optional<double> getNumber(Attribute attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    return static_cast<double>(integer.getInt());
  }
  auto number = dyn_cast<FloatAttr>(attribute);
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

/// No value if there is no range; failure if it makes no sense.
FailureOr<std::optional<Range>> getRange(Location location,
                                         DictionaryAttr attributes) {
  Attribute attribute =
      attributes ? attributes.get("accel.range") : Attribute();
  if (!attribute) {
    return std::optional<Range>();
  }
  auto array = dyn_cast<ArrayAttr>(attribute);
  if (array && array.size() == 2) {
    std::optional<double> lowest = getNumber(array[0]);
    std::optional<double> highest = getNumber(array[1]);
    if (lowest && highest && *lowest <= *highest) {
      return std::optional(Range{*lowest, *highest});
    }
  }
  return emitError(location) << "expected 'accel.range' to be [lowest, "
                                "highest] with lowest <= highest, got "
                             << attribute;
}

FailureOr<HostTensor> getGivenValue(Location location, RankedTensorType type,
                                    Attribute attribute) {
  auto elements = dyn_cast<ElementsAttr>(attribute);
  std::optional<HostTensor> value =
      elements ? HostTensor::fromAttribute(elements) : std::nullopt;
  if (!value || value->getType() != type) {
    return emitError(location)
           << "expected 'accel.value' to hold elements of type " << type
           << ", got " << attribute;
  }
  return *value;
}

/// The ranges of elements: `each[i]` belongs to index i of one dimension.
struct Ranges {
  std::vector<Range> each;
  int64_t run; ///< how many elements behind each other share an index

  const Range &at(int64_t element) const {
    return each[static_cast<size_t>(element / run) % each.size()];
  }
};

/// What `accel.ranges` says; without it, and for a place of which it says
/// nothing, `range`.
FailureOr<Ranges> getRanges(Location location, RankedTensorType type,
                            DictionaryAttr attributes, Range range) {
  Attribute given = attributes ? attributes.get("accel.ranges") : Attribute();
  if (!given) {
    return Ranges{{range}, 1};
  }
  std::optional<InputRanges> found =
      getInputRanges(attributes, type.getShape());
  if (!found || found->each.empty()) {
    return emitError(location)
           << "expected 'accel.ranges' to be [lowest, highest] or [] for each "
              "index of dimension 'accel.ranges_axis' of "
           << type << ", got " << given;
  }
  Ranges ranges{{}, getRowMajorStrides(type.getShape())[found->axis]};
  for (InputRange one : found->each) {
    ranges.each.push_back(one.isGiven() ? Range{static_cast<double>(one.first),
                                                static_cast<double>(one.last)}
                                        : range);
  }
  return ranges;
}

HostTensor makeUniform(RankedTensorType type, const Ranges &ranges,
                       int64_t seed, int64_t site) {
  HostTensor tensor(type);
  auto getAt = [&](int64_t element) {
    double unit = std::ldexp(
        getPhiloxBlock(seed, site, /*sample=*/0, element / 4)[element % 4],
        -32);
    const Range &range = ranges.at(element);
    double bound =
        tensor.isFloat() ? range.highest : std::floor(range.highest) + 1.0;
    return range.lowest + unit * (bound - range.lowest);
  };
  for (int64_t element = 0; element < tensor.getNumElements(); ++element) {
    if (tensor.isFloat()) {
      tensor.mutableFloats()[element] = getAt(element);
    } else {
      tensor.mutableIntegers()[element] =
          static_cast<int64_t>(std::floor(getAt(element)));
    }
  }
  return tensor;
}

} // namespace

uint32_t getSite(StringRef name) {
  uint32_t hash = 0x811C9DC5;
  for (unsigned char byte : name.bytes()) {
    hash = (hash ^ byte) * 0x01000193;
  }
  return hash;
}

FailureOr<HostTensor> makeValue(Location location, RankedTensorType type,
                                DictionaryAttr attributes, StringRef name,
                                int64_t seed) {
  if (!fitsHost(type)) {
    return emitError(location) << "expected a static shape of at most "
                               << kMaxHostElements << " elements, got " << type;
  }
  if (Attribute value =
          attributes ? attributes.get("accel.value") : Attribute()) {
    return getGivenValue(location, type, value);
  }
  FailureOr<std::optional<Range>> range = getRange(location, attributes);
  if (failed(range)) {
    return failure();
  }
  double highest = type.getElementType().isInteger(1) ? 1.0 : kDefaultHighest;
  FailureOr<Ranges> ranges = getRanges(location, type, attributes,
                                       range->value_or(Range{0.0, highest}));
  if (failed(ranges)) {
    return failure();
  }
  if (!*range && isa<FloatType>(type.getElementType())) {
    return makeRandomNormal(type, seed, getSite(name), /*mean=*/0.0,
                            /*deviation=*/1.0);
  }
  return makeUniform(type, *ranges, seed, getSite(name));
}

std::string getArgumentName(func::FuncOp function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, "accel.name");
  return name ? name.str() : "arg" + std::to_string(index);
}

FailureOr<llvm::SmallVector<HostTensor>> makeArguments(func::FuncOp function,
                                                       int64_t seed) {
  llvm::SmallVector<HostTensor> arguments;
  bool complete = true;
  for (auto [index, argumentType] :
       llvm::enumerate(function.getArgumentTypes())) {
    Location location = function.isExternal()
                            ? function.getLoc()
                            : function.getArgument(index).getLoc();
    auto type = dyn_cast<RankedTensorType>(argumentType);
    if (!type) {
      emitError(location) << "expected argument #" << index
                          << " to be a ranked tensor, got " << argumentType;
      complete = false;
      continue;
    }
    FailureOr<HostTensor> value =
        makeValue(location, type, function.getArgAttrDict(index),
                  getArgumentName(function, index), seed);
    complete &= succeeded(value);
    arguments.push_back(succeeded(value) ? *value : HostTensor());
  }
  if (!complete) {
    return failure();
  }
  return arguments;
}

} // namespace accel
