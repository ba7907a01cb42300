// SPDX-License-Identifier: GPL-3.0-or-later
// XPBD by Gauss-Seidel as one writes it first: one distance constraint after the other.
#include <math.h>
#include <stdint.h>

void plain(float (*restrict x)[3], const float *restrict inverse_mass,
           const int32_t (*restrict pairs)[2], const float *restrict rest,
           const float *restrict compliance, float *restrict multipliers, float rate,
           int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        int32_t i = pairs[k][0], j = pairs[k][1];
        float dx = x[j][0] - x[i][0], dy = x[j][1] - x[i][1], dz = x[j][2] - x[i][2];
        float length = sqrtf(dx * dx + dy * dy + dz * dz);
        float alpha = compliance[k] * rate * rate;
        float weight = inverse_mass[i] + inverse_mass[j] + alpha;
        if (length == 0.0f || weight == 0.0f) continue;
        float change = (rest[k] - length - alpha * multipliers[k]) / weight;
        float scale = change / length;
        multipliers[k] += change;
        x[i][0] -= inverse_mass[i] * scale * dx;
        x[i][1] -= inverse_mass[i] * scale * dy;
        x[i][2] -= inverse_mass[i] * scale * dz;
        x[j][0] += inverse_mass[j] * scale * dx;
        x[j][1] += inverse_mass[j] * scale * dy;
        x[j][2] += inverse_mass[j] * scale * dz;
    }
}
