// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators for signals: Fourier transforms, and the windows and weights they are used with.
#pragma once

#include "model/shapes/onnx/rules.h"

namespace berth {

Outputs infer_dft(const OnnxView& node);
Outputs infer_stft(const OnnxView& node);
Outputs infer_signal_window(const OnnxView& node);  // of as many numbers as the input says
Outputs infer_mel_weights(const OnnxView& node);

}  // namespace berth
