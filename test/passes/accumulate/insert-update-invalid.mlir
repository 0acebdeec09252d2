// RUN: split-file %s %t
// RUN: accel-opt %t/options.mlir --accel-insert-update='optimizer=adam schedule=step lr=-1 ema=1' --verify-diagnostics
// RUN: accel-opt %t/numbers.mlir --accel-insert-update='numbers=beta1=1,eps=-1,momentum=0.5,beta2' --verify-diagnostics
// RUN: accel-opt %t/step.mlir --accel-insert-update --split-input-file --verify-diagnostics

//--- options.mlir
// Every wrong option is named.
// expected-error@below {{--optimizer: expected adamw, sgd, lion or adamw8, got 'adam'}}
// expected-error@below {{--schedule: expected constant, linear, cosine or wsd, got 'step'}}
// expected-error@below {{--lr: expected a finite number that is not negative, got -1}}
// expected-error@below {{--ema: expected a number from 0 to below 1, got 1}}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %scale = accel.constant dense<0.5> : tensor<f64>
  accel.metric "gradient_scale", %scale : tensor<f64>
  return
}

//--- numbers.mlir
// So is every number of the optimizer, and each that it does not read.
// expected-error@below {{--beta1: expected a number in [0, 1), got 1}}
// expected-error@below {{--eps: expected a finite number that is not negative, got -1}}
// expected-error@below {{--momentum: expected an optimizer that reads it, got adamw}}
// expected-error@below {{--numbers: expected NAME=VALUE, got 'beta2'}}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %scale = accel.constant dense<0.5> : tensor<f64>
  accel.metric "gradient_scale", %scale : tensor<f64>
  return
}

//--- step.mlir
// expected-error@below {{expected a function of role step that reports metric 'gradient_scale', got no function}}
module {
}

// -----

// expected-error@below {{expected a function of role step that reports metric 'gradient_scale', got no such metric}}
module {
  func.func @step() attributes {accel.role = #accel.role<step>} {
    return
  }
}
