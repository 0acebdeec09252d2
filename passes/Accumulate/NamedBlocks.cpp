// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names are compared with one of their numbers left out.
#include "passes/Accumulate/NamedBlocks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using llvm::StringRef;

namespace accel {
namespace {

/// One number of a name, and what stands on both sides of it.
struct NumberedName {
  StringRef prefix, suffix;
  int64_t number;
};

/// Those of `name`, the outermost first.
std::vector<NumberedName> listNumbers(StringRef name) {
  std::vector<NumberedName> numbered;
  size_t begin = 0;
  while (begin < name.size()) {
    size_t end = std::min(name.find('.', begin), name.size());
    StringRef part = name.slice(begin, end);
    int64_t number = 0;
    if (llvm::all_of(part, llvm::isDigit) && !part.getAsInteger(10, number)) {
      numbered.push_back(
          {name.take_front(begin), name.drop_front(end), number});
    }
    begin = end + 1;
  }
  return numbered;
}

} // namespace

std::optional<size_t> NamedBlocks::find(StringRef name) const {
  for (const NumberedName &each : listNumbers(name)) {
    auto found = llvm::find(numbers, each.number);
    if (each.prefix == prefix && found != numbers.end()) {
      return found - numbers.begin();
    }
  }
  return std::nullopt;
}

std::vector<NamedBlocks> findNamedBlocks(llvm::ArrayRef<StringRef> names) {
  std::map<std::pair<StringRef, StringRef>, std::set<int64_t>> alike;
  for (StringRef name : names) {
    for (const NumberedName &each : listNumbers(name)) {
      alike[{each.prefix, each.suffix}].insert(each.number);
    }
  }
  // What two names have in front of their only difference.
  std::map<StringRef, std::set<int64_t>> numbers;
  for (const auto &[sides, each] : alike) {
    if (each.size() > 1) {
      numbers.try_emplace(sides.first);
    }
  }
  for (StringRef name : names) {
    for (const NumberedName &each : listNumbers(name)) {
      if (auto row = numbers.find(each.prefix); row != numbers.end()) {
        row->second.insert(each.number);
        break;
      }
    }
  }
  std::vector<NamedBlocks> found;
  for (const auto &[prefix, each] : numbers) {
    if (!each.empty()) {
      found.push_back({prefix.str(), {each.begin(), each.end()}});
    }
  }
  llvm::stable_sort(found, [](const NamedBlocks &a, const NamedBlocks &b) {
    return a.numbers.size() > b.numbers.size();
  });
  return found;
}

} // namespace accel
