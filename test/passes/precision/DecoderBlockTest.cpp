// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One decoder block and its gradients under each recipe of FP8: every operand
// that is cast has, bit for bit, the numbers and scales that the published rule
// gives for the tensor that it is cast from, whatever its range; every product
// is the sum that they make. Sizes are no multiples of blocks.
#include "test/passes/TrainingFixture.h"

#include "passes/Precision/PrecisionPipeline.h"

#include <random>

using namespace mlir;

namespace accel::test {
namespace {

// 160 tokens of width 144, 4 heads, 272 hidden: with blocks of 128 and 32 the
// last one of each is shorter.
constexpr const char *kBlock = R"mlir(
module @block attributes {accel.batch = 2 : i64} {
  accel.parameter @norm : tensor<144xf32> trainable
  accel.parameter @qkv : tensor<432x144xf32> trainable
  accel.parameter @out : tensor<144x144xf32> trainable
  accel.parameter @up : tensor<272x144xf32> trainable
  accel.parameter @down : tensor<144x272xf32> trainable
  accel.parameter @head : tensor<16x144xf32> trainable
  func.func @forward(%x: tensor<2x80x144xf32> {accel.name = "x"}) -> (tensor<2x80x16xf32> {accel.name = "y"}) {
    %norm = accel.read @norm : tensor<144xf32>
    %n:3 = accel.layer_norm %x, %norm epsilon 1.0e-5 : tensor<2x80x144xf32>, tensor<144xf32> -> tensor<2x80x144xf32>, tensor<2x80xf32>, tensor<2x80xf32>
    %rows = accel.reshape %n#0 : tensor<2x80x144xf32> -> tensor<160x144xf32>
    %wqkv = accel.read @qkv : tensor<432x144xf32>
    %qkv = accel.matmul %rows, %wqkv {transpose_rhs} : tensor<160x144xf32>, tensor<432x144xf32> -> tensor<160x432xf32>
    %split = accel.reshape %qkv : tensor<160x432xf32> -> tensor<2x80x12x36xf32>
    %heads = accel.transpose %split [0, 2, 1, 3] : tensor<2x80x12x36xf32> -> tensor<2x12x80x36xf32>
    %q, %k, %v = accel.split %heads axis 1 : tensor<2x12x80x36xf32> -> tensor<2x4x80x36xf32>, tensor<2x4x80x36xf32>, tensor<2x4x80x36xf32>
    %a:2 = accel.attention %q, %k, %v scale 0.0625 causal : tensor<2x4x80x36xf32>, tensor<2x4x80x36xf32>, tensor<2x4x80x36xf32> -> tensor<2x4x80x36xf32>, tensor<2x4x80xf32>
    %back = accel.transpose %a#0 [0, 2, 1, 3] : tensor<2x4x80x36xf32> -> tensor<2x80x4x36xf32>
    %tokens = accel.reshape %back : tensor<2x80x4x36xf32> -> tensor<160x144xf32>
    %wout = accel.read @out : tensor<144x144xf32>
    %attended = accel.matmul %tokens, %wout {transpose_rhs} : tensor<160x144xf32>, tensor<144x144xf32> -> tensor<160x144xf32>
    %flat = accel.reshape %x : tensor<2x80x144xf32> -> tensor<160x144xf32>
    %mid = accel.add %flat, %attended : tensor<160x144xf32>
    %wup = accel.read @up : tensor<272x144xf32>
    %h = accel.matmul %mid, %wup {transpose_rhs} : tensor<160x144xf32>, tensor<272x144xf32> -> tensor<160x272xf32>
    %g = accel.gelu tanh, %h : tensor<160x272xf32>
    %wdown = accel.read @down : tensor<144x272xf32>
    %d = accel.matmul %g, %wdown {transpose_rhs} : tensor<160x272xf32>, tensor<144x272xf32> -> tensor<160x144xf32>
    %end = accel.add %mid, %d : tensor<160x144xf32>
    %whead = accel.read @head : tensor<16x144xf32>
    %z = accel.matmul %end, %whead {transpose_rhs} : tensor<160x144xf32>, tensor<16x144xf32> -> tensor<160x16xf32>
    %y = accel.reshape %z : tensor<160x16xf32> -> tensor<2x80x16xf32>
    return %y : tensor<2x80x16xf32>
  }
})mlir";

/// How a recipe cuts tensors, and what its gradients are.
struct Recipe {
  const char *name;
  const char *format; ///< empty: its own
  int64_t block;      ///< 0: it does not
  bool hasWideGradients;
};

void PrintTo(const Recipe &recipe, std::ostream *stream) {
  *stream << recipe.name << " " << recipe.format;
}

/// A format of 8 bits, by its definition.
struct Format {
  int bits;          ///< of the mantissa
  int leastExponent; ///< of normal numbers
  double largest;

