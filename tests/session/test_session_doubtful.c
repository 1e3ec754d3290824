/* SPDX-License-Identifier: MIT */
/* Sessions of recordings, and files of sessions, in which something cannot be: it is told, in words
 * without numbers that are none, and nothing rests on it. */
#include "import_case.h"
#include "support/support.h"

/* ---- rows that are left out ---- */

static bool tells_gaps(const Case *c) {
  const ArmDoubts *doubts = &ase_session_fit(c->session)->doubts;
  for (gsize k = 0; k < doubts->count; k++)
    if (doubts->at[k].kind == ARM_DOUBT_GAPS)
      return true;
  return false;
}

/* Amid one stroke of joint 2 somebody says that nothing moves. */
static void test_cut(void) {
  enum { FIRST = 1085, ROWS = 12 };
  Case c;
  case_init(&c);
  g_assert_cmpint(c.recording->joint[FIRST], ==, 2);
  g_assert_cmpint(c.recording->joint[FIRST + ROWS], ==, 2);
  for (gsize row = FIRST; row < FIRST + ROWS; row++)
    c.recording->joint[row] = 0;
  case_import(&c);
  case_do(&c, ASE_STEP_FIT);
  g_assert_false(tells_gaps(&c));
  case_clear(&c);
}

/* Here they are missing. */
static void test_lost(void) {
  enum { FIRST = 1085, ROWS = 12 };
  Case c;
  case_init(&c);
  AioRecording *r = c.recording;
  for (gsize row = FIRST; row < FIRST + ROWS; row++)
    r->joint[row] = 0;
  for (gsize row = FIRST; row < FIRST + ROWS; row++) /* nobody recorded between them */
    r->t[row] = r->t[FIRST - 1] + 1e-4 * (double)(row - FIRST + 1);
  case_import(&c);
  case_do(&c, ASE_STEP_FIT);
  g_assert_true(tells_gaps(&c));
  case_clear(&c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/session/doubtful/cut", test_cut);
  g_test_add_func("/session/doubtful/lost", test_lost);
  return g_test_run();
}
