// SPDX-License-Identifier: GPL-3.0-or-later
// Distance constraints, C = |x1 - x0| - L, projected in blocks of LANES.
#include "lanes.h"

void distance(char *restrict rows, const char *restrict previous, const uint32_t *restrict offsets,
              const lane *restrict parameters, lane *restrict multipliers, char *restrict outputs,
              float rate, int64_t blocks) {
    for (int64_t block = 0; block < blocks; block++) {
        particles a = load(rows, offsets), b = load(rows, offsets + LANES);
        vec direction;
        lane length = length_and_direction(minus(b.x, a.x), &direction);
        lane alpha = rate * rate * parameters[1], lambda = multipliers[0];
        lane residual = length - parameters[0] + alpha * lambda;
        lane change = -residual * reciprocal_or_zero(a.w + b.w + alpha, splat(SMALLEST));
        multipliers[0] = lambda + change;
        store(rows, offsets, minus(a.x, times(a.w * change, direction)), a.w);
        store(rows, offsets + LANES, plus(b.x, times(b.w * change, direction)), b.w);
        offsets += 2 * LANES, parameters += 2, multipliers += 1;
    }
}
