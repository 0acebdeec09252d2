// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every check returns an empty text or the complaint.
#include "tools/command-line/value_checks.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "tools/command-line/option_table.h"

namespace accel::tools {
namespace {

// The whole text as a number, whatever the locale; nothing if it is none.
template <typename T>
std::optional<T> Parse(const std::string& text) {
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? std::optional<T>(value)
                                             : std::nullopt;
}

// Digits with or without a sign, of which no type is large enough.
bool IsTooLong(const std::string& text) {
  const size_t first = !text.empty() && text[0] == '-' ? 1 : 0;
  return text.size() > first &&
         std::all_of(text.begin() + static_cast<ptrdiff_t>(first), text.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

std::string NumberText(double value) {
  char buffer[32];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, end);
}

std::string Complaint(const std::string& expected, const std::string& text) {
  return "expected " + expected + ", got '" + text + "'";
}

// Levenshtein's: how many letters are to be inserted, left out or replaced.
size_t EditDistance(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      const size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

CLI::Validator WholeNumber(int64_t lowest, int64_t highest) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        const std::optional<int64_t> value = Parse<int64_t>(text);
        if (!value && !IsTooLong(text)) {
          return Complaint("a whole number", text);
        }
        if (value && *value >= lowest && *value <= highest) {
          // The parser's own conversion would read 010 as eight.
          text = std::to_string(*value);
          return "";
        }
        const bool open =
            highest == std::numeric_limits<int64_t>::max() && value.has_value();
        return Complaint(
            open ? "a whole number of at least " + std::to_string(lowest)
                 : "a whole number between " + std::to_string(lowest) +
                       " and " + std::to_string(highest),
            text);
      },
      "");
}

CLI::Validator Number(double lowest, double highest) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        const std::optional<double> value = Parse<double>(text);
        if (!value || !std::isfinite(*value)) {
          return Complaint("a number", text);
        }
        if (*value >= lowest && *value <= highest) {
          return "";
        }
        const std::string low = NumberText(lowest);
        return Complaint(
            std::isinf(highest)
                ? "a number of at least " + low
                : "a number between " + low + " and " + NumberText(highest),
            text);
      },
      "");
}

std::string ListChoices(const std::vector<std::string>& choices) {
  std::string list;
  for (size_t i = 0; i < choices.size(); ++i) {
    list += i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ";
    list += choices[i];
  }
  return list;
}

std::optional<std::string> FindNearest(std::string_view text,
                                       const std::vector<std::string>& words) {
  std::optional<std::string> nearest;
  size_t allowed = text.size() < 4 ? 1 : std::max<size_t>(2, text.size() / 3);
  for (const std::string& word : words) {
    const size_t distance = EditDistance(text, word);
    if (distance < allowed || (distance == allowed && !nearest)) {
      allowed = distance;
      nearest = word;
    }
  }
  return nearest;
}

CLI::Validator OneOf(const std::vector<std::string>& choices) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        if (std::find(choices.begin(), choices.end(), text) != choices.end()) {
          return "";
        }
        const std::optional<std::string> nearest = FindNearest(text, choices);
        return Complaint(ListChoices(choices), text) +
               (nearest ? "; did you mean " + *nearest + "?" : "");
      },
      "", NameOfChoices(choices));
}

}  // namespace accel::tools
