// Rules exclude and include sites by the names of parameters and of ONNX nodes.
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 rules=exclude=^first$' | FileCheck %s --check-prefix=FIRST
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 rules=exclude=head/MatMul' | FileCheck %s --check-prefix=HEAD
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 rules=exclude=^tokens$' | FileCheck %s --check-prefix=TABLE
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 rules=include=first' | FileCheck %s --check-prefix=ALONE
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 rules=exclude=.,include=first,exclude=head' | FileCheck %s --check-prefix=ALONE
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 rules=exclude=first,include=t,exclude=head' | FileCheck %s --check-prefix=HEAD
// What is left in f32 is what the verifier expects to be.
// RUN: for rule in exclude=^first$ exclude=head/MatMul exclude=^tokens$ include=first; do accel-opt %s --accel-insert-precision-casts="precision=bf16 rules=$rule" --accel-verify-precision || exit 1; done
// The pass says what stays f32, and which rule wants it.
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 rules=include=first' --remarks-filter=accel-insert-precision-casts --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS
// The phase is the two passes.
// RUN: accel-opt %s --accel-precision='precision=bf16 residual=f32 rules=exclude=^first$,include=x|t,exclude=head' -o %t.phase
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 residual=f32 rules=exclude=^first$,include=x|t,exclude=head' --accel-verify-precision | diff - %t.phase
// RUN: FileCheck %s --check-prefix=HEAD < %t.phase

// A pattern that matches the parameter of a product excludes its gradients, too: they are made by the same node. Their
// operands are not rounded, and the parameter stays f32.
// FIRST: accel.parameter @first : tensor<8x8xf32> trainable{{$}}
// FIRST: accel.parameter @tokens : tensor<32x8xf32> trainable compute bf16{{$}}
// FIRST: accel.read @first : tensor<8x8xf32>
// FIRST-NEXT: accel.matmul %{{.+}}, %{{.+}} {accel.precision_reason = "--precision-exclude='^first$'"} : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
// FIRST: accel.matmul %{{.+}}, %{{.+}} {transpose_rhs} : tensor<4x8xbf16>, tensor<32x8xbf16> -> tensor<4x32xf32>
// FIRST: accel.matmul %{{.+}}, %{{.+}} as input_gradient : tensor<4x32xbf16>, tensor<32x8xbf16> -> tensor<4x8xf32>
// FIRST: accel.matmul %{{.+}}, %{{.+}} as weight_gradient {accel.precision_reason = "--precision-exclude='^first$'", transpose_lhs} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32>

// A table that is a head's weight as well is read in f32 if one of the two is excluded; whoever is not rounds what it reads.
// HEAD: accel.parameter @first : tensor<8x8xf32> trainable compute bf16{{$}}
// HEAD: accel.parameter @tokens : tensor<32x8xf32> trainable{{$}}
// HEAD: %[[SHARED:.+]] = accel.read @tokens : tensor<32x8xf32>
// HEAD-NEXT: %[[LOW:.+]] = accel.cast %[[SHARED]] : tensor<32x8xf32> -> tensor<32x8xbf16>
// HEAD-NEXT: accel.gather %[[LOW]], %{{.+}} : tensor<32x8xbf16>, tensor<4xi64> -> tensor<4x8xbf16>
// What only an excluded product reads is not rounded, nor what it makes.
// HEAD: %[[Z:.+]] = accel.matmul %{{.+}}, %{{.+}} : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xf32>
// HEAD-NEXT: %[[Y:.+]] = accel.matmul %[[Z]], %[[SHARED]] {accel.precision_reason = "--precision-exclude='head{{(/MatMul)?}}'", transpose_rhs} : tensor<4x8xf32>, tensor<32x8xf32> -> tensor<4x32xf32>
// HEAD: %[[GY:.+]] = accel.neg %[[Y]] : tensor<4x32xf32>
// HEAD-NEXT: accel.matmul %[[GY]], %[[SHARED]] as input_gradient {accel.precision_reason = "--precision-exclude='head{{(/MatMul)?}}'"} : tensor<4x32xf32>, tensor<32x8xf32> -> tensor<4x8xf32>

// The parameter's name excludes both of its readers, and what the table holds is looked up in f32.
// TABLE: accel.parameter @tokens : tensor<32x8xf32> trainable{{$}}
// TABLE: accel.gather %{{.+}}, %{{.+}} {accel.precision_reason = "--precision-exclude='^tokens$'"} : tensor<32x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
// TABLE: accel.matmul %{{.+}}, %{{.+}} : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xf32>
// TABLE: accel.matmul %{{.+}}, %{{.+}} {accel.precision_reason = "--precision-exclude='^tokens$'", transpose_rhs} : tensor<4x8xf32>, tensor<32x8xf32> -> tensor<4x32xf32>

// A list that begins with an include leaves what no rule matches in f32; of several rules the last one that matches decides.
// ALONE: accel.parameter @first : tensor<8x8xf32> trainable compute bf16{{$}}
// ALONE: accel.parameter @tokens : tensor<32x8xf32> trainable{{$}}
// ALONE: accel.gather %{{.+}}, %{{.+}} {accel.precision_reason = "{{.+}}"} : tensor<32x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
// ALONE: accel.matmul %{{.+}}, %{{.+}} : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xf32>
// ALONE: accel.matmul %{{.+}}, %{{.+}} {accel.precision_reason = "{{.+}}", transpose_rhs} : tensor<4x8xf32>, tensor<32x8xf32> -> tensor<4x32xf32>
// ALONE: accel.matmul %{{.+}}, %{{.+}} as input_gradient {accel.precision_reason = "{{.+}}"} : tensor<4x32xf32>, tensor<32x8xf32> -> tensor<4x8xf32>
// ALONE: accel.matmul %{{.+}}, %{{.+}} as weight_gradient {transpose_lhs} : tensor<4x8xbf16>, tensor<4x8xbf16> -> tensor<8x8xf32>

// REMARKS-COUNT-3: Reason="no --precision-include matches it", Remark="accel.{{gather|matmul}} stays f32"
// REMARKS-NOT: stays f32

accel.parameter @first : tensor<8x8xf32> trainable
accel.parameter @tokens : tensor<32x8xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
func.func @microbatch(%ids: tensor<4xi64> {accel.name = "ids"}) {
  %table = accel.read @tokens : tensor<32x8xf32>
  %x = accel.gather %table, %ids : tensor<32x8xf32>, tensor<4xi64> -> tensor<4x8xf32> loc(#embedding)
  %w = accel.read @first : tensor<8x8xf32>
  %z = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32> loc(#product)
  %y = accel.matmul %z, %table {transpose_rhs} : tensor<4x8xf32>, tensor<32x8xf32> -> tensor<4x32xf32> loc(#head)
  %sum = accel.reduce_sum %y [0, 1] : tensor<4x32xf32> -> tensor<f32>
  %loss = accel.cast %sum : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %loss : tensor<f64>
  %gy = accel.neg %y : tensor<4x32xf32>
  %gz = accel.matmul %gy, %table as input_gradient : tensor<4x32xf32>, tensor<32x8xf32> -> tensor<4x8xf32> loc(#head)
  %gw = accel.matmul %x, %gz as weight_gradient {transpose_lhs} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32> loc(#product)
  accel.accumulate @first, %gw : tensor<8x8xf32>
  return
}
#line = loc("model.py":3:0)
#embedding = loc("/embed/Gather"(#line))
#product = loc("/layer/MatMul"(#line))
#head = loc(fused<"head">["/head/MatMul"(#line)])