  static Format of(Type element) {
    return isa<Float8E5M2Type>(element) ? Format{2, -14, 57344}
                                        : Format{3, -6, 448};
  }

  /// The nearest number, ties to even; none beyond the largest.
  double round(double number) const {
    if (number == 0) {
      return number;
    }
    int exponent = std::max(std::ilogb(number), leastExponent);
    double unit = std::ldexp(1.0, exponent - bits);
    double rounded = std::nearbyint(number / unit) * unit;
    return std::min(std::max(rounded, -largest), largest);
  }
};

/// A matrix, or its transpose, in row-major order.
struct Matrix {
  llvm::ArrayRef<double> elements;
  int64_t rows, columns;
  bool isTransposed;

  Matrix(const HostTensor &tensor, bool isTransposed)
      : elements(tensor.floats()), rows(tensor.getShape().drop_back().back()),
        columns(tensor.getShape().back()), isTransposed(isTransposed) {}

  double at(int64_t row, int64_t column) const {
    return isTransposed ? elements[column * columns + row]
                        : elements[row * columns + column];
  }
};

/// What is known of one operand of a product once the program has run: places
/// among what the function returns.
struct Operand {
  int numbers = -1, scales = -1; ///< -1: there are none
  int source = -1;               ///< what was cast; -1: a parameter
  int rounded = -1;              ///< what the cast gave
  Type element;
};

struct Product {
  MatmulOp op;
  Operand lhs, rhs;
  int result = -1;
};

class DecoderBlockTest : public TrainingFixture,
                         public testing::WithParamInterface<Recipe> {
protected:
  void compile() {
    module = parse(kBlock);
    DifferentiateOptions objective;
    objective.objective = "mse";
    PrecisionOptions precision;
    precision.precision = "bf16";
    precision.fp8.recipe = GetParam().name;
    precision.fp8.format = GetParam().format;
    runPasses(*module, [&](OpPassManager &manager) {
      buildImportPipeline(manager, ImportOptions());
      buildDifferentiatePipeline(manager, objective);
      buildPrecisionPipeline(manager, precision, "cpu");
    });
  }

  /// Lets the function return `value` as well. Returns its place.
  int publish(Value value) {
    published.push_back(value);
    return static_cast<int>(published.size()) - 1;
  }

  /// The cast that `numbers` are a view of; null if they are a parameter's.
  static CastOp findCast(Value numbers) {
    while (isa_and_nonnull<ReshapeOp, SliceOp, TransposeOp, SplitOp>(
        numbers.getDefiningOp())) {
      numbers = numbers.getDefiningOp()->getOperand(0);
    }
    return numbers.getDefiningOp<CastOp>();
  }

  /// What was there before `scaled`, the blocks of a matrix, was moved and cut:
  /// numbers of f32, or those of bf16 that they were.
  static Value findMatrix(Value scaled) {
    // Blocks are views of rows, which have zeros behind them if they must.
    scaled = scaled.getDefiningOp<ReshapeOp>().getOperand();
    if (auto padded = scaled.getDefiningOp<PadOp>()) {
      scaled = padded.getOperand();
    }
    if (auto wide = scaled.getDefiningOp<CastOp>()) {
      scaled = wide.getOperand();
    }
    auto moved = scaled.getDefiningOp<TransposeOp>();
    return moved && moved.getStored() ? moved.getOperand() : scaled;
  }

  Operand inspect(Value numbers, Value scales) {
    Operand operand;
    operand.element =
        cast<RankedTensorType>(numbers.getType()).getElementType();
    operand.numbers = publish(numbers);
    operand.scales = scales ? publish(scales) : -1;
    if (CastOp rounded = findCast(numbers)) {
      Value scaled = rounded.getOperand().getDefiningOp<MulOp>().getLhs();
      operand.rounded = publish(rounded);
      operand.source = publish(scales ? findMatrix(scaled) : scaled);
    }
    return operand;
  }

  void findProducts(func::FuncOp function) {
    function.walk([&](MatmulOp op) {
      if (op.getLhs().getType().getElementTypeBitWidth() == 8) {
        bool hasScales = !op.getScales().empty();
        products.push_back(
            {op, inspect(op.getLhs(), hasScales ? op.getScales()[0] : Value()),
             inspect(op.getRhs(), hasScales ? op.getScales()[1] : Value()),
             publish(op.getResult())});
      }
    });
    Operation *end = function.getBody().front().getTerminator();
    end->setOperands(published);
    function.setType(FunctionType::get(&context, function.getArgumentTypes(),
                                       ValueRange(published).getTypes()));
  }

  /// Numbers of any size from 2^-spread to 2^spread.
  HostTensor makeWide(llvm::ArrayRef<int64_t> shape, int spread,
                      unsigned seed) {
    HostTensor tensor(RankedTensorType::get(shape, Float32Type::get(&context)));
    std::mt19937 random(seed);
    for (double &element : tensor.mutableFloats()) {
      auto fraction = static_cast<int64_t>(random() % (1 << 20)) - (1 << 19);
      int exponent = static_cast<int>(random() % (2 * spread + 1)) - spread;
      element = std::ldexp(static_cast<double>(fraction), exponent - 19);
    }
    return tensor;
  }

  void run() {
    compile();
    if (HasFatalFailure()) {
      return;
    }
    func::FuncOp function = getFunction(*module, "microbatch");
    findProducts(function);
    InterpreterOptions options;
    options.roundResults = true;
    Interpreter interpreter(*module, options);
    unsigned seed = 0;
    for (auto parameter : module->getOps<ParameterOp>()) {
      auto type = cast<RankedTensorType>(parameter.getType());
      ASSERT_TRUE(succeeded(interpreter.setSymbol(
          parameter.getSymName(),
          makeWide(type.getShape(), type.getRank() == 1 ? 9 : 2, ++seed))));
    }
    interpreter.setInput("x", makeWide({2, 80, 144}, 12, ++seed));
    SmallVector<HostTensor> arguments;
    for (Type type : function.getArgumentTypes()) {
      auto shape = cast<RankedTensorType>(type).getShape();
      arguments.push_back(makeWide(shape, 12, ++seed));
    }
    auto results = interpreter.run(function, arguments);
    ASSERT_TRUE(succeeded(results)) << diagnostics;
    values.assign(results->begin(), results->end());
  }

  //===--------------------------------------------------------------------===//
  // The rule
  //===--------------------------------------------------------------------===//

  /// What a number of a tensor, or of a block, with that largest magnitude is
  /// multiplied by before it is rounded.
  static float scaleOf(float amax, const Format &format) {
    auto largest = static_cast<float>(format.largest);
    if (GetParam().name == llvm::StringRef("delayed")) {
      return 1;
    }
    if (GetParam().block == 0) {
      return largest / std::max(amax, 0x1p-100F);
    }
    float exact = std::max(amax / largest, 0x1p-110F);
    int exponent = 0;
    float fraction = std::frexp(exact, &exponent);
    return std::ldexp(1.0F, fraction == 0.5F ? 1 - exponent : -exponent);
  }

  static float amaxOf(llvm::ArrayRef<double> elements) {
    double amax = 0;
    for (double element : elements) {
      amax = std::max(amax, std::abs(element));
    }
    return static_cast<float>(amax);
  }

  /// Of a recipe that does not cut: expects what the cast gave to be what it
  /// was given, times one scale, rounded.
  void expectWholeCast(const Operand &operand) {
    llvm::ArrayRef<double> source = values[operand.source].floats();
    llvm::ArrayRef<double> rounded = values[operand.rounded].floats();
    Format format = Format::of(operand.element);
    float scale = scaleOf(amaxOf(source), format);
    ASSERT_EQ(rounded.size(), source.size());
    int64_t different = 0;
    for (auto [wide, narrow] : llvm::zip(source, rounded)) {
      different += format.round(static_cast<float>(wide) * scale) != narrow;
    }
    EXPECT_EQ(different, 0);
  }

  /// Expects the operand to be `vectors` times `depth` numbers of what it was
  /// cast from, each times the scale of its block, rounded. `summedFirst`: the
  /// summed index is the first dimension of what is stored.
  void expectCast(const Operand &operand, bool summedFirst, int64_t vectors,
                  int64_t depth) {
    const HostTensor &stored = values[operand.source];
    Matrix source(stored, /*isTransposed=*/stored.getShape().back() != depth);
    Matrix numbers(values[operand.numbers], summedFirst);
    Matrix scales(values[operand.scales], summedFirst);
    Format format = Format::of(operand.element);
    int64_t different = 0;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      std::vector<double> row(depth);
      for (int64_t k = 0; k < depth; ++k) {
        row[k] = source.at(vector, k);
      }
      for (int64_t first = 0; first < depth; first += GetParam().block) {
        auto block = llvm::ArrayRef(row).slice(
            first, std::min(GetParam().block, depth - first));
        float scale = scaleOf(amaxOf(block), format);
        different += scales.at(vector, first / GetParam().block) != 1 / scale;
        for (auto [i, element] : llvm::enumerate(block)) {
          float scaled = static_cast<float>(element) * scale;
          different += format.round(scaled) !=
                       numbers.at(vector, first + static_cast<int64_t>(i));
        }
      }
    }
    EXPECT_EQ(different, 0);
  }

