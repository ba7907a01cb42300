// SPDX-License-Identifier: GPL-3.0-or-later
// The dihedral angle at an edge, the body of core/constraints/bending.py.
#include "lanes.h"

#define PI 3.14159265358979f

// The angle of (x, y), as arctangent2 of core/vector/lanes.py.
static inline lane arctangent2(lane y, lane x) {
    lane across = absolute(y), along = absolute(x);
    mask steep = across > along;
    lane longer = choose(steep, across, along), shorter = choose(steep, along, across);
    lane ratio = shorter / choose(longer > 0.0f, longer, splat(1.0f));
    lane tangent = ratio / (1.0f + square_root(1.0f + ratio * ratio));
    lane square = tangent * tangent, series = splat(1.0f / 17.0f);
    series = -1.0f / 15.0f + series * square;
    series = 1.0f / 13.0f + series * square;
    series = -1.0f / 11.0f + series * square;
    series = 1.0f / 9.0f + series * square;
    series = -1.0f / 7.0f + series * square;
    series = 1.0f / 5.0f + series * square;
    series = -1.0f / 3.0f + series * square;
    series = 1.0f + series * square;
    lane angle = 2.0f * tangent * series;
    angle = choose(steep, PI / 2 - angle, angle);
    angle = choose(x < 0.0f, PI - angle, angle);
    return choose(y < 0.0f, -angle, angle);
}

static inline lane wrap(lane angle) {
    angle = choose(angle > PI, angle - 2 * PI, angle);
    return choose(angle < -PI, angle + 2 * PI, angle);
}

void bending(char *restrict rows, const char *restrict previous, const uint32_t *restrict offsets,
             const lane *restrict parameters, lane *restrict multipliers, char *restrict outputs,
             float rate, int64_t blocks) {
    for (int64_t block = 0; block < blocks; block++) {
        particles p[4];
        for (int v = 0; v < 4; v++) p[v] = load(rows, offsets + v * LANES);
        vec direction;
        lane length = length_and_direction(minus(p[1].x, p[0].x), &direction);
        vec a = cross(minus(p[0].x, p[2].x), minus(p[1].x, p[2].x));
        vec b = cross(minus(p[1].x, p[3].x), minus(p[0].x, p[3].x));
        lane angle = wrap(arctangent2(dot(cross(a, b), direction), dot(a, b)) - parameters[0]);

        a = times(reciprocal_or_zero(dot(a, a), splat(SMALLEST)), a);
        b = times(reciprocal_or_zero(dot(b, b), splat(SMALLEST)), b);
        lane share_a = dot(minus(p[2].x, p[0].x), direction);
        lane share_b = dot(minus(p[3].x, p[0].x), direction);
        vec gradient[4] = {
            plus(times(length - share_a, a), times(length - share_b, b)),
            plus(times(share_a, a), times(share_b, b)),
            times(-length, a),
            times(-length, b),
        };
        lane alpha = rate * rate * parameters[1], lambda = multipliers[0], diagonal = alpha;
        for (int v = 0; v < 4; v++) diagonal += p[v].w * dot(gradient[v], gradient[v]);
        lane change =
            -(angle + alpha * lambda) * reciprocal_or_zero(diagonal, splat(SMALLEST));
        multipliers[0] = lambda + change;
        for (int v = 0; v < 4; v++) {
            vec step = times(p[v].w * change, gradient[v]);
            store(rows, offsets + v * LANES, plus(p[v].x, step), p[v].w);
        }
        offsets += 4 * LANES, parameters += 2, multipliers += 1;
    }
}
