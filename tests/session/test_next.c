/* SPDX-License-Identifier: MIT */
/* What is next: a table of where the steps stand, for who fits sweeps as they are and for who wants
 * all of it up to date; and that whoever asks hears the same but for what its own facts say. */
#include <string.h>

#include "session/next.h"

static const AseNextFacts AT_REST = {0}, ARMED = {.is_armed = true};
static const AseNextFacts FAULTS = {.has_faults = true};
static const AseNextFacts ARMED_FAULTS = {.is_armed = true, .has_faults = true};
static const AseNextFacts ALL = {.is_armed = true, .wants_sweeps = true};

/* Everything up to this step has passed. */
static AseProcedure *reached(AseStep step) {
  AseProcedure *procedure = g_new0(AseProcedure, 1);
  ase_procedure_init(procedure, ase_session_steps(), 2);
  for (AseStep k = 0; k <= step; k++)
    ase_procedure_pass(procedure, k, 0, "");
  return procedure;
}

static void test_passed(void) {
  static const struct {
    AseStep passed;
    AseNext at_rest, armed, faults, all;
  } cases[] = {
      {ASE_STEP_CONNECT, ASE_NEXT_CONNECT, ASE_NEXT_CONNECT, ASE_NEXT_CONNECT, ASE_NEXT_CONNECT},
      {ASE_STEP_DESCRIBE, ASE_NEXT_CHECK, ASE_NEXT_CHECK, ASE_NEXT_CLEAR, ASE_NEXT_CHECK},
      {ASE_STEP_CHECK, ASE_NEXT_CONFIGURE, ASE_NEXT_CONFIGURE, ASE_NEXT_CONFIGURE,
       ASE_NEXT_CONFIGURE},
      {ASE_STEP_CONFIGURE, ASE_NEXT_PLAN, ASE_NEXT_PLAN, ASE_NEXT_PLAN, ASE_NEXT_PLAN},
      {ASE_STEP_PLAN, ASE_NEXT_ARM, ASE_NEXT_DRY_RUN, ASE_NEXT_CLEAR, ASE_NEXT_DRY_RUN},
      {ASE_STEP_DRY_RUN, ASE_NEXT_ARM, ASE_NEXT_SWEEP, ASE_NEXT_CLEAR, ASE_NEXT_SWEEP},
      {ASE_STEP_SWEEP, ASE_NEXT_FIT, ASE_NEXT_FIT, ASE_NEXT_FIT, ASE_NEXT_FIT},
      {ASE_STEP_FIT, ASE_NEXT_VALIDATE, ASE_NEXT_VALIDATE, ASE_NEXT_VALIDATE, ASE_NEXT_VALIDATE},
      {ASE_STEP_VALIDATE, ASE_NEXT_EXPORT, ASE_NEXT_EXPORT, ASE_NEXT_EXPORT, ASE_NEXT_EXPORT},
      {ASE_STEP_EXPORT, ASE_NEXT_DONE, ASE_NEXT_DONE, ASE_NEXT_DONE, ASE_NEXT_DONE}};
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    AseProcedure *p = reached(cases[k].passed);
    g_assert_cmpint(ase_procedure_next(p, &AT_REST), ==, cases[k].at_rest);
    g_assert_cmpint(ase_procedure_next(p, &ARMED), ==, cases[k].armed);
    g_assert_cmpint(ase_procedure_next(p, &FAULTS), ==, cases[k].faults);
    g_assert_cmpint(ase_procedure_next(p, &ALL), ==, cases[k].all);
    ase_procedure_start(p, ASE_STEP_CHECK, 0);
    g_assert_cmpint(ase_procedure_next(p, &ARMED), ==, ASE_NEXT_WAIT);
    g_assert_cmpint(ase_procedure_next(p, &ALL), ==, ASE_NEXT_WAIT);
    g_free(p);
  }
}

/* A fault of an arm that is armed is its own matter: it stops, and is armed no more. */
static void test_faults(void) {
  AseProcedure *p = reached(ASE_STEP_PLAN);
  g_assert_cmpint(ase_procedure_next(p, &ARMED_FAULTS), ==, ASE_NEXT_DRY_RUN);
  ase_procedure_fail(p, ASE_STEP_CHECK, 0, "a fault");
  g_assert_cmpint(ase_procedure_next(p, &ARMED_FAULTS), ==, ASE_NEXT_CLEAR);
  g_assert_cmpint(ase_procedure_next(p, &AT_REST), ==, ASE_NEXT_CHECK);
  g_free(p);
}

