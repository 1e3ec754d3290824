/* SPDX-License-Identifier: MIT */
/* Somebody's motion that is followed, without an arm, a session or a file: what was taken, what
 * came of it, and what an earlier program left of that. */
#include "session/following.h"

#include <string.h>

#include "io/base/said.h"
#include "io/recording/motion_hole.h"

#define NAME "a.csv"

static const char a_motion[] = "t_s,q1_rad\n0,0\n0.5,0.1\n1,0\n";
static const char hole[] = "t_s,q1_rad\n0,0\n0.1,0.1\n0.2,0.2\n1,0.1\n1.1,0\n";
static const char b_motion[] = "t_s,q1_rad\n0,0\n0.5,0.2\n1,0\n";

typedef struct {
  ArmModel model;
  AseFollowing *following;
} Case;

static void case_init(Case *c) {
  g_assert_cmpint(arm_model_init(&c->model, 1), ==, ARM_OK);
  c->following = ase_following_new();
}

static void case_clear(Case *c) {
  ase_following_free(c->following);
  ase_following_free(NULL);
}

static AseStepState state(const Case *c) {
  return ase_following_told(c->following)->state;
}

static AioMotionTable *motion_of(const Case *c, const char *name, const char *csv) {
  GError *error = NULL;
  AioMotionTable *motion = aio_motion_load_bytes(name, csv, strlen(csv), &c->model, &error);
  g_assert_no_error(error);
  return motion;
}

static void take(Case *c, const char *csv) {
  AioMotionTable *motion = motion_of(c, NAME, csv);
  const double at_rest[5] = {0};
  ArmCubics *cubics = NULL;
  g_assert_cmpint(
      arm_cubics_new(1, motion->rows, motion->t, motion->q, at_rest, 0.02, 1.0, &cubics), ==,
      ARM_OK);
  AseCandidate candidate = {.trajectory = ase_trajectory_new(NAME, cubics, &c->model, 1.0),
                            .slowness = 1.25,
                            .digest = aio_motion_digest(motion),
                            .guess = aio_motion_hole_said(motion)};
  ase_following_take(c->following, &candidate);
  aio_motion_free(motion);
}

static AseLeg leg_of(const Case *c, AsePurpose purpose) {
  return (AseLeg){
      .purpose = purpose, .trajectory = ase_following_trajectory(c->following), .slowness = 1.0};
}

/* A leg along the motion of which one sample was taken, at its beginning. */
static void do_leg(Case *c, AsePurpose purpose, gint64 id, bool is_complete, double q) {
  const AseLeg leg = leg_of(c, purpose);
  AseRun *run = ase_run_new(&leg, id);
  AioChunk *chunk = aio_chunk_new(1, 0);
  const AioSample sample = {.t_us = 1000000, .q = {q}};
  g_assert_true(aio_chunk_push(chunk, &sample, 0));
  g_ptr_array_add(run->chunks, chunk);
  run->is_complete = is_complete;
  ase_following_enter_leg(c->following, &leg);
  g_assert_cmpint(ase_following_told(c->following)->is_dry_run, ==, purpose == ASE_PURPOSE_DRY_RUN);
  ase_following_leave_leg(c->following, &leg, run, 3);
  ase_run_unref(run);
}

static void refused(const Case *c, const char *part) {
  GError *error = NULL;
  g_assert_false(ase_following_is_ready(c->following, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, part));
  g_clear_error(&error);
  g_assert_false(ase_following_is_ready(c->following, NULL));
}

/* ---- what is to be followed ---- */

static void test_take(void) {
  Case c;
  case_init(&c);
  const AseRecordingState *told = ase_following_told(c.following);
  g_assert_cmpint(told->state, ==, ASE_STATE_WAITING);
  g_assert_cmpstr(told->reason, ==, "");
  g_assert_null(ase_following_trajectory(c.following));
  refused(&c, "no motion");
  take(&c, a_motion);
  g_assert_true(ase_following_is_ready(c.following, NULL));
  g_assert_cmpint(told->state, ==, ASE_STATE_READY);
  g_assert_cmpstr(told->motion, ==, NAME);
  g_assert_cmpfloat(told->slowness, ==, 1.25);
  ase_following_number(c.following, 4);
  g_assert_cmpuint(ase_following_design(c.following), ==, 4);
  ase_following_outdate(c.following);
  refused(&c, "have changed");
  take(&c, b_motion); /* which is of no design */
  g_assert_true(ase_following_is_ready(c.following, NULL));
  g_assert_cmpuint(ase_following_design(c.following), ==, 0);
  case_clear(&c);
}

