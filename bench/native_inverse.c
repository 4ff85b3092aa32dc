/*
 * Inverse and log-determinant of one matrix in native code, as a limit of what the machine can do.
 *
 * Usage: native_inverse N MILLISECONDS < matrix    (N a multiple of 32, N×N floats by rows)
 * Prints one JSON object: Gflop per second of CPU time with 2N³ operations, the log-determinant,
 * and the largest residual |A A⁻¹ − I|.
 *
 * As in kernels/inverse.ts, a Gauss-Jordan elimination by blocks, in place and without exchanges of
 * rows. With the pivot block P, the other columns of its rows R, the other rows of its columns C,
 * and the rest S, each block of 16 columns takes
 *
 *   P ← P⁻¹,   R ← P R,   S ← S − C R,   C ← −C P
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As wide as the registers: GCC does not split wider vectors well. */
#if defined(__AVX512F__)
enum { block = 16, lanes = 16, tile = 8 };
#elif defined(__AVX__)
enum { block = 16, lanes = 8, tile = 4 };
#else
enum { block = 16, lanes = 4, tile = 4 };
#endif
typedef float vector __attribute__((vector_size(4 * lanes), aligned(4)));

/* C ← C + sign · A B in tiles of two vectors, where A has `block` columns. */
static void multiply_add(int rows, int columns, const float *a, int a_stride, const float *b,
                         int b_stride, float *c, int c_stride, float sign) {
  for (int j = 0; j < columns; j += 2 * lanes) {
    for (int i = 0; i < rows; i += tile) {
      vector left[tile], right[tile];
      for (int r = 0; r < tile; r++) {
        left[r] = *(const vector *)(c + (i + r) * c_stride + j);
        right[r] = *(const vector *)(c + (i + r) * c_stride + j + lanes);
      }
      for (int k = 0; k < block; k++) {
        const vector b_left = *(const vector *)(b + k * b_stride + j);
        const vector b_right = *(const vector *)(b + k * b_stride + j + lanes);
#pragma GCC unroll 8
        for (int r = 0; r < tile; r++) {
          const float factor = sign * a[(i + r) * a_stride + k];
          left[r] += factor * b_left;
          right[r] += factor * b_right;
        }
      }
      for (int r = 0; r < tile; r++) {
        *(vector *)(c + (i + r) * c_stride + j) = left[r];
        *(vector *)(c + (i + r) * c_stride + j + lanes) = right[r];
      }
    }
  }
}

/* Inverts a block in place, in registers; returns the logarithm of its determinant. */
static double invert_block(float p[block][block]) {
  double determinant = 1;
  vector row[block][block / lanes];
  memcpy(row, p, sizeof row);
#pragma GCC unroll 16
  for (int k = 0; k < block; k++) {
    const int of = k / lanes, lane = k % lanes;
    const float diagonal = row[k][of][lane];
    determinant *= diagonal;
    row[k][of][lane] = 1;
    for (int j = 0; j < block / lanes; j++) row[k][j] *= 1 / diagonal;
#pragma GCC unroll 16
    for (int i = 0; i < block; i++) {
      if (i == k) continue;
      const float factor = row[i][of][lane];
      row[i][of][lane] = 0;
      for (int j = 0; j < block / lanes; j++) row[i][j] -= factor * row[k][j];
    }
  }
  memcpy(p, row, sizeof row);
  return log(determinant);
}

/* `panel` and `band` have room for block × n floats each. */
static double invert(float *a, int n, float *panel, float *band) {
  double log_determinant = 0;
  float pivot[block][block];
  for (int k = 0; k < n; k += block) {
    for (int i = 0; i < block; i++) memcpy(pivot[i], a + (k + i) * n + k, sizeof pivot[i]);
    log_determinant += invert_block(pivot);
    /* band = P⁻¹ R, with P⁻¹ itself in the columns of P. */
    memset(band, 0, sizeof(float) * block * n);
    multiply_add(block, n, pivot[0], block, a + k * n, n, band, n, 1);
    for (int i = 0; i < block; i++) memcpy(band + i * n + k, pivot[i], sizeof pivot[i]);
    /* panel = C; with zeros in its place, S − C R and −C P⁻¹ are one product. */
    for (int i = 0; i < n; i++) {
      memcpy(panel + i * block, a + i * n + k, sizeof(float) * block);
      memset(a + i * n + k, 0, sizeof(float) * block);
    }
    multiply_add(k, n, panel, block, band, n, a, n, -1);
    const int next = k + block;
    multiply_add(n - next, n, panel + next * block, block, band, n, a + next * n, n, -1);
    memcpy(a + k * n, band, sizeof(float) * block * n);
  }
  return log_determinant;
}

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

static double residual(const float *a, const float *inverse, int n) {
  double largest = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double sum = i == j ? -1 : 0;
      for (int k = 0; k < n; k++) sum += (double)a[i * n + k] * inverse[k * n + j];
      if (!(fabs(sum) <= largest)) largest = fabs(sum);
    }
  }
  return largest;
}

int main(int count, char **arguments) {
  const int n = count == 3 ? atoi(arguments[1]) : 0;
  if (n <= 0 || n % 32 != 0) {
    fprintf(stderr, "usage: native_inverse N MILLISECONDS, N a multiple of 32\n");
    return 2;
  }
  const size_t size = (size_t)n * n;
  float *original = malloc(sizeof(float) * size), *a = malloc(sizeof(float) * size);
  float *panel = malloc(sizeof(float) * block * n), *band = malloc(sizeof(float) * block * n);
  if (!original || !a || !panel || !band || fread(original, sizeof(float), size, stdin) != size) {
    fprintf(stderr, "expected %zu floats\n", size);
    return 1;
  }
  double log_determinant = 0;
  int repetitions = 0;
  const double start = cpu_seconds(), end = start + atof(arguments[2]) / 1000;
  do {
    memcpy(a, original, sizeof(float) * size);
    log_determinant = invert(a, n, panel, band);
    repetitions++;
  } while (cpu_seconds() < end);
  const double taken = (cpu_seconds() - start) / repetitions;
  printf("{\"gigaflops\": %.3f, \"logDeterminant\": %.9g, \"residual\": %.3g}\n",
         2e-9 * n * n * n / taken, log_determinant, residual(original, a, n));
  return 0;
}