static void test_failed(void) {
  ArmVerdict verdict = {.verdict = ARM_VERDICT_MISFIT};
  const AseNextFacts fitted = {.verdict = &verdict};
  AseProcedure *p = reached(ASE_STEP_FIT);
  ase_procedure_leave_unjudged(p, ASE_STEP_FIT, 1, "one speed");
  g_assert_cmpint(ase_procedure_next(p, &AT_REST), ==, ASE_NEXT_VALIDATE);
  ase_procedure_pass(p, ASE_STEP_VALIDATE, 0, "");
  ase_procedure_pass(p, ASE_STEP_EXPORT, 0, "");
  g_assert_cmpint(ase_procedure_next(p, &AT_REST), ==, ASE_NEXT_UNJUDGED);
  ase_procedure_fail(p, ASE_STEP_VALIDATE, 0, "too large");
  g_assert_cmpint(ase_procedure_next(p, &AT_REST), ==, ASE_NEXT_LOOK);
  ase_procedure_fail(p, ASE_STEP_FIT, 2, "misfit");
  g_assert_cmpint(ase_procedure_next(p, &fitted), ==, ASE_NEXT_MISFIT);
  verdict.verdict = ARM_VERDICT_UNKNOWN;
  g_assert_cmpint(ase_procedure_next(p, &fitted), ==, ASE_NEXT_NOT_FIT);
  g_assert_cmpint(ase_procedure_next(p, &AT_REST), ==, ASE_NEXT_FIT); /* there is none to look at */
  ase_procedure_outdate(p, ASE_STEP_FIT, "the arm has been edited");
  g_assert_cmpint(ase_procedure_next(p, &fitted), ==, ASE_NEXT_FIT);
  g_free(p);

  p = reached(ASE_STEP_CONNECT);
  ase_procedure_fail(p, ASE_STEP_DESCRIBE, 0, "another arm");
  g_assert_cmpint(ase_procedure_next(p, &AT_REST), ==, ASE_NEXT_OTHER_ARM);
  g_assert_cmpint(ase_procedure_next(p, &ALL), ==, ASE_NEXT_OTHER_ARM);
  g_free(p);
}

/* Limits or speeds are others, or another controller is there: the sweeps are what they were. */
static void test_out_of_date(void) {
  AseProcedure *p = reached(ASE_STEP_SWEEP);
  ase_procedure_changed(p, ASE_INPUT_LIMITS, NULL);
  g_assert_cmpint(ase_procedure_next(p, &ARMED), ==, ASE_NEXT_FIT);
  g_assert_cmpint(ase_procedure_next(p, &ALL), ==, ASE_NEXT_CHECK);
  ase_procedure_pass(p, ASE_STEP_CHECK, 0, "");
  g_assert_cmpint(ase_procedure_next(p, &ALL), ==, ASE_NEXT_PLAN);
  ase_procedure_pass(p, ASE_STEP_PLAN, 0, "");
  g_assert_cmpint(ase_procedure_next(p, &ARMED), ==, ASE_NEXT_FIT);
  g_assert_cmpint(ase_procedure_next(p, &ALL), ==, ASE_NEXT_DRY_RUN);
  ase_procedure_pass(p, ASE_STEP_DRY_RUN, 0, "");
  g_assert_cmpint(ase_procedure_next(p, &ALL), ==, ASE_NEXT_FIT);
  g_free(p);
}

/* ---- what only a calibration in one go asks ---- */

/* One letter per step from CONNECT to EXPORT: ready or waiting, running, passed, failed, stale,
 * unjudged. */
static void place(AseProcedure *procedure, const char *letters) {
  static const char of_state[] = ".?rpfsu"; /* AseStepState */
  ase_procedure_init(procedure, ase_session_steps(), 1);
  for (guint k = 0; letters[k]; k++) {
    procedure->steps[k].state = (AseStepState)(strchr(of_state, letters[k]) - of_state);
    procedure->joint[k][0].state = procedure->steps[k].state;
  }
}

