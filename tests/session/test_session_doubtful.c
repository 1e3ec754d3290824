/* SPDX-License-Identifier: MIT */
/* Sessions of recordings, and files of sessions, in which something cannot be: it is told, in words
 * without numbers that are none, and nothing rests on it. */
#include <math.h>
#include <string.h>

#include "import_case.h"
#include "io/params/params_file.h"
#include "io/store/store.h"
#include "session/method/gravity.h"
#include "support/support.h"

/* ---- fits that are not those of the session ---- */

/* Opened, it has no fit, and says why; what rested on it is out of date. */
static void assert_stale(Case *c, const char *why) {
  GError *error = NULL;
  c->session = ase_session_open(c->path, PROGRAM, NULL, &error);
  g_assert_no_error(error);
  g_assert_null(ase_session_fit(c->session));
  g_assert_cmpint(case_state(c, ASE_STEP_FIT), ==, ASE_STATE_STALE);
  const char *reason = ase_step_reason(&ase_session_procedure(c->session)->steps[ASE_STEP_FIT]);
  g_assert_nonnull(strstr(reason, why));
}

static void assert_refused(Case *c, const char *why) {
  assert_stale(c, why);
  g_assert_cmpint(case_state(c, ASE_STEP_VALIDATE), ==, ASE_STATE_STALE);
  case_do(c, ASE_STEP_FIT);
}

/* A digit of a number, as an editor would, beside the digest that was written with it. */
static void change_fit(Case *c) {
  char *text = ase_session_parameters(c->session, NULL), *at = strstr(text, "\"residual_sd_A\"");
  g_clear_object(&c->session);
  g_assert_nonnull(at);
  char *from = g_strndup(strpbrk(at, ".") + 1, 12), *to = g_strdup(from);
  to[3] = to[3] == '7' ? '8' : '7';
  case_spoil(c, from, to);
  g_free(from);
  g_free(to);
  g_free(text);
}

static void test_changed_fit(void) {
  Case c;
  case_init(&c);
  case_import(&c);
  case_do(&c, ASE_STEP_FIT);
  case_do(&c, ASE_STEP_VALIDATE);
  change_fit(&c);
  assert_refused(&c, "it was changed after it was fitted");
  case_clear(&c);
}

static bool keep(const AioStoreFit *row, void *data) {
  g_free(*(char **)data);
  *(char **)data = g_strdup(row->parameters);
  return true;
}

/* As it is in the session's file, which no validation has seen. */
static char *kept_fit(const Case *c) {
  GError *error = NULL;
  char *text = NULL;
  AioStore *store = aio_store_open_read(c->path, &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_each_fit(store, keep, &text, &error));
  g_assert_true(aio_store_close(store, &error));
  return text;
}

