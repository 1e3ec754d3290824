/* SPDX-License-Identifier: MIT */
/* Sketches of rows: shares of rows that two recordings have in common, whatever their order and
 * times, within what a sample tells; rows that come again; rest. */
#include "io/recording/row_sketch.h"

#include <math.h>

enum { JOINTS = 3, ROWS = 4000 };

typedef struct {
  AioRecording recording;
  double t[ROWS], q[JOINTS * ROWS], current[JOINTS * ROWS];
  int joint[ROWS];
} Made;

/* Rows from number `first` on, which say no more than their number. */
static void make(Made *made, int first, bool is_backward) {
  *made = (Made){.recording = {.n = JOINTS, .rows = ROWS}};
  made->recording.t = made->t;
  made->recording.q = made->q;
  made->recording.current = made->current;
  made->recording.joint = made->joint;
  for (int row = 0; row < ROWS; row++)
    for (int j = 0; j < JOINTS; j++) {
      const int number = first + (is_backward ? ROWS - 1 - row : row);
      made->t[row] = 0.01 * row;
      made->q[row + j * ROWS] = sin(0.1 * number + j);
      made->current[row + j * ROWS] = j == 2 ? (double)NAN : number;
    }
}

static void check_shared(const AioRowSketch *a, const AioRowSketch *b, double share) {
  g_assert_cmpfloat_with_epsilon(aio_row_sketch_shared(a, b), share, 0.1);
}

static void test_shared(void) {
  static const int shifts[] = {0, 1, 400, 2000, 3600, 4000};
  g_autofree Made *made = g_new(Made, 1);
  AioRowSketch first = {0};
  make(made, 0, false);
  aio_row_sketch_add(&first, &made->recording, 0, ROWS);
  g_assert_cmpuint(first.n, ==, AIO_ROW_SKETCH);
  g_assert_cmpfloat(aio_row_sketch_repeated(&first), ==, 0);
  for (gsize k = 0; k < G_N_ELEMENTS(shifts); k++) {
    AioRowSketch other = {0};
    make(made, shifts[k], k % 2);
    aio_row_sketch_add(&other, &made->recording, 0, ROWS / 2); /* in two windows */
    aio_row_sketch_add(&other, &made->recording, ROWS / 2, ROWS - ROWS / 2);
    check_shared(&first, &other, 1 - shifts[k] / (double)ROWS);
    check_shared(&other, &first, 1 - shifts[k] / (double)ROWS);
  }
}

/* Of a part of them all are shared, of the whole only the part. */
static void test_part(void) {
  g_autofree Made *made = g_new(Made, 1);
  AioRowSketch whole = {0}, part = {0}, few = {0};
  make(made, 0, false);
  aio_row_sketch_add(&whole, &made->recording, 0, ROWS);
  aio_row_sketch_add(&part, &made->recording, 3000, 1000);
  aio_row_sketch_add(&few, &made->recording, 0, 5);
  check_shared(&part, &whole, 1);
  check_shared(&whole, &part, 0.25);
  g_assert_cmpfloat(aio_row_sketch_shared(&few, &whole), ==, 0); /* too few to tell */
  g_assert_cmpfloat(aio_row_sketch_repeated(&few), ==, 0);
}

static void test_repeated(void) {
  g_autofree Made *made = g_new(Made, 1);
  AioRowSketch sketch = {0};
  make(made, 0, false);
  for (int k = 0; k < 2; k++)
    aio_row_sketch_add(&sketch, &made->recording, 0, ROWS / 2);
  g_assert_cmpfloat(aio_row_sketch_repeated(&sketch), ==, 1);
  aio_row_sketch_add(&sketch, &made->recording, ROWS / 2, ROWS - ROWS / 2);
  g_assert_cmpfloat_with_epsilon(aio_row_sketch_repeated(&sketch), 0.5, 0.1);
}

/* A row like the one before is rest; 0 and -0 are one number. */
static void test_rest(void) {
  g_autofree Made *made = g_new(Made, 1);
  AioRowSketch sketch = {0};
  make(made, 0, false);
  for (int row = 0; row < ROWS; row++)
    for (int j = 0; j < JOINTS; j++) {
      made->q[row + j * ROWS] = row % 2 ? 0.0 : -0.0;
      made->current[row + j * ROWS] = 1;
    }
  aio_row_sketch_add(&sketch, &made->recording, 0, ROWS);
  g_assert_cmpuint(sketch.n, ==, 1);
  g_assert_cmpuint(sketch.times[0], ==, 1);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/row-sketch/shared", test_shared);
  g_test_add_func("/row-sketch/part", test_part);
  g_test_add_func("/row-sketch/repeated", test_repeated);
  g_test_add_func("/row-sketch/rest", test_rest);
  return g_test_run();
}
