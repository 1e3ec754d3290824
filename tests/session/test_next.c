/* SPDX-License-Identifier: MIT */
/* What is next: a table of where the steps stand, for who fits sweeps as they are and for who wants
 * all of it up to date. */
#include "session/next.h"

static const AseNextFacts AT_REST = {0}, ARMED = {.is_armed = true};
static const AseNextFacts FAULTS = {.has_faults = true};
static const AseNextFacts ARMED_FAULTS = {.is_armed = true, .has_faults = true};
static const AseNextFacts ALL = {.is_armed = true, .wants_sweeps = true};

/* Everything up to this step has passed. */
static AseProcedure *reached(AseStep step) {
  AseProcedure *procedure = g_new0(AseProcedure, 1);
  ase_procedure_init(procedure, 2);
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

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/next/passed", test_passed);
  g_test_add_func("/next/faults", test_faults);
  g_test_add_func("/next/failed", test_failed);
  g_test_add_func("/next/out-of-date", test_out_of_date);
  return g_test_run();
}
