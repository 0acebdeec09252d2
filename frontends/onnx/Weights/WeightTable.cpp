// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading of weights, with what exporters do to them: the transpose of a
// matrix, and a number that is added to a vector.
#include "frontends/onnx/Weights/WeightTable.h"

#include "frontends/onnx/Weights/ExternalData.h"

#include <cassert>
#include <cstring>

namespace accel::onnx {

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> TensorBytes::read() const {
  if (!isExternal()) {
    return llvm::MemoryBuffer::getMemBuffer(*contents, "",
                                            /*RequiresNullTerminator=*/false);
  }
  return readExternalData(*this);
}

void WeightTable::insert(llvm::StringRef key, WeightEntry entry) {
  bool inserted = entries.try_emplace(key, std::move(entry)).second;
  assert(inserted && "a key names one value");
  (void)inserted;
  keys.push_back(key.str());
}

/// What is left of each number without `shift`, rounded to f32.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
unshift(const llvm::MemoryBuffer &shifted, double shift) {
  auto result = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      shifted.getBufferSize());
  if (!result) {
    return llvm::errorCodeToError(
        std::make_error_code(std::errc::not_enough_memory));
  }
  for (size_t at = 0; at + sizeof(float) <= shifted.getBufferSize();
       at += sizeof(float)) {
    float value;
    std::memcpy(&value, shifted.getBufferStart() + at, sizeof(value));
    value = static_cast<float>(value - shift);
    std::memcpy(result->getBufferStart() + at, &value, sizeof(value));
  }
  return std::unique_ptr<llvm::MemoryBuffer>(std::move(result));
}

const WeightEntry *WeightTable::find(llvm::StringRef key) const {
  auto found = entries.find(key);
  return found == entries.end() ? nullptr : &found->second;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
WeightTable::read(llvm::StringRef key) const {
  const WeightEntry *entry = find(key);
  if (!entry) {
    return llvm::createStringError("no weight is named '" + key + "'");
  }
  auto bytes = entry->bytes.read();
  if (bytes && !entry->isVerbatim()) {
    return unshift(**bytes, entry->shift);
  }
  if (!bytes || !entry->transposed) {
    return bytes;
  }
  const int64_t rows = entry->type.getDimSize(0),
                columns = entry->type.getDimSize(1);
  const size_t size =
      entry->bytes.length / std::max<int64_t>(1, rows * columns);
  auto result = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      (*bytes)->getBufferSize());
  if (!result) {
    return llvm::errorCodeToError(
        std::make_error_code(std::errc::not_enough_memory));
  }
  const char *from = (*bytes)->getBufferStart();
  char *to = result->getBufferStart();
  // Tiles keep both sides in cache; a head of 50257 x 768 is transposed in a
  // fraction of a second.
  constexpr int64_t tile = 32;
  for (int64_t rowTile = 0; rowTile < rows; rowTile += tile) {
    for (int64_t column = 0; column < columns; ++column) {
      for (int64_t row = rowTile; row < std::min(rows, rowTile + tile); ++row) {
        std::memcpy(to + (row * columns + column) * size,
                    from + (column * rows + row) * size, size);
      }
    }
  }
  return std::unique_ptr<llvm::MemoryBuffer>(std::move(result));
}

} // namespace accel::onnx
