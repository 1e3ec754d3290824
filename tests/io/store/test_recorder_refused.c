/* SPDX-License-Identifier: MIT */
/* Rows that their table refuses. */
#include "recorder_case.h"

/* What no place and no second try would help: it is told and left out, the others are written. */
static bool refuse_mine(AioStore *store, gconstpointer data, GError **error) {
  (void)store;
  g_set_error_literal(error, AIO_ERROR, *(const gint *)data, "not this one");
  return false;
}

static void test_refused(RecorderCase *c, gconstpointer data) {
  static const gint codes[] = {AIO_ERROR_MEANING, AIO_ERROR_TOO_LARGE, AIO_ERROR_REFUSED};
  GError *error = NULL;
  (void)data;
  recorder_case_start(c, 0);
  for (guint k = 0; k < G_N_ELEMENTS(codes); k++) {
    aio_recorder_add(c->recorder, refuse_mine, (gpointer)&codes[k], NULL);
    recorder_case_push(c, 6, 1);
    g_assert_true(aio_recorder_flush(c->recorder, &error));
    g_assert_no_error(error);
    g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_REFUSED), ==, k + 1);
    g_assert_cmpint(c->failure, ==, codes[k]);
  }
  recorder_case_stop(c);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_FAILED), ==, 0);
  g_assert_cmpuint(recorder_case_count(c->path), ==, c->next);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add("/recorder/refused", RecorderCase, NULL, recorder_case_set_up, test_refused,
             recorder_case_tear_down);
  return g_test_run();
}
