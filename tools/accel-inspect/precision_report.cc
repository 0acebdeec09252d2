// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins the launches of the step with what their kernels say of themselves.
#include "tools/accel-inspect/precision_report.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "runtime/base/amount.h"
#include "runtime/plan/schema/element_type.h"
#include "tools/accel-inspect/text_table.h"

namespace accel::tools {
namespace {

using runtime::ElementTypeName;

absl::string_view KindName(const planpb::Site& site) {
  return site.kind() == planpb::Site::KIND_ATTENTION ? "attention" : "product";
}

absl::string_view RoleName(const planpb::Site& site) {
  switch (site.role()) {
    case planpb::Site::ROLE_FORWARD:
      return "forward";
    case planpb::Site::ROLE_INPUT_GRADIENT:
      return "input_gradient";
    case planpb::Site::ROLE_WEIGHT_GRADIENT:
      return "weight_gradient";
    case planpb::Site::ROLE_GRADIENT:
      return "gradient";
    default:
      return "unknown";
  }
}

std::vector<std::string> ResultNames(const planpb::Site& site) {
  std::vector<std::string> names;
  for (const int type : site.results()) {
    names.emplace_back(ElementTypeName(static_cast<planpb::ElementType>(type)));
  }
  return names;
}

// Products as rows x columns x sum, and how many; attention as samples x heads
// x queries x keys x elements of a head.
std::string ShapeText(const planpb::Site& site) {
  const bool is_product = site.kind() == planpb::Site::KIND_PRODUCT;
  const bool is_single = is_product && site.shape(0) == 1;
  std::string text = absl::StrJoin(site.shape().begin() + (is_product ? 1 : 0),
                                   site.shape().end(), "x");
  return is_product && !is_single ? absl::StrCat(site.shape(0), " of ", text)
                                  : text;
}

struct Total {
  int64_t sites = 0;
  uint64_t flops = 0;
};

// By the types of their operands.
using Totals = std::map<std::string, Total>;

Totals AddUp(const std::vector<PrecisionSite>& sites) {
  Totals totals;
  for (const PrecisionSite& each : sites) {
    Total& total = totals[SiteOperands(*each.site)];
    ++total.sites;
    total.flops += each.site->flops();
  }
  return totals;
}

uint64_t AllFlops(const Totals& totals) {
  uint64_t flops = 0;
  for (const auto& [type, total] : totals) {
    flops += total.flops;
  }
  return flops;
}

double Share(uint64_t flops, uint64_t all) {
  return all == 0 ? 0.0 : static_cast<double>(flops) / static_cast<double>(all);
}

std::string Percent(double share) {
  return absl::StrFormat("%.1f %%", 100.0 * share);
}

}  // namespace

std::vector<PrecisionSite> FindPrecisionSites(const runtime::PlanView& plan) {
  std::vector<PrecisionSite> sites;
  const planpb::Manifest& manifest = plan.manifest();
  for (const planpb::Instruction& instruction :
       plan.MainFunction().instructions()) {
    if (!instruction.has_launch()) {
      continue;
    }
    const auto kernel = static_cast<int>(instruction.launch().kernel());
    for (const planpb::Site& site : manifest.kernels(kernel).sites()) {
      PrecisionSite found{instruction.id(), "", "", &site};
      if (instruction.source_plus_one() != 0) {
        const planpb::Source& source = manifest.sources(
            static_cast<int>(instruction.source_plus_one() - 1));
        found.node = source.node();
        found.scope = source.scope();
      }
      sites.push_back(std::move(found));
    }
  }
  return sites;
}

std::string SiteName(const planpb::Site& site) {
  return absl::StrCat(KindName(site), " ", RoleName(site), " ",
                      ShapeText(site));
}

std::string AskedPrecision(const planpb::Manifest& manifest) {
  const std::string name(ElementTypeName(manifest.precision()));
  if (!manifest.has_fp8()) {
    return name;
  }
  const planpb::Fp8& fp8 = manifest.fp8();
  return absl::StrCat("fp8 (recipe ", fp8.recipe(), ", ",
                      ElementTypeName(fp8.forward()), ", gradients ",
                      ElementTypeName(fp8.gradient()), ")",
                      fp8.emulated() ? ", emulated" : "", ", otherwise ", name);
}

std::string SiteOperands(const planpb::Site& site) {
  const std::string left(ElementTypeName(site.operands()));
  return site.tf32() ? absl::StrCat(left, ", on GPUs tf32")
         : site.right_operand() == planpb::ELEMENT_UNSPECIFIED
             ? left
             : absl::StrCat(left, " x ", ElementTypeName(site.right_operand()));
}

std::string SiteTypes(const planpb::Site& site) {
  return absl::StrCat(SiteOperands(site), ", summed in ",
                      ElementTypeName(site.accumulator()), ", stored as ",
                      absl::StrJoin(ResultNames(site), " "));
}

std::string PrecisionText(const runtime::PlanView& plan, size_t width) {
  const std::vector<PrecisionSite> sites = FindPrecisionSites(plan);
  const Totals totals = AddUp(sites);
  const uint64_t all = AllFlops(totals);
  TextTable table({{.header = "instruction", .numbers = true},
                   {.header = "node", .least = 12, .gap = 2},
                   {.header = "module", .least = 12, .gap = 2},
                   {.header = "role", .gap = 2},
                   {.header = "shape", .gap = 2},
                   {.header = "operands", .gap = 2},
                   {.header = "sums", .gap = 2},
                   {.header = "stored", .gap = 2},
                   {.header = "FLOPs", .numbers = true, .gap = 2},
                   {.header = "why", .gap = 2}});
  for (const PrecisionSite& each : sites) {
    const planpb::Site& site = *each.site;
    table.AddRow({absl::StrCat(each.instruction), each.node, each.scope,
                  absl::StrCat(KindName(site), " ", RoleName(site)),
                  ShapeText(site), SiteOperands(site),
                  std::string(ElementTypeName(site.accumulator())),
                  absl::StrJoin(ResultNames(site), " "),
                  Percent(Share(site.flops(), all)), site.reason()});
  }
  std::string text =
      absl::StrCat("asked for: ", AskedPrecision(plan.manifest()), "\n\n",
                   table.Text(width), "\n");
  for (const auto& [type, total] : totals) {
    absl::StrAppend(&text, type, ": ", runtime::Amount(total.sites, "site"),
                    ", ", Percent(Share(total.flops, all)),
                    " of their FLOPs\n");
  }
  if (sites.empty()) {
    absl::StrAppend(&text, "the plan has no product and no attention\n");
  }
  return text;
}

std::string PrecisionJson(const runtime::PlanView& plan) {
  const std::vector<PrecisionSite> sites = FindPrecisionSites(plan);
  const Totals totals = AddUp(sites);
  const uint64_t all = AllFlops(totals);
  nlohmann::ordered_json json = {{"version", 2},
                                 {"asked", AskedPrecision(plan.manifest())},
                                 {"sites", nlohmann::ordered_json::array()},
                                 {"totals", nlohmann::ordered_json::array()}};
  for (const PrecisionSite& each : sites) {
    const planpb::Site& site = *each.site;
    json["sites"].push_back(
        {{"instruction", each.instruction},
         {"node", each.node},
         {"scope", each.scope},
         {"kind", KindName(site)},
         {"role", RoleName(site)},
         {"shape",
          std::vector<uint64_t>(site.shape().begin(), site.shape().end())},
         {"operands", SiteOperands(site)},
         {"accumulator", ElementTypeName(site.accumulator())},
         {"results", ResultNames(site)},
         {"flops", site.flops()},
         {"share", Share(site.flops(), all)},
         {"recipe", runtime::IsFp8(site.operands())
                        ? plan.manifest().fp8().recipe()
                        : ""},
         {"emulated",
          runtime::IsFp8(site.operands()) && plan.manifest().fp8().emulated()},
         {"reason", site.reason()}});
  }
  for (const auto& [type, total] : totals) {
    json["totals"].push_back({{"operands", type},
                              {"sites", total.sites},
                              {"flops", total.flops},
                              {"share", Share(total.flops, all)}});
  }
  return json.dump();
}

}  // namespace accel::tools
