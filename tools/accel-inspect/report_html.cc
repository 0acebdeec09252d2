// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers first, then pictures, then what happened and what ran.
#include "tools/accel-inspect/report_html.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/base/amount.h"
#include "runtime/base/format.h"
#include "runtime/text/printable.h"
#include "tools/accel-inspect/markup.h"
#include "tools/accel-inspect/metrics_summary.h"
#include "tools/accel-inspect/report_chart.h"
#include "tools/accel-inspect/report_page.h"

namespace accel::tools {
namespace {

// A file may say more than there is anywhere.
uint64_t ToBytes(double number) {
  constexpr double kMost = 0x1p63;
  return static_cast<uint64_t>(std::min(number, kMost));
}

using Kind = ReportEvent::Kind;

// Rows of the table of events: as many of the first ones, and of the last.
constexpr size_t kMostEventRows = 100;
// Of run.json: rows, and what is shown of a name and of a text.
constexpr size_t kMostRecordRows = 400;
constexpr size_t kMostRecordName = 100;
constexpr size_t kMostRecordText = 400;

// Of names from a directory or a file.
std::string Shown(absl::string_view text) {
  return EscapedMarkup(runtime::Printable(text));
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

void AddTile(absl::string_view name, absl::string_view value,
             absl::string_view more, std::string& html) {
  absl::StrAppend(&html, "<div><dt>", name, "</dt><dd>", value,
                  more.empty() ? "" : absl::StrCat("<small>", more, "</small>"),
                  "</dd></div>\n");
}

void AddLossTile(absl::string_view name, const MetricRange& loss,
                 std::string& html) {
  if (loss.first_step != 0) {
    AddTile(name, absl::StrFormat("%.4g", loss.last),
            absl::StrFormat("lowest %.4g at step %d", loss.lowest,
                            loss.lowest_step),
            html);
  }
}

std::string Tiles(const RunReport& run) {
  const std::vector<MetricsStep>& steps = run.steps;
  const bool is_recorded = run.record.run == run.parts.back().id;
  std::string html = "<dl class=\"tiles\">\n";
  AddTile("steps", runtime::FormatCount(steps.back().step),
          is_recorded && run.record.steps > 0
              ? absl::StrCat("of ", runtime::FormatCount(run.record.steps))
              : "",
          html);
  AddLossTile("loss", RangeOf(steps, &MetricsStep::loss), html);
  AddLossTile("loss of the evaluation", RangeOf(steps, &MetricsStep::eval_loss),
              html);
  int64_t tokens = 0;
  double seconds = 0;
  for (const MetricsStep& step : steps) {
    tokens += step.tokens;
    seconds += step.seconds;
  }
  AddTile("tokens per second",
          runtime::FormatSi(seconds > 0 ? static_cast<double>(tokens) / seconds
                                        : 0),
          absl::StrCat(runtime::FormatSi(static_cast<double>(tokens)),
                       " tokens in all"),
          html);
  AddTile("time in steps",
          runtime::FormatDuration(std::chrono::nanoseconds(
              static_cast<int64_t>(std::min(seconds, 9e9) * 1e9))),
          absl::StrCat(steps.back().time.substr(0, 10), " ",
                       steps.back().time.substr(11, 8), " UTC the last"),
          html);
  if (const MetricRange peak = RangeOf(steps, &MetricsStep::peak_bytes);
      peak.first_step != 0) {
    AddTile("memory, peak", runtime::FormatBytes(ToBytes(peak.highest)),
            run.record.peak_bytes > 0 && is_recorded
                ? absl::StrCat("planned ", runtime::FormatBytes(
                                               ToBytes(run.record.peak_bytes)))
                : "",
            html);
  }
  if (std::isfinite(steps.back().epoch)) {
    AddTile("epochs", absl::StrFormat("%.4g", steps.back().epoch), "", html);
  }
  return absl::StrCat(html, "</dl>\n");
}

//===----------------------------------------------------------------------===//
// Pictures
//===----------------------------------------------------------------------===//

double LossOf(const MetricsStep& step) { return step.loss; }
double RateOf(const MetricsStep& step) { return step.lr; }
double NormOf(const MetricsStep& step) { return step.grad_norm; }
double SpeedOf(const MetricsStep& step) { return step.TokensPerSecond(); }
double PeakOf(const MetricsStep& step) { return step.peak_bytes; }
double WaitOf(const MetricsStep& step) { return step.data_wait_seconds; }
double ScaleOf(const MetricsStep& step) { return step.loss_scale; }
double SkippedOf(const MetricsStep& step) { return step.skipped_steps; }

class ChartMaker {
 public:
  explicit ChartMaker(const RunReport& run) : run_(run) {
    first_ = last_ = run.steps.front().step;
    for (const MetricsStep& step : run.steps) {
      first_ = std::min(first_, step.step);
      last_ = std::max(last_, step.step);
    }
  }

  ReportChart Loss() const;
  // Of one line.
  ReportChart Of(const char* title, const char* unit,
                 double (*value)(const MetricsStep&)) const {
    ReportChart chart = Empty(title, unit);
    chart.lines.push_back({title, Columns(value)});
    return chart;
  }
  // In KiB, MiB ... or in thousandths, as the highest value wants it.
  ReportChart Memory() const;
  ReportChart Wait() const;
  ReportChart Speed() const;
  bool HasSkipped() const { return run_.steps.back().skipped_steps > 0; }

 private:
  ReportChart Empty(const char* title, const char* unit) const {
    ReportChart chart;
    chart.title = title;
    chart.unit = unit;
    chart.first_step = first_;
    chart.last_step = last_;
    return chart;
  }
  std::vector<CurveColumn> Columns(double (*value)(const MetricsStep&)) const;
  double Highest(const ReportChart& chart) const {
    double highest = 0;
    for (const CurveColumn& column : chart.lines.front().columns) {
      highest = std::max(highest, column.highest);
    }
    return highest;
  }

  const RunReport& run_;
  int64_t first_ = 1;
  int64_t last_ = 1;
};

// Steps that the metrics do not have are gaps, as are those not finite.
std::vector<CurveColumn> ChartMaker::Columns(
    double (*value)(const MetricsStep&)) const {
  ColumnFiller filler(first_, last_, kReportColumns);
  int64_t expected = first_;
  for (const MetricsStep& step : run_.steps) {
    if (step.step > expected) {
      filler.Add(expected, std::nan(""));
    }
    filler.Add(step.step, value(step));
    expected = step.step + 1;
  }
  return filler.columns();
}

// Most steps have no evaluation: that is no gap.
ReportChart ChartMaker::Loss() const {
  ReportChart chart = Empty("loss", "");
  chart.is_large = true;
  chart.logarithmic = true;
  chart.lines.push_back({"training", Columns(LossOf)});
  ColumnFiller evaluations(first_, last_, kReportColumns);
  bool evaluated = false;
  for (const MetricsStep& step : run_.steps) {
    if (step.has_eval) {
      evaluations.Add(step.step, step.eval_loss);
      evaluated = true;
    }
  }
  if (evaluated) {
    chart.lines.push_back({"evaluation", evaluations.columns()});
  }
  return chart;
}

ReportChart ChartMaker::Memory() const {
  ReportChart chart = Of("memory", "", PeakOf);
  chart.from_zero = true;
  chart.reference = run_.record.peak_bytes;
  chart.note = chart.reference > 0 ? "Worst rank, so far; dashed: planned."
                                   : "Worst rank, so far.";
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  const double highest = std::max(Highest(chart), chart.reference);
  for (; unit + 1 < std::size(kUnits) && highest >= 1024 * chart.scale;
       ++unit) {
    chart.scale *= 1024;
  }
  chart.unit = kUnits[unit];
  return chart;
}

ReportChart ChartMaker::Wait() const {
  ReportChart chart = Of("wait for data", "", WaitOf);
  chart.from_zero = true;
  const bool is_short = Highest(chart) < 1;
  chart.scale = is_short ? 1e-3 : 1;
  chart.unit = is_short ? "milliseconds of a step" : "seconds of a step";
  return chart;
}

ReportChart ChartMaker::Speed() const {
  ReportChart chart = Of("tokens per second", "", SpeedOf);
  chart.from_zero = true;
  const double highest = Highest(chart);
  chart.scale = highest >= 1e6 ? 1e6 : highest >= 1e4 ? 1e3 : 1;
  chart.unit = highest >= 1e6 ? "millions" : highest >= 1e4 ? "thousands" : "";
  return chart;
}

// What the marks in the pictures mean, of those that there are, and what a line
// is.
std::string MarkKey(const RunReport& run,
                    const std::vector<ReportEvent>& events) {
  struct Mark {
    Kind kind;
    const char* name;
    const char* text;
  };
  constexpr Mark kMarks[] = {
      {Kind::kResume, "resume", "the run goes on"},
      {Kind::kCheckpoint, "checkpoint", "checkpoint"},
      {Kind::kSkipped, "skipped", "step not finite, skipped"},
      {Kind::kHalt, "halt", "halted"},
      {Kind::kGap, "gap", "no metrics"}};
  std::string html;
  for (const Mark& mark : kMarks) {
    if (std::any_of(events.begin(), events.end(),
                    [&mark](const ReportEvent& event) {
                      return event.kind == mark.kind;
                    })) {
      absl::StrAppend(&html, "<span class=\"mark ", mark.name, "\">", mark.text,
                      "</span> ");
    }
  }
  if (run.steps.size() > kReportColumns) {
    absl::StrAppend(&html, "Lines are means of about ",
                    (run.steps.size() + kReportColumns / 2) / kReportColumns,
                    " steps; bands go from the lowest of them to the highest.");
  }
  return html.empty()
             ? ""
             : absl::StrCat("<p class=\"note large\">", html, "</p>\n");
}

std::string Charts(const RunReport& run,
                   const std::vector<ReportEvent>& events) {
  const ChartMaker maker(run);
  std::vector<ReportChart> charts = {maker.Loss()};
  charts.push_back(maker.Of("learning rate", "", RateOf));
  charts.back().from_zero = true;
  charts.push_back(maker.Of("gradient norm", "before clipping", NormOf));
  charts.back().logarithmic = true;
  charts.push_back(maker.Speed());
  charts.push_back(maker.Memory());
  charts.push_back(maker.Wait());
  charts.push_back(maker.Of("loss scale", "", ScaleOf));
  charts.back().logarithmic = true;
  charts.back().from_zero = true;
  if (maker.HasSkipped()) {
    charts.push_back(
        maker.Of("skipped steps", "not finite, so far", SkippedOf));
    charts.back().from_zero = true;
  }
  std::string html = "<div class=\"charts\">\n";
  for (const ReportChart& chart : charts) {
    const std::string picture = ChartHtml(chart, events);
    absl::StrAppend(&html,
                    picture.empty() && chart.is_large
                        ? "<p class=\"large\">No loss is finite.</p>\n"
                        : picture,
                    chart.is_large ? MarkKey(run, events) : "");
  }
  return absl::StrCat(html, "</div>\n");
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

std::string EventRow(const ReportEvent& event) {
  const bool is_bad = event.kind == Kind::kHalt ||
                      event.kind == Kind::kSkipped || event.kind == Kind::kGap;
  return absl::StrCat(
      "<tr><td class=\"number\">", event.last_step, "</td><td class=\"when\">",
      event.time.empty() ? ""
                         : absl::StrCat(event.time.substr(0, 10), " ",
                                        event.time.substr(11, 8)),
      "</td><td", is_bad ? " class=\"bad\"" : "", ">", Shown(event.text),
      "</td></tr>\n");
}

std::string EventTable(const std::vector<ReportEvent>& events) {
  std::string html =
      "<h2>What happened</h2>\n<div class=\"wide\"><table class=\"events\">\n"
      "<tr><th>step</th><th class=\"when\">time, UTC</th><th></th></tr>\n";
  const size_t left_out = events.size() > 2 * kMostEventRows
                              ? events.size() - 2 * kMostEventRows
                              : 0;
  for (size_t i = 0; i < events.size(); ++i) {
    if (left_out > 0 && i == kMostEventRows) {
      absl::StrAppend(
          &html, "<tr><td></td><td class=\"when\"></td><td>",
          runtime::Amount(static_cast<int64_t>(left_out), "event"),
          " between these are left out; the pictures mark all</td></tr>\n");
      i += left_out;
    }
    absl::StrAppend(&html, EventRow(events[i]));
  }
  return absl::StrCat(html, "</table></div>\n");
}

std::string RecordTable(const RunReport& run) {
  std::string html = "<h2>What ran</h2>\n";
  if (!run.record.found) {
    return absl::StrCat(html,
                        "<p class=\"note\">There is no run.json beside "
                        "the metrics.</p>\n");
  }
  if (run.record.run != run.parts.back().id) {
    absl::StrAppend(&html, "<p class=\"note\">run.json is of run ",
                    Shown(run.record.run),
                    ", of which the metrics have no step yet.</p>\n");
  }
  absl::StrAppend(&html, "<div class=\"wide\"><table>\n");
  const size_t rows = std::min(run.record.rows.size(), kMostRecordRows);
  for (size_t i = 0; i < rows; ++i) {
    const auto& [name, value] = run.record.rows[i];
    absl::StrAppend(&html, "<tr><th class=\"wraps\">",
                    Shown(name.substr(0, kMostRecordName)), "</th><td>",
                    Shown(value.substr(0, kMostRecordText)),
                    value.size() > kMostRecordText ? " ..." : "",
                    "</td></tr>\n");
  }
  if (rows < run.record.rows.size()) {
    absl::StrAppend(
        &html, "<tr><th></th><td>",
        runtime::Amount(static_cast<int64_t>(run.record.rows.size() - rows),
                        "row"),
        " more in run.json</td></tr>\n");
  }
  return absl::StrCat(html, "</table></div>\n");
}

}  // namespace

std::string ReportHtml(const RunReport& run,
                       const std::vector<ReportEvent>& events) {
  const std::string name = Shown(run.path);
  return absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<title>",
      name, "</title>\n<style>", kReportStyle, "</style>\n</head>\n<body>\n",
      "<h1>", name, "</h1>\n<p class=\"sub\">",
      run.steps.front().time.substr(0, 10), " ",
      run.steps.front().time.substr(11, 5), " to ",
      run.steps.back().time.substr(0, 10), " ",
      run.steps.back().time.substr(11, 5), " UTC, ",
      runtime::Amount(static_cast<int64_t>(run.parts.size()), "start"),
      " of the program</p>\n", Tiles(run), Charts(run, events),
      EventTable(events), RecordTable(run), "<script>", kReportScript,
      "</script>\n</body>\n</html>\n");
}

}  // namespace accel::tools