static void test_in_one_go(void) {
  static const ArmVerdict misfit = {.verdict = ARM_VERDICT_MISFIT};
  static const ArmVerdict unknown = {.verdict = ARM_VERDICT_UNKNOWN};
  static const AseNextFacts port = {.wants_connection = true, .wants_sweeps = true};
  static const AseNextFacts no_leave = {.wants_sweeps = true, .tries_again = true};
  static const AseNextFacts moves = {.is_armed = true, .wants_sweeps = true, .tries_again = true};
  static const AseNextFacts looks = {.wants_sweeps = true, .only_plans = true};
  static const AseNextFacts looks_at_faults = {
      .wants_sweeps = true, .only_plans = true, .has_faults = true};
  static const AseNextFacts earlier = {.tries_again = true, .verdict = &misfit};
  static const AseNextFacts now = {.verdict = &misfit}, now_unknown = {.verdict = &unknown};
  static const AseNextFacts none = {.has_no_validation = true};
  static const AseNextFacts none_again = {.has_no_validation = true, .tries_again = true};
  static const struct {
    const char *steps;
    const AseNextFacts *facts;
    AseNext next;
  } cases[] = {
      /* a port is given: also where nothing is left for the arm to do, or a recording says so */
      {"...p......", &port, ASE_NEXT_CONNECT},
      {"ssspppf...", &port, ASE_NEXT_CONNECT},
      {"pppppppppp", &port, ASE_NEXT_CONNECT},
      {"r..p......", &port, ASE_NEXT_CONNECT},
      /* the plan alone */
      {"pppp......", &looks, ASE_NEXT_PLAN},
      {"ppppp.....", &looks, ASE_NEXT_DONE},
      {"ppppp.....", &looks_at_faults, ASE_NEXT_DONE},
      {"pppppf....", &looks, ASE_NEXT_DONE},
      {"pppppppppp", &looks, ASE_NEXT_DONE},
      {"ppppsppppp", &looks, ASE_NEXT_PLAN},
      {"ppfpp.....", &looks, ASE_NEXT_CHECK},
      /* interrupted: it goes on where it was */
      {"ppps......", &moves, ASE_NEXT_CONFIGURE},
      {"ppppf.....", &moves, ASE_NEXT_PLAN},
      {"pppppf....", &moves, ASE_NEXT_DRY_RUN},
      {"ppppppf...", &moves, ASE_NEXT_SWEEP},
      {"pppppppf..", &moves, ASE_NEXT_FIT},
      {"ppppppppf.", &moves, ASE_NEXT_VALIDATE},
      /* planned again after the first joint: another plan, another leave, another dry run */
      {"pppprpf...", &moves, ASE_NEXT_WAIT},
      {"pppppsf...", &no_leave, ASE_NEXT_ARM},
      {"pppppsf...", &moves, ASE_NEXT_DRY_RUN},
      {"ppppppf...", &no_leave, ASE_NEXT_ARM},
      /* what an earlier program left is done again once, then it is told */
      {"pppppppfs.", &earlier, ASE_NEXT_FIT},
      {"pppppppfs.", &now, ASE_NEXT_MISFIT},
      {"pppppppfs.", &now_unknown, ASE_NEXT_NOT_FIT},
      {"ppppppppf.", &earlier, ASE_NEXT_VALIDATE},
      {"ppppppppf.", &now, ASE_NEXT_LOOK},
      {"pppppppppp", &earlier, ASE_NEXT_VALIDATE},
      {"pppppppupu", &earlier, ASE_NEXT_VALIDATE},
      {"pppppppppp", &now, ASE_NEXT_DONE},
      {"pppppppupu", &now, ASE_NEXT_UNJUDGED},
      /* no holds to validate with */
      {"pppppppp..", &none, ASE_NEXT_EXPORT},
      {"pppppppp..", &none_again, ASE_NEXT_EXPORT},
      {"pppppppp.p", &none, ASE_NEXT_DONE},
      {"pppppppu.u", &none_again, ASE_NEXT_UNJUDGED},
      {"ppppppppf.", &none_again, ASE_NEXT_LOOK},
      {"pppppppps.", &none, ASE_NEXT_EXPORT},
      /* the link is lost when all is swept, and when it is not */
      {"fssppppf..", &now, ASE_NEXT_MISFIT},
      {"fsspppps..", &now, ASE_NEXT_FIT},
      {"fsspppf...", &moves, ASE_NEXT_CONNECT},
      {"pfspppf...", &moves, ASE_NEXT_OTHER_ARM}};
  AseProcedure *p = g_new0(AseProcedure, 1);
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    place(p, cases[k].steps);
    const AseNext next = ase_procedure_next(p, cases[k].facts);
    if (next != cases[k].next)
      g_error("case %zu, %s: next is %d, not %d", k, cases[k].steps, next, cases[k].next);
  }
  g_free(p);
}

