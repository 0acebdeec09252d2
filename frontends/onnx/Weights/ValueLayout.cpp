// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tries every layout and counts how many different ones fit.
#include "frontends/onnx/Weights/ValueLayout.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <numeric>

namespace accel::onnx {
namespace {

/// More dimensions than weights have; each one more multiplies what is tried.
constexpr size_t kMostDimensions = 6;

std::vector<int64_t> dropUnits(llvm::ArrayRef<int64_t> shape) {
  std::vector<int64_t> rest;
  llvm::copy_if(shape, std::back_inserter(rest),
                [](int64_t size) { return size != 1; });
  return rest;
}

/// Where the elements of a tensor of `shape` lie, in the order that they have
/// when its dimensions are permuted.
std::vector<size_t> listPlaces(llvm::ArrayRef<int64_t> shape,
                               llvm::ArrayRef<int64_t> permutation) {
  std::vector<size_t> places = {0};
  for (int64_t dim : permutation) {
    size_t stride = 1;
    for (int64_t size : shape.drop_front(dim + 1)) {
      stride *= static_cast<size_t>(size);
    }
    std::vector<size_t> finer;
    finer.reserve(places.size() * static_cast<size_t>(shape[dim]));
    for (size_t place : places) {
      for (int64_t i = 0; i < shape[dim]; ++i) {
        finer.push_back(place + static_cast<size_t>(i) * stride);
      }
    }
    places = std::move(finer);
  }
  return places;
}

bool fits(const TensorView &from, const TensorView &to,
          llvm::ArrayRef<size_t> places) {
  return llvm::all_of(llvm::enumerate(places), [&](const auto &each) {
    return from.bits[each.value()] == to.bits[each.index()];
  });
}

llvm::Error explainDifference(const TensorView &from, const TensorView &to,
                              bool permutes) {
  size_t number = 0, first = 0;
  for (size_t i = from.bits.size(); i > 0; --i) {
    if (from.bits[i - 1] != to.bits[i - 1]) {
      first = i - 1;
      ++number;
    }
  }
  std::string text =
      std::to_string(number) + " of " + std::to_string(from.bits.size()) +
      " elements have other bits, the first one, number " +
      std::to_string(first) + ", 0x" + llvm::utohexstr(to.bits[first]) +
      " in the model and 0x" + llvm::utohexstr(from.bits[first]) + " here";
  return llvm::createStringError(
      permutes ? text + ", and no permutation of dimensions changes that"
               : text);
}

/// Two permutations are one if they only move dimensions of size 1.
std::vector<int64_t> getMoved(llvm::ArrayRef<int64_t> permutation,
                              llvm::ArrayRef<int64_t> shape) {
  std::vector<int64_t> moved;
  llvm::copy_if(permutation, std::back_inserter(moved),
                [&](int64_t dim) { return shape[dim] != 1; });
  return moved;
}

} // namespace

llvm::Expected<std::vector<int64_t>>
findOrder(const TensorView &from, const TensorView &to, bool permutes) {
  if (from.bits.size() != to.bits.size()) {
    return llvm::createStringError(std::to_string(to.bits.size()) +
                                   " elements in the model and " +
                                   std::to_string(from.bits.size()) + " here");
  }
  std::vector<int64_t> permutation(from.shape.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  permutes &= permutation.size() <= kMostDimensions;
  std::vector<std::vector<int64_t>> found;
  std::vector<std::vector<int64_t>> seen;
  do {
    std::vector<int64_t> moved = getMoved(permutation, from.shape);
    if (llvm::is_contained(seen, moved)) {
      continue;
    }
    seen.push_back(moved);
    if (fits(from, to, listPlaces(from.shape, permutation))) {
      found.push_back(permutation);
    }
  } while (permutes &&
           std::next_permutation(permutation.begin(), permutation.end()));
  if (found.empty()) {
    return explainDifference(from, to, permutes);
  }
  if (found.size() > 1) {
    return llvm::createStringError(
        std::to_string(found.size()) +
        " permutations of its dimensions have these bits, so that it is not "
        "certain which one it was");
  }
  return found.front();
}

namespace {

using Row = llvm::ArrayRef<uint32_t>;

struct RowInfo {
  static Row getEmptyKey() { return llvm::DenseMapInfo<Row>::getEmptyKey(); }
  static Row getTombstoneKey() {
    return llvm::DenseMapInfo<Row>::getTombstoneKey();
  }
  static unsigned getHashValue(Row row) {
    return static_cast<unsigned>(llvm::hash_combine_range(row));
  }
  static bool isEqual(Row a, Row b) {
    return llvm::DenseMapInfo<Row>::isEqual(a, b);
  }
};

/// A matrix by the rows, or the columns, that indices choose.
class ChosenTable {
public:
  ChosenTable(const TensorView &table, int64_t axis)
      : rows(static_cast<size_t>(table.shape[axis])),
        width(table.bits.size() / rows), isTransposed(axis == 1) {
    const int64_t order[] = {axis, 1 - axis};
    std::vector<int64_t> shape(table.shape);
    shape.resize(2, 1);
    for (size_t place : listPlaces(shape, order)) {
      bits.push_back(table.bits[place]);
    }
    for (size_t i = 0; i < rows; ++i) {
      auto [known, isNew] = numbers.try_emplace(getRow(i), i);
      if (!isNew) {
        twins[known->second] = i;
      }
    }
  }

  Row getRow(size_t number) const {
    return Row(bits).slice(number * width, width);
  }

  /// Of a row's element in the table as it lies.
  size_t getPlace(int64_t number, size_t column) const {
    auto row = static_cast<size_t>(number);
    return isTransposed ? column * rows + row : row * width + column;
  }

  const size_t rows, width;
  const bool isTransposed;
  llvm::DenseMap<Row, size_t, RowInfo> numbers; ///< of the first equal one
  llvm::DenseMap<size_t, size_t> twins;         ///< another one that is equal

private:
  std::vector<uint32_t> bits;
};

class RowFinder {
public:
  RowFinder(const TensorView &table, const TensorView &to,
            llvm::ArrayRef<std::vector<int64_t>> known)
      : table(table), to(to), known(known), shape(dropUnits(to.shape)) {}

  llvm::Expected<RowChoice> run() {
    for (int64_t axis = 0; axis < static_cast<int64_t>(table.shape.size());
         ++axis) {
      ChosenTable chosen(table, axis);
      if (chosen.width == 1) {
        tryAt(chosen, axis, shape.size());
        continue;
      }
      for (size_t position = 0; position < shape.size(); ++position) {
        if (static_cast<size_t>(shape[position]) == chosen.width) {
          tryAt(chosen, axis, position);
        }
      }
    }
    if (!found.empty() && llvm::all_equal(sources)) {
      return std::move(found.front());
    }
    if (!found.empty()) {
      return llvm::createStringError(
          "rows and columns of it in several orders have these bits, so that "
          "it is not certain which was read");
    }
    return llvm::createStringError(
        doubt.empty() ? "none of its rows or columns, in any order, have these "
                        "bits"
                      : doubt);
  }

private:
  /// Takes note of the choice of which rows lie along dimension `position`.
  void tryAt(const ChosenTable &chosen, int64_t axis, size_t position) {
    RowChoice choice;
    choice.axis = axis;
    choice.position = position;
    for (auto [i, size] : llvm::enumerate(shape)) {
      if (i != position) {
        choice.shape.push_back(size);
      }
    }
    std::vector<size_t> places = listRows(position);
    std::vector<uint32_t> rows;
    for (size_t place : places) {
      rows.push_back(to.bits[place]);
    }
    auto hint = llvm::find_if(known, [&](llvm::ArrayRef<int64_t> indices) {
      return gives(chosen, indices, rows);
    });
    if (hint != known.end()) {
      choice.indices = *hint;
    } else if (!lookUp(chosen, rows, choice.indices)) {
      return;
    }
    std::vector<size_t> source(places.size());
    for (auto [i, place] : llvm::enumerate(places)) {
      source[place] =
          chosen.getPlace(choice.indices[i / chosen.width], i % chosen.width);
    }
    sources.push_back(std::move(source));
    found.push_back(std::move(choice));
  }

  /// Where the elements of `to` lie, those along dimension `position` behind
  /// each other.
  std::vector<size_t> listRows(size_t position) const {
    std::vector<int64_t> order;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (i != position) {
        order.push_back(static_cast<int64_t>(i));
      }
    }
    if (position < shape.size()) {
      order.push_back(static_cast<int64_t>(position));
    }
    return listPlaces(shape, order);
  }

  static bool gives(const ChosenTable &chosen, llvm::ArrayRef<int64_t> indices,
                    Row rows) {
    return indices.size() * chosen.width == rows.size() &&
           llvm::all_of(llvm::enumerate(indices), [&](const auto &each) {
             int64_t index = each.value();
             return index >= 0 && static_cast<size_t>(index) < chosen.rows &&
                    chosen.getRow(index) ==
                        rows.slice(each.index() * chosen.width, chosen.width);
           });
  }

  bool lookUp(const ChosenTable &chosen, Row rows,
              std::vector<int64_t> &indices) {
    for (; !rows.empty(); rows = rows.drop_front(chosen.width)) {
      auto number = chosen.numbers.find(rows.take_front(chosen.width));
      if (number == chosen.numbers.end()) {
        return false;
      }
      indices.push_back(static_cast<int64_t>(number->second));
    }
    for (int64_t index : indices) {
      auto twin = chosen.twins.find(static_cast<size_t>(index));
      if (twin != chosen.twins.end()) {
        doubt = "its rows or columns " + std::to_string(index) + " and " +
                std::to_string(twin->second) +
                " are equal, so that it is not certain which was read";
        return false;
      }
    }
    return true;
  }

  const TensorView &table, &to;
  llvm::ArrayRef<std::vector<int64_t>> known;
  std::vector<int64_t> shape; ///< of `to`, without dimensions of size 1
  std::vector<RowChoice> found;
  /// Of each the elements of the table that those of `to` are.
  std::vector<std::vector<size_t>> sources;
  std::string doubt; ///< why rows that fit are not certain
};

} // namespace

llvm::Expected<RowChoice> findRows(const TensorView &table,
                                   const TensorView &to,
                                   llvm::ArrayRef<std::vector<int64_t>> known) {
  if (table.shape.empty() || table.shape.size() > 2 || table.bits.empty()) {
    return llvm::createStringError(
        "rows are chosen of matrices and vectors only");
  }
  return RowFinder(table, to, known).run();
}

} // namespace accel::onnx
