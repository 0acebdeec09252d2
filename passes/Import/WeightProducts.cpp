// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One walk forward finds who reads a weight, one backward which products lie
// behind others.
#include "passes/Import/WeightProducts.h"

#include "passes/Analysis/NameFamily.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace accel {

/// Families of names that a message lists at most.
static constexpr size_t kListedModules = 8;

static bool isWeight(ParameterOp parameter) {
  auto type = cast<RankedTensorType>(parameter.getType());
  return type.getRank() >= 2 || parameter.getSymName().ends_with(".weight");
}

bool WeightUse::hasOneOrientation() const {
  return llvm::all_equal(llvm::map_range(
      products, [](MatmulOp product) { return product.getTransposeRhs(); }));
}

/// The module of the user's program that a location names; empty: none.
static StringRef findScope(Location location) {
  StringRef scope;
  location->walk([&](Location part) {
    auto fused = dyn_cast<FusedLoc>(part);
    auto name =
        dyn_cast_or_null<StringAttr>(fused ? fused.getMetadata() : Attribute());
    scope = name ? name.getValue() : scope;
    return name ? WalkResult::interrupt() : WalkResult::advance();
  });
  // A module's second call is `layer@1`.
  return scope.split('@').first;
}

SmallVector<std::string, 2> WeightUse::getScopes() const {
  SmallVector<std::string, 2> scopes;
  for (MatmulOp product : products) {
    std::string scope = findScope(product.getLoc()).str();
    if (!scope.empty() && !llvm::is_contained(scopes, scope)) {
      scopes.push_back(std::move(scope));
    }
  }
  return scopes;
}

bool WeightUse::isAdaptable() const {
  return !products.empty() && !other && hasOneOrientation() &&
         getScopes().size() <= 1 && getType().getElementType().isF32();
}

std::string WeightUse::describeObstacle() const {
  if (other) {
    return "'" + other->getName().getStringRef().str() + "' reads" +
           (products.empty() ? "" : ", too");
  }
  if (products.empty()) {
    return "no product reads";
  }
  if (!hasOneOrientation()) {
    return "products read in both orientations";
  }
  SmallVector<std::string, 2> scopes = getScopes();
  return scopes.size() > 1
             ? "modules '" + scopes[0] + "' and '" + scopes[1] + "' share"
             : "is not of f32";
}

WeightProducts::WeightProducts(ModuleOp module, func::FuncOp forward) {
  for (auto parameter : module.getOps<ParameterOp>()) {
    if (isWeight(parameter)) {
      bySymbol[parameter.getSymName()] = uses.size();
      uses.emplace_back(parameter);
    }
  }
  forward.walk([&](ReadOp read) {
    auto found = bySymbol.find(read.getSymbol());
    if (found == bySymbol.end()) {
      return;
    }
    WeightUse &use = uses[found->second];
    for (OpOperand &operand : read.getResult().getUses()) {
      auto product = dyn_cast<MatmulOp>(operand.getOwner());
      bool isRight = product && operand.get() == product.getRhs() &&
                     product.getLhs() != product.getRhs();
      if (isRight) {
        use.products.push_back(product);
      } else if (!use.other) {
        use.other = operand.getOwner();
      }
    }
  });
  findFollowed(forward.getBody().front());
}

/// Backward: what a product of a weight depends on reaches it.
void WeightProducts::findFollowed(Block &body) {
  llvm::DenseMap<Operation *, WeightUse *> byProduct;
  for (WeightUse &use : uses) {
    llvm::sort(use.products, [](MatmulOp left, MatmulOp right) {
      return left->isBeforeInBlock(right);
    });
    for (MatmulOp product : use.products) {
      byProduct[product] = &use;
    }
  }
  llvm::DenseSet<Value> reaching;
  for (Operation &op : llvm::reverse(body)) {
    bool isReaching = llvm::any_of(op.getResults(), [&](Value result) {
      return reaching.contains(result);
    });
    WeightUse *use = byProduct.lookup(&op);
    if (use) {
      use->isFollowed |= isReaching;
    }
    if (use || isReaching) {
      reaching.insert(op.operand_begin(), op.operand_end());
    }
  }
}

WeightUse *WeightProducts::find(StringRef module) {
  auto found = llvm::find_if(
      uses, [&](const WeightUse &use) { return use.getModule() == module; });
  return found == uses.end() ? nullptr : &*found;
}

bool WeightProducts::isReadByAttention(const WeightUse &use) {
  StringRef attention = use.getModule();
  if (!attention.consume_back("out_proj") ||
      llvm::is_contained(use.getScopes(), use.getModule())) {
    return false;
  }
  // The latter where keys or values are of other sizes.
  return find((attention + "in_proj_weight").str()) ||
         find((attention + "q_proj_weight").str());
}

std::string WeightProducts::listModules(StringRef wanted) const {
  std::vector<std::pair<unsigned, std::string>> families;
  for (const WeightUse &use : uses) {
    std::string family = getNameFamily(use.getModule());
    if (use.isAdaptable() && llvm::none_of(families, [&](const auto &known) {
          return known.second == family;
        })) {
      StringRef last = use.getModule().rsplit('.').second;
      last = last.empty() ? use.getModule() : last;
      families.emplace_back(last.edit_distance(wanted), family);
    }
  }
  if (!wanted.empty()) {
    llvm::stable_sort(families, llvm::less_first());
  }
  size_t listed = std::min(families.size(), kListedModules);
  std::string text = llvm::join(
      llvm::map_range(ArrayRef(families).take_front(listed),
                      [](const auto &each) { return "'" + each.second + "'"; }),
      ", ");
  if (families.size() > listed) {
    text += " and " + std::to_string(families.size() - listed) + " more";
  }
  return families.empty() ? "none" : text;
}

} // namespace accel