/* ---- all that the steps may say ---- */

/* Of each step from CONNECT to EXPORT, as in place; what runs is another matter. */
static const char *const letters_of[] = {"p",    ".pf",  "pfs",   "ps",   ".pfs",
                                         ".pfs", ".pfs", ".pfsu", ".pfs", ".psu"};

typedef void (*Visit)(const AseProcedure *procedure, const AseNextFacts *facts, const char *steps);

static void visit_facts(const AseProcedure *procedure, const char *steps, Visit visit) {
  static const ArmVerdict misfit = {.verdict = ARM_VERDICT_MISFIT};
  for (guint k = 0; k < 16; k++) {
    const AseNextFacts facts = {.is_armed = k & 1,
                                .has_faults = k & 2,
                                .has_no_validation = k & 4,
                                .verdict = k & 8 ? &misfit : NULL};
    visit(procedure, &facts, steps);
  }
}

/* every: of how many combinations one is visited. */
static void visit_all(Visit visit, gsize every) {
  AseProcedure *p = g_new0(AseProcedure, 1);
  char steps[G_N_ELEMENTS(letters_of) + 1] = "";
  gsize combinations = 1;
  for (gsize k = 0; k < G_N_ELEMENTS(letters_of); k++)
    combinations *= strlen(letters_of[k]);
  for (gsize c = 0; c < combinations; c += every) {
    gsize rest = c;
    for (gsize k = 0; k < G_N_ELEMENTS(letters_of); k++) {
      steps[k] = letters_of[k][rest % strlen(letters_of[k])];
      rest /= strlen(letters_of[k]);
    }
    place(p, steps);
    visit_facts(p, steps, visit);
  }
  g_test_message("%zu combinations, every %zu.", combinations, every);
  g_free(p);
}

static void expect(bool holds, const char *what, const char *steps, const AseNextFacts *facts) {
  if (!holds)
    g_error("%s: %s (armed %d, faults %d, no validation %d, fit %d)", steps, what, facts->is_armed,
            facts->has_faults, facts->has_no_validation, facts->verdict != NULL);
}

static bool is_done_up_to(const AseProcedure *p, AseStep last) {
  for (AseStep step = ASE_STEP_DESCRIBE; step <= last; step++)
    if (!ase_state_is_done(ase_procedure_state(p, step)))
      return false;
  return true;
}

static bool is_told(AseNext next) {
  return next == ASE_NEXT_LOOK || next == ASE_NEXT_EXPORT || next == ASE_NEXT_UNJUDGED ||
         next == ASE_NEXT_DONE;
}

/* A screen wants nothing of its own; each want of the command line changes what it is for alone. */
static void compare(const AseProcedure *p, const AseNextFacts *facts, const char *steps) {
  const AseNext screen = ase_procedure_next(p, facts);
  AseNextFacts wants = *facts;
  wants.wants_sweeps = true;
  const AseNext sweeps = ase_procedure_next(p, &wants);
  const bool is_swept = ase_state_is_done(ase_procedure_state(p, ASE_STEP_SWEEP));
  if (is_swept && !is_done_up_to(p, ASE_STEP_DRY_RUN))
    expect(sweeps <= ASE_NEXT_DRY_RUN, "what is out of date comes first", steps, facts);
  else
    expect(sweeps == screen, "sweeps that are up to date", steps, facts);
  wants.only_plans = true;
  const AseNext plans = ase_procedure_next(p, &wants);
  const bool has_plan =
      sweeps >= ASE_NEXT_ARM || (sweeps == ASE_NEXT_CLEAR && is_done_up_to(p, ASE_STEP_PLAN));
  expect(plans == (has_plan ? ASE_NEXT_DONE : sweeps), "a plan, and no more", steps, facts);
  wants = *facts;
  wants.tries_again = true;
  const AseNext again = ase_procedure_next(p, &wants);
  if (screen == ASE_NEXT_MISFIT || screen == ASE_NEXT_NOT_FIT)
    expect(again == ASE_NEXT_FIT, "a fit that failed earlier", steps, facts);
  else if (is_told(screen) && !facts->has_no_validation)
    expect(again == ASE_NEXT_VALIDATE, "an earlier validation", steps, facts);
  else
    expect(again == screen, "nothing is to be done again", steps, facts);
  wants = *facts;
  wants.has_no_validation = true;
  const AseNext unvalidated = ase_procedure_next(p, &wants);
  if (screen == ASE_NEXT_VALIDATE)
    expect(is_told(unvalidated) && unvalidated != ASE_NEXT_LOOK, "no validation", steps, facts);
  else
    expect(unvalidated == screen, "nothing to be left out", steps, facts);
  wants.wants_connection = true;
  expect(ase_procedure_next(p, &wants) == ASE_NEXT_CONNECT, "a port comes first", steps, facts);
}

