// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of LANES constraints in the layout of core/vector/kernel.py, by gcc's and clang's vectors.
// Where gcc makes less of those than the processor can, intrinsics take their place.
#include <math.h>
#include <stdint.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

typedef float row __attribute__((vector_size(16), may_alias));
typedef float lane __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t mask __attribute__((vector_size(4 * LANES)));

typedef struct {
    lane x, y, z;
} vec;

typedef struct {
    vec x;
    lane w; // inverse mass
} particles;

#define SMALLEST 1e-37f
#define ROUNDING 1e-5f

static inline lane splat(float value) { return (lane){0} + value; }

static inline lane choose(mask condition, lane a, lane b) {
    return (lane)((condition & (mask)a) | (~condition & (mask)b));
}

static inline lane square_root(lane a) {
#if LANES == 16
    return (lane)_mm512_sqrt_ps((__m512)a);
#elif LANES == 8
    return (lane)_mm256_sqrt_ps((__m256)a);
#else
    lane result;
    for (int k = 0; k < LANES; k++) result[k] = sqrtf(a[k]);
    return result;
#endif
}

static inline lane reciprocal_square_root(lane a) {
#if LANES == 16
    lane guess = (lane)_mm512_rsqrt14_ps((__m512)a);
    return guess * (1.5f - 0.5f * a * guess * guess);
#elif LANES == 8
    lane guess = (lane)_mm256_rsqrt_ps((__m256)a);
    return guess * (1.5f - 0.5f * a * guess * guess);
#else
    return 1.0f / square_root(a);
#endif
}

static inline lane absolute(lane a) { return (lane)((mask)a & 0x7fffffff); }

static inline lane reciprocal_or_zero(lane a, lane least) {
    mask large = (a > least) & (a > SMALLEST);
    return choose(large, 1.0f / choose(large, a, splat(1.0f)), splat(0.0f));
}

static inline vec plus(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec minus(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec times(lane s, vec a) { return (vec){s * a.x, s * a.y, s * a.z}; }
static inline lane dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// |a| and a / |a|, zero where it cannot be measured.
static inline lane length_and_direction(vec a, vec *direction) {
    lane square = dot(a, a);
    lane inverse = choose(square > SMALLEST, reciprocal_square_root(square), splat(0.0f));
    *direction = times(inverse, a);
    return square * inverse;
}

// Four vectors whose groups of four are transposed group by group.
#if LANES == 16
#define INTERLEAVE(a, b, i)                                                                        \
    __builtin_shufflevector(a, b, i, 16 + i, i + 1, 17 + i, 4 + i, 20 + i, 5 + i, 21 + i, 8 + i,   \
                            24 + i, 9 + i, 25 + i, 12 + i, 28 + i, 13 + i, 29 + i)
#define HALVES(a, b, i)                                                                            \
    __builtin_shufflevector(a, b, i, i + 1, 16 + i, 17 + i, 4 + i, 5 + i, 20 + i, 21 + i, 8 + i,   \
                            9 + i, 24 + i, 25 + i, 12 + i, 13 + i, 28 + i, 29 + i)
#elif LANES == 8
#define INTERLEAVE(a, b, i)                                                                        \
    __builtin_shufflevector(a, b, i, 8 + i, i + 1, 9 + i, 4 + i, 12 + i, 5 + i, 13 + i)
#define HALVES(a, b, i)                                                                            \
    __builtin_shufflevector(a, b, i, i + 1, 8 + i, 9 + i, 4 + i, 5 + i, 12 + i, 13 + i)
#else
#define INTERLEAVE(a, b, i) __builtin_shufflevector(a, b, i, 4 + i, i + 1, 5 + i)
#define HALVES(a, b, i) __builtin_shufflevector(a, b, i, i + 1, 4 + i, 5 + i)
#endif

static inline void transpose(lane q[4]) {
    lane low_ab = INTERLEAVE(q[0], q[1], 0), high_ab = INTERLEAVE(q[0], q[1], 2);
    lane low_cd = INTERLEAVE(q[2], q[3], 0), high_cd = INTERLEAVE(q[2], q[3], 2);
    q[0] = HALVES(low_ab, low_cd, 0);
    q[1] = HALVES(low_ab, low_cd, 2);
    q[2] = HALVES(high_ab, high_cd, 0);
    q[3] = HALVES(high_ab, high_cd, 2);
}

static inline row *row_at(const char *rows, uint32_t offset) { return (row *)(rows + offset); }

// Rows `first`, first + 4, … end to end.
static inline lane gather(const char *rows, const uint32_t *offsets, int first) {
    row *a = row_at(rows, offsets[first]);
#if LANES == 4
    return *a;
#else
    row *b = row_at(rows, offsets[first + 4]);
    __m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256((__m128)*a), (__m128)*b, 1);
#if LANES == 8
    return (lane)low;
#else
    row *c = row_at(rows, offsets[first + 8]), *d = row_at(rows, offsets[first + 12]);
    __m256 high = _mm256_insertf128_ps(_mm256_castps128_ps256((__m128)*c), (__m128)*d, 1);
    return (lane)_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
#endif
#endif
}

static inline particles load(const char *rows, const uint32_t *offsets) {
    lane q[4];
    for (int k = 0; k < 4; k++) q[k] = gather(rows, offsets, k);
    transpose(q);
    return (particles){{q[0], q[1], q[2]}, q[3]};
}

#define PART(q, k) __builtin_shufflevector(q, q, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3)

static inline void store(char *rows, const uint32_t *offsets, vec x, lane w) {
    lane q[4] = {x.x, x.y, x.z, w};
    // Reading the offsets again is faster than keeping them, for which there are no registers.
    __asm__ volatile("" : "+r"(offsets));
    transpose(q);
    for (int k = 0; k < 4; k++) {
        *row_at(rows, offsets[k]) = PART(q[k], 0);
#if LANES >= 8
        *row_at(rows, offsets[k + 4]) = PART(q[k], 1);
#endif
#if LANES == 16
        *row_at(rows, offsets[k + 8]) = PART(q[k], 2);
        *row_at(rows, offsets[k + 12]) = PART(q[k], 3);
#endif
    }
}
