// SPDX-License-Identifier: GPL-3.0-or-later
// Green strain of triangles, the body of core/constraints/strain.py with a block compliance.
#include "lanes.h"

// Solve A y = b for a symmetric A, given as its lower triangle, by L D L^T.
static inline void solve(const lane a[6], lane b[3]) {
    lane least = ROUNDING * (a[0] + a[2] + a[5]);
    lane d0 = reciprocal_or_zero(a[0], least);
    lane l10 = a[1] * d0, l20 = a[3] * d0;
    lane d1 = reciprocal_or_zero(a[2] - a[1] * l10, least);
    lane s21 = a[4] - a[3] * l10, l21 = s21 * d1;
    lane d2 = reciprocal_or_zero(a[5] - a[3] * l20 - s21 * l21, least);
    b[1] -= l10 * b[0];
    b[2] -= l20 * b[0] + l21 * b[1];
    b[0] *= d0, b[1] *= d1, b[2] *= d2;
    b[1] -= l21 * b[2];
    b[0] -= l10 * b[1] + l20 * b[2];
}

void strain(char *restrict rows, const char *restrict previous, const uint32_t *restrict offsets,
            const lane *restrict parameters, lane *restrict multipliers, char *restrict outputs,
            float rate, int64_t blocks) {
    for (int64_t block = 0; block < blocks; block++) {
        particles p[3];
        for (int v = 0; v < 3; v++) p[v] = load(rows, offsets + v * LANES);
        const lane *q = parameters;
        vec a = minus(p[1].x, p[0].x), b = minus(p[2].x, p[0].x);
        vec x = plus(times(q[0], a), times(q[2], b)), y = plus(times(q[1], a), times(q[3], b));
        lane lambda[3] = {multipliers[0], multipliers[1], multipliers[2]};
        lane value[3] = {0.5f * (dot(x, x) - 1.0f), 0.5f * (dot(y, y) - 1.0f), 0.5f * dot(x, y)};
        vec gradient[3][3] = {
            {{}, times(q[0], x), times(q[2], x)},
            {{}, times(q[1], y), times(q[3], y)},
            {{},
             plus(times(0.5f * q[0], y), times(0.5f * q[1], x)),
             plus(times(0.5f * q[2], y), times(0.5f * q[3], x))},
        };
        lane matrix[6], squared = splat(rate * rate), alpha[6];
        for (int k = 0; k < 6; k++) alpha[k] = squared * q[4 + k];
        for (int i = 0, k = 0; i < 3; i++) {
            gradient[i][0] = times(splat(-1.0f), plus(gradient[i][1], gradient[i][2]));
            for (int j = 0; j <= i; j++, k++) {
                matrix[k] = splat(0.0f);
                for (int v = 0; v < 3; v++)
                    matrix[k] += dot(times(p[v].w, gradient[i][v]), gradient[j][v]);
            }
        }
        lane change[3] = {
            value[0] + alpha[0] * lambda[0] + alpha[1] * lambda[1] + alpha[3] * lambda[2],
            value[1] + alpha[1] * lambda[0] + alpha[2] * lambda[1] + alpha[4] * lambda[2],
            value[2] + alpha[3] * lambda[0] + alpha[4] * lambda[1] + alpha[5] * lambda[2],
        };
        for (int k = 0; k < 6; k++) matrix[k] += alpha[k];
        solve(matrix, change);
        for (int i = 0; i < 3; i++) multipliers[i] = lambda[i] - change[i];
        for (int v = 0; v < 3; v++) {
            vec step = times(change[0], gradient[0][v]);
            for (int i = 1; i < 3; i++) step = plus(step, times(change[i], gradient[i][v]));
            store(rows, offsets + v * LANES, minus(p[v].x, times(p[v].w, step)), p[v].w);
        }
        offsets += 3 * LANES, parameters += 10, multipliers += 3;
    }
}