  /// An element of an operand, times its scale.
  double scaled(const Operand &operand, bool summedFirst, int64_t vector,
                int64_t k) const {
    double number = Matrix(values[operand.numbers], summedFirst).at(vector, k);
    return operand.scales < 0
               ? number
               : number * Matrix(values[operand.scales], summedFirst)
                              .at(vector, k / GetParam().block);
  }

  void expectSums(const Product &product, int64_t rows, int64_t columns,
                  int64_t depth) {
    MatmulOp op = product.op;
    int64_t different = 0;
    for (int64_t row = 0; row < rows; row += 7) {
      for (int64_t column = 0; column < columns; column += 5) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < depth; ++k) {
          double term = scaled(product.lhs, op.getTransposeLhs(), row, k) *
                        scaled(product.rhs, !op.getTransposeRhs(), column, k);
          sum += term;
          size += std::abs(term);
        }
        double got = values[product.result].floats()[row * columns + column];
        different += !(std::abs(got - sum) <= 0x1p-18 * size);
      }
    }
    EXPECT_EQ(different, 0);
  }

  OwningOpRef<ModuleOp> module;
  std::vector<Value> published;
  std::vector<Product> products;
  std::vector<HostTensor> values; ///< of what is published
};

TEST_P(DecoderBlockTest, HasTheNumbersOfTheRule) {
  run();
  ASSERT_FALSE(HasFatalFailure());
  // Four layers, each with the gradients of its input and of its weight.
  EXPECT_EQ(products.size(), 12U);
  int casts = 0, wide = 0;
  for (const Product &product : products) {
    MatmulOp op = product.op;
    std::string text;
    llvm::raw_string_ostream(text) << op;
    SCOPED_TRACE(text);
    ArrayRef<int64_t> shape = op.getType().getShape();
    ArrayRef<int64_t> lhs = op.getLhs().getType().getShape();
    int64_t depth = lhs[op.getTransposeLhs() ? 0 : 1];
    for (bool isLhs : {true, false}) {
      const Operand &operand = isLhs ? product.lhs : product.rhs;
      if (operand.source >= 0) {
        ++casts;
        GetParam().block == 0
            ? expectWholeCast(operand)
            : expectCast(operand,
                         isLhs ? op.getTransposeLhs() : !op.getTransposeRhs(),
                         shape[isLhs ? 0 : 1], depth);
      }
    }
    wide += isa<Float8E5M2Type>(product.lhs.element) ||
            isa<Float8E5M2Type>(product.rhs.element);
    expectSums(product, shape[0], shape[1], depth);
  }
  EXPECT_EQ(casts, 16);
  EXPECT_EQ(wide, GetParam().hasWideGradients ? 8 : 0);
}

INSTANTIATE_TEST_SUITE_P(Recipes, DecoderBlockTest,
                         testing::Values(Recipe{"current", "", 0, true},
                                         Recipe{"current", "e4m3", 0, false},
                                         Recipe{"delayed", "", 0, true},
                                         Recipe{"block", "", 128, false},
                                         Recipe{"block", "hybrid", 128, true},
                                         Recipe{"mx", "", 32, false},
                                         Recipe{"mx", "hybrid", 32, true}),
                         [](const testing::TestParamInfo<Recipe> &info) {
                           std::string name = info.param.name;
                           return *info.param.format
                                      ? name + "_" + info.param.format
                                      : name;
                         });

} // namespace
} // namespace accel::test