/* Until another motion is taken. */
static void test_guess(void) {
  Case c;
  case_init(&c);
  const AseRecordingState *told = ase_following_told(c.following);
  g_assert_null(told->guess);
  take(&c, hole);
  g_autofree char *text = aio_said_text(told->guess);
  g_assert_cmpstr(text, ==,
                  "a.csv:4: at 0.2 s, 0.8 s to the next row, where rows are 0.1 s apart: what is "
                  "between is a guess");
  take(&c, a_motion);
  g_assert_null(told->guess);
  case_clear(&c);
}

static void test_dry_run(void) {
  Case c;
  case_init(&c);
  take(&c, a_motion);
  ase_following_begin(c.following);
  g_assert_false(ase_following_has_dry_run(c.following, 0));
  do_leg(&c, ASE_PURPOSE_DRY_RUN, 5, false, 0.0);
  g_assert_false(ase_following_has_dry_run(c.following, 3));
  do_leg(&c, ASE_PURPOSE_DRY_RUN, 6, true, 0.0);
  g_assert_true(ase_following_has_dry_run(c.following, 3));
  g_assert_false(ase_following_has_dry_run(c.following, 4)); /* another connection */
  take(&c, a_motion);
  g_assert_false(ase_following_has_dry_run(c.following, 3));
  case_clear(&c);
}

/* ---- while it is followed ---- */

static void test_end(void) {
  Case c;
  case_init(&c);
  take(&c, a_motion);
  ase_following_number(c.following, 2);
  const AseRecordingState *told = ase_following_told(c.following);
  AseFollowedBefore before = ase_following_begin(c.following);
  g_assert_cmpint(before.whole, ==, 0);
  g_assert_cmpint(before.unfinished, ==, 0);
  g_assert_cmpint(told->state, ==, ASE_STATE_RUNNING);
  do_leg(&c, ASE_PURPOSE_MEASURE, 7, true, 0.05);
  g_assert_cmpuint(told->samples, ==, 1);
  g_assert_cmpfloat_with_epsilon(told->apart[0], 0.05, 0.01);
  char *said = ase_following_said(c.following, &c.model);
  g_assert_true(g_str_has_prefix(aio_said_shown(said), "1 s, 1 samples, 0 lost, within "));
  ase_following_end(c.following, true, said);
  g_assert_cmpint(told->state, ==, ASE_STATE_PASSED);
  const AseFollowed *last = ase_following_last(c.following);
  g_assert_cmpstr(last->reason, ==, said);
  g_assert_cmpuint(last->design, ==, 2);
  g_assert_cmpint(last->run, ==, 7);
  g_assert_cmpfloat(last->apart[0], ==, told->apart[0]);
  g_free(said);

  /* once more: what was recorded counts no more, until it turns out that it cannot begin */
  before = ase_following_begin(c.following);
  g_assert_cmpint(before.whole, ==, 7);
  ase_following_take_back(c.following, &before, "no");
  g_assert_cmpint(state(&c), ==, ASE_STATE_FAILED);
  g_assert_cmpint(ase_following_last(c.following)->run, ==, 7);
  case_clear(&c);
}

static void test_unfinished(void) {
  Case c;
  case_init(&c);
  take(&c, a_motion);
  ase_following_begin(c.following);
  do_leg(&c, ASE_PURPOSE_MEASURE, 8, false, 0.0);
  ase_following_end(c.following, false, "held");
  g_assert_cmpint(ase_following_last(c.following)->run, ==, 0);
  AseFollowedBefore before = ase_following_begin(c.following);
  g_assert_cmpint(before.whole, ==, 0);
  g_assert_cmpint(before.unfinished, ==, 8);
  ase_following_take_back(c.following, &before, "no");
  before = ase_following_begin(c.following);
  g_assert_cmpint(before.unfinished, ==, 8);
  ase_following_end(c.following, false, "held");
  before = ase_following_begin(c.following);
  g_assert_cmpint(before.unfinished, ==, 0); /* it counts no more already */
  g_assert_true(ase_following_abandon(c.following));
  g_assert_cmpint(state(&c), ==, ASE_STATE_FAILED);
  g_assert_false(ase_following_abandon(c.following));
  take(&c, a_motion); /* ready: why it failed before is said no more */
  g_assert_cmpint(state(&c), ==, ASE_STATE_READY);
  g_assert_cmpstr(ase_following_told(c.following)->reason, ==, "");
  case_clear(&c);
}

