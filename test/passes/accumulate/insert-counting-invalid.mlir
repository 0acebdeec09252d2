// RUN: accel-opt %s --accel-insert-counting --verify-diagnostics

// expected-error@below {{expected a function of role step, got none}}
module {
}