static void test_agree(void) {
  visit_all(compare, 1);
}

/* ---- the way to its end ---- */

/* ASE_STEPS: it is no step. */
static AseStep step_of(AseNext next) {
  static const struct {
    AseNext next;
    AseStep step;
  } steps[] = {{ASE_NEXT_CHECK, ASE_STEP_CHECK},      {ASE_NEXT_CONFIGURE, ASE_STEP_CONFIGURE},
               {ASE_NEXT_PLAN, ASE_STEP_PLAN},        {ASE_NEXT_DRY_RUN, ASE_STEP_DRY_RUN},
               {ASE_NEXT_SWEEP, ASE_STEP_SWEEP},      {ASE_NEXT_FIT, ASE_STEP_FIT},
               {ASE_NEXT_VALIDATE, ASE_STEP_VALIDATE}};
  for (gsize k = 0; k < G_N_ELEMENTS(steps); k++)
    if (steps[k].next == next)
      return steps[k].step;
  return ASE_STEPS;
}

/* What is next succeeds; false: it is not done but told, or nobody here can do it. */
static bool do_next(AseProcedure *p, AseNextFacts *facts, AseNext next) {
  static const ArmVerdict fits = {.verdict = ARM_VERDICT_FITS};
  const AseStep step = step_of(next);
  if (next == ASE_NEXT_CONNECT) {
    facts->wants_connection = false;
    for (AseStep k = ASE_STEP_CONNECT; k <= ASE_STEP_CHECK; k++)
      ase_procedure_pass(p, k, 0, NULL);
  } else if (next == ASE_NEXT_CLEAR) {
    facts->has_faults = false;
  } else if (next == ASE_NEXT_ARM) {
    facts->is_armed = true;
  } else if (step != ASE_STEPS) {
    ase_procedure_pass(p, step, 0, NULL);
  } else {
    return false;
  }
  if (step == ASE_STEP_FIT || step == ASE_STEP_VALIDATE)
    facts->tries_again = facts->wants_sweeps = false;
  if (step == ASE_STEP_FIT)
    facts->verdict = &fits;
  return true;
}

static AseNext walk(const AseProcedure *from, AseNextFacts facts, const char *steps) {
  AseProcedure *p = g_memdup2(from, sizeof *p);
  guint seen = 0;
  AseNext next = ase_procedure_next(p, &facts);
  do {
    const AseStep step = step_of(next);
    expect(!(seen & 1u << next), "it goes round in circles", steps, &facts);
    expect(step == ASE_STEPS || ase_procedure_may_start(p, step, NULL), "it would be refused",
           steps, &facts);
    seen |= 1u << next;
  } while (do_next(p, &facts, next) && (next = ase_procedure_next(p, &facts)) != ASE_NEXTS);
  g_free(p);
  return next;
}

/* All in one go, whatever an earlier program left: it ends, with something to be told. The screen
 * gets as far, step by step, where no misfit is to be looked at first. */
static void reach_end(const AseProcedure *p, const AseNextFacts *facts, const char *steps) {
  AseNextFacts all = *facts;
  all.wants_connection = all.wants_sweeps = all.tries_again = true;
  const AseNext end = walk(p, all, steps);
  expect(is_told(end), "it does not get to its end", steps, facts);
  expect(end != ASE_NEXT_LOOK || facts->has_no_validation, "what was done again has failed", steps,
         facts);
  const AseNext screen = walk(p, *facts, steps);
  expect(is_told(screen) || screen == ASE_NEXT_MISFIT || screen == ASE_NEXT_OTHER_ARM,
         "the screen does not get to its end", steps, facts);
}

static void test_reach_end(void) {
  visit_all(reach_end, 23);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/next/passed", test_passed);
  g_test_add_func("/next/faults", test_faults);
  g_test_add_func("/next/failed", test_failed);
  g_test_add_func("/next/out-of-date", test_out_of_date);
  g_test_add_func("/next/in-one-go", test_in_one_go);
  g_test_add_func("/next/agree", test_agree);
  g_test_add_func("/next/reach-end", test_reach_end);
  return g_test_run();
}