/* ---- what the file remembers ---- */

/* What the file of a program that ended says. */
static char *steps_of(const Case *c) {
  char *motions = ase_following_to_json(c->following, 1);
  char *steps = g_strdup_printf("{\"" ASE_FOLLOWED_KEY "\": %s}", motions);
  g_free(motions);
  return steps;
}

static void recall(Case *c, const char *steps) {
  GError *error = NULL;
  ase_following_free(c->following);
  c->following = ase_following_new();
  ase_following_recall(c->following, steps, &error);
  g_assert_no_error(error);
}

static void test_recall(void) {
  Case c;
  GError *error = NULL;
  case_init(&c);
  g_assert_null(ase_following_to_json(c.following, 1));
  g_assert_null(ase_following_last(c.following));
  take(&c, a_motion);
  ase_following_begin(c.following);
  do_leg(&c, ASE_PURPOSE_MEASURE, 7, true, 0.05);
  ase_following_end(c.following, true, "as it was to be");
  char *steps = steps_of(&c);

  recall(&c, steps);
  const AseRecordingState *told = ase_following_told(c.following);
  g_assert_cmpint(told->state, ==, ASE_STATE_PASSED);
  g_assert_cmpstr(told->motion, ==, NAME);
  g_assert_cmpstr(told->reason, ==, "as it was to be");
  g_assert_cmpuint(told->samples, ==, 1);
  g_assert_cmpfloat(told->apart[0], >, 0.0);
  refused(&c, "no motion"); /* none was taken in this program */
  ase_following_meet_run(c.following, 7, true);
  ase_following_meet_run(c.following, 9, false);
  take(&c, a_motion);
  g_assert_cmpint(told->state, ==, ASE_STATE_READY);
  g_assert_cmpstr(told->reason, ==, "as it was to be");
  g_assert_cmpuint(told->samples, ==, 0);
  const AseFollowedBefore before = ase_following_begin(c.following);
  g_assert_cmpint(before.whole, ==, 7);
  g_assert_cmpint(before.unfinished, ==, 9);

  recall(&c, "{}"); /* of an earlier program */
  g_assert_cmpint(ase_following_told(c.following)->state, ==, ASE_STATE_WAITING);
  g_assert_false(ase_following_recall(c.following, "{\"motions\": 1}", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
  g_clear_error(&error);
  g_free(steps);
  case_clear(&c);
}

static void is_same(const Case *c, const char *name, const char *csv, const char *part) {
  GError *error = NULL;
  AioMotionTable *motion = motion_of(c, name, csv);
  g_assert_cmpint(ase_following_is_same(c->following, motion, &error), ==, !part);
  if (part) {
    g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
    g_assert_nonnull(strstr(error->message, part));
  }
  g_clear_error(&error);
  aio_motion_free(motion);
}

static void test_same(void) {
  Case c;
  case_init(&c);
  is_same(&c, NAME, a_motion, NULL); /* none was */
  take(&c, a_motion);
  is_same(&c, NAME, b_motion, NULL); /* nor yet */
  ase_following_begin(c.following);
  ase_following_end(c.following, false, "held");
  is_same(&c, "renamed.csv", a_motion, NULL);
  is_same(&c, NAME, b_motion, "contains another motion now");
  is_same(&c, "b.csv", b_motion, "b.csv is another motion");
  ase_following_number(c.following, 1);
  ase_following_begin(c.following);
  is_same(&c, "b.csv", b_motion, NULL); /* a design may be another one */
  case_clear(&c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/following/take", test_take);
  g_test_add_func("/following/guess", test_guess);
  g_test_add_func("/following/dry_run", test_dry_run);
  g_test_add_func("/following/end", test_end);
  g_test_add_func("/following/unfinished", test_unfinished);
  g_test_add_func("/following/recall", test_recall);
  g_test_add_func("/following/same", test_same);
  return g_test_run();
}