/* Sound in itself, but of an arm whose digest has another digit. */
static void test_changed_arm(void) {
  Case c;
  GError *error = NULL;
  case_init(&c);
  case_import(&c);
  case_do(&c, ASE_STEP_FIT);
  GString *text = g_string_new(NULL);
  case_do(&c, ASE_STEP_VALIDATE);
  g_clear_object(&c.session);
  char *fit = kept_fit(&c), *other = g_strdup(c.arm->digest);
  const gsize last = strlen(other) - 1;
  other[last] = other[last] == '7' ? '8' : '7';
  g_string_assign(text, fit);
  g_assert_cmpuint(g_string_replace(text, c.arm->digest, other, 0), >, 0);
  AioParams *params = aio_params_load_bytes("fit", text->str, text->len, &c.arm->model, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(params->digest, !=, params->stated_digest);
  case_spoil(&c, c.arm->digest, other);
  case_spoil(&c, params->stated_digest, params->digest);
  assert_refused(&c, "it was fitted with another arm file");
  aio_params_free(params);
  g_string_free(text, TRUE);
  g_free(other);
  g_free(fit);
  case_clear(&c);
}

/* ---- rows that are left out ---- */

static bool tells_gaps(const Case *c) {
  const ArmDoubts *doubts = &ase_gravity_of(ase_session_fit(c->session))->doubts;
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

/* ---- currents that cannot be ---- */

static void scale_currents(const Case *c, gsize joint, double factor) {
  for (gsize row = 0; row < c->recording->rows; row++)
    c->recording->current[joint * c->recording->rows + row] *= factor;
}

static const ArmDoubt *find_doubt(const Case *c, ArmDoubtKind kind, gsize joint) {
  const ArmDoubts *doubts = &ase_gravity_of(ase_session_fit(c->session))->doubts;
  for (gsize k = 0; k < doubts->count; k++)
    if (doubts->at[k].kind == kind && doubts->at[k].joint == joint)
      return &doubts->at[k];
  return NULL;
}

/* Nobody reads a number that is none. */
static void assert_words(const Case *c) {
  const AseProcedure *p = ase_session_procedure(c->session);
  for (guint step = 0; step < ASE_STEPS; step++) {
    g_assert_null(strstr(ase_step_reason(&p->steps[step]), "nan"));
    for (guint j = 0; j < p->joints; j++)
      if (strstr(ase_step_reason(&p->joint[step][j]), "nan") ||
          strstr(ase_step_reason(&p->joint[step][j]), "inf "))
        g_error("joint %u: %s", j + 1, ase_step_reason(&p->joint[step][j]));
  }
}

/* With the limits of a real arm, and in mA. */
static void case_init_limited(Case *c, gsize first, gsize end) {
  GError *error = NULL;
  case_init(c);
  g_free(c->arm_text);
  aio_arm_free(c->arm);
  const char *arm = test_source_path("data/robots/puma560-table1.arm.json");
  g_assert_true(g_file_get_contents(arm, &c->arm_text, NULL, NULL));
  c->arm = aio_arm_load_bytes("arm", c->arm_text, strlen(c->arm_text), &error);
  g_assert_no_error(error);
  for (gsize joint = first; joint < end; joint++)
    scale_currents(c, joint, 1e3);
}

/* One joint: it was swept, so nobody asks for sweeps; what is wrong is told. */
static void test_milliamperes(void) {
  Case c;
  case_init_limited(&c, 3, 4);
  for (gsize row = 0; row < c.recording->rows; row++) { /* none is small by chance */
    double *current = &c.recording->current[3 * c.recording->rows + row];
    *current += *current > 0 ? 100 : -100;
  }
  case_import(&c);
  g_assert_cmpint(case_finish(&c, ASE_STEP_FIT)->state, ==, ASE_STATE_FAILED);
  const ArmJointFit *joint = &ase_gravity_of(ase_session_fit(c.session))->refined.joint[3];
  g_assert_cmpuint(joint->rows_used, ==, 0);
  g_assert_cmpint(joint->friction[0].reason, ==, ARM_REASON_ROWS_LEFT_OUT);
  g_assert_cmpint(ase_gravity_of(ase_session_fit(c.session))->verdict.joint[3].untold, ==,
                  ARM_UNTOLD_LEFT_OUT);
  g_assert_nonnull(find_doubt(&c, ARM_DOUBT_CURRENT_LIMIT, 3));
  const char *reason = ase_step_reason(&ase_session_procedure(c.session)->joint[ASE_STEP_FIT][3]);
  g_assert_nonnull(strstr(reason, "look at its column, unit and limit"));
  g_assert_null(strstr(reason, "record sweeps"));
  assert_words(&c);
  case_clear(&c);
}

/* All of them: there is nothing to fit, and the reason is said. */
static void test_all_milliamperes(void) {
  Case c;
  case_init_limited(&c, 0, 6);
  for (gsize k = 0; k < 6 * c.recording->rows; k++)
    c.recording->current[k] += c.recording->current[k] > 0 ? 100 : -100;
  case_import(&c);
  const AseStepInfo *step = case_finish(&c, ASE_STEP_FIT);
  g_assert_cmpint(step->state, ==, ASE_STATE_FAILED);
  g_assert_nonnull(strstr(ase_step_reason(step), "is it in A"));
  assert_words(&c);
  case_clear(&c);
}

/* A sensor that delivers nothing, or always the same. */
static void test_dead(void) {
  static const ArmDoubtKind kinds[] = {ARM_DOUBT_ZERO, ARM_DOUBT_CONSTANT};
  for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
    Case c;
    case_init(&c);
    scale_currents(&c, 5, 0.0);
    for (gsize row = 0; row < c.recording->rows; row++)
      c.recording->current[5 * c.recording->rows + row] += 0.7 * k;
    case_import(&c);
    g_assert_cmpint(case_finish(&c, ASE_STEP_FIT)->state, ==, ASE_STATE_FAILED);
    g_assert_nonnull(find_doubt(&c, kinds[k], 5));
    g_assert_cmpint(ase_gravity_of(ase_session_fit(c.session))->verdict.joint[5].verdict, ==,
                    ARM_VERDICT_UNKNOWN);
    assert_words(&c);
    case_clear(&c);
  }
}

/* A fit that failed is kept too, and refused in words as well. */
static void test_changed_misfit(void) {
  Case c;
  case_init(&c);
  scale_currents(&c, 5, 0.0);
  case_import(&c);
  g_assert_cmpint(case_finish(&c, ASE_STEP_FIT)->state, ==, ASE_STATE_FAILED);
  change_fit(&c);
  assert_stale(&c, "it was changed after it was fitted");
  case_clear(&c);
}

/* A drive that limits exactly where the arm file says: its samples are left out, and told. */
static void test_clamped(void) {
  Case c;
  case_init_limited(&c, 0, 0);
  const gsize rows = c.recording->rows;
  double *current = c.recording->current + rows, most = 0.0;
  for (gsize row = 0; row < rows; row++)
    if (c.recording->joint[row] == 2)
      most = fmax(most, fabs(current[row]));
  scale_currents(&c, 1, 14.0 / most); /* its limit is 12 A */
  for (gsize row = 0; row < rows; row++)
    current[row] = CLAMP(current[row], -12.0, 12.0);
  case_import(&c);
  case_finish(&c, ASE_STEP_FIT);
  const ArmDoubt *doubt = find_doubt(&c, ARM_DOUBT_SATURATED, 1);
  g_assert_nonnull(doubt);
  g_assert_cmpfloat(fabs(doubt->found), ==, 12.0);
  case_clear(&c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/session/doubtful/changed-fit", test_changed_fit);
  g_test_add_func("/session/doubtful/changed-misfit", test_changed_misfit);
  g_test_add_func("/session/doubtful/changed-arm", test_changed_arm);
  g_test_add_func("/session/doubtful/cut", test_cut);
  g_test_add_func("/session/doubtful/lost", test_lost);
  g_test_add_func("/session/doubtful/milliamperes", test_milliamperes);
  g_test_add_func("/session/doubtful/all-milliamperes", test_all_milliamperes);
  g_test_add_func("/session/doubtful/dead", test_dead);
  g_test_add_func("/session/doubtful/clamped", test_clamped);
  return g_test_run();
}
