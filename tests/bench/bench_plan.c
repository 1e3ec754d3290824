/* SPDX-License-Identifier: MIT */
/* What a plan costs beside the planner as it was (plan_before.h), how that grows with the joints,
 * and whether plans and figures are still the same. CPU times of this thread, in one run. Prints
 * SHOW lines, exits 1 when one fails.
 * Usage: bench_plan [LINE [time|same]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plan_before.h"
#include "support/plan_arm.h"

enum { SMALL = 6, LARGE = 32, LARGE_ARMS = 3, SMALL_ARMS = 30, SAME_ARMS = 50, TURNS = 5 };

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(ArmStatus status) {
  if (status == ARM_OK)
    return;
  fprintf(stderr, "bench_plan: %s\n", arm_status_text(status));
  exit(2);
}

static bool show(const char *line, const char *what, double measured, double most) {
  const bool is_pass = measured <= most;
  printf("SHOW %s %s measured=%.5g target=<=%g %s\n", line, what, measured, most,
         is_pass ? "PASS" : "FAIL");
  return is_pass;
}

/* ---- time ---- */

typedef ArmStatus Propose(const ArmModel *model, const ArmGravityParameters *parameters,
                          const ArmPlanOptions *options, ArmPlan *plan);
typedef ArmStatus Evaluate(const ArmModel *model, const ArmGravityParameters *parameters,
                           const ArmPlanOptions *options, const ArmPlan *plan,
                           ArmPlanReport *report);

static ArmStatus propose_as_it_was(const ArmModel *model, const ArmGravityParameters *parameters,
                                   const ArmPlanOptions *options, ArmPlan *plan) {
  return before_propose(model, parameters, options, BEFORE_BY_ROUNDING, plan);
}

/* seconds of what the command `plan` computes */
static double time_plan(const ArmModel *model, Propose *propose, Evaluate *evaluate) {
  static ArmPlan plan;
  static ArmPlanReport report;
  static ArmGravityParameters nominal;
  ArmPlanOptions options;
  arm_plan_options_default(&options);
  const double start = cpu_seconds();
  need(arm_plan_nominal(model, &nominal, &options));
  need(propose(model, &nominal, &options, &plan));
  need(evaluate(model, &nominal, &options, &plan, &report));
  const double end = cpu_seconds();
  arm_plan_report_clear(&report);
  arm_gravity_parameters_clear(&nominal);
  return end - start;
}

/* a mean over arms: how long a search takes depends on the arm */
static void time_arms(size_t n, size_t arms, double *now, double *before) {
  TestRng rng;
  static ArmModel model;
  test_rng_init(&rng, 16 + n);
  *now = 0;
  for (size_t k = 0; k < arms; k++) {
    plan_arm_random(&rng, n, false, &model);
    *now += time_plan(&model, arm_plan_propose, arm_plan_evaluate) / (double)arms;
    if (before)
      *before += time_plan(&model, propose_as_it_was, before_evaluate) / (double)arms;
  }
}

static bool show_time(const char *line) {
  double small, large, before = 0;
  time_arms(SMALL, SMALL_ARMS, &small, NULL);
  time_arms(LARGE, LARGE_ARMS, &large, &before);
  printf("# plan of %d joints %.1f ms, of %d joints %.0f ms, before %.1f s\n", SMALL, 1e3 * small,
         LARGE, 1e3 * large, before);
  const bool is_fast =
      show(line, "CPU time of a plan of 32 joints over that before", large / before, 0.2);
  return show(line, "exponent of its growth from 6 to 32 joints",
              log(large / small) / log((double)LARGE / SMALL), 2.5) &&
         is_fast;
}

/* ---- the same plans ---- */

typedef struct {
  size_t joints, other_by_rule, tied, other_as_it_was, other_by_rounding;
  double score, figures; /* largest relative differences of the same plan */
  double worse, mean; /* score of the plan over that of the planner as it was: largest, mean log */
  size_t compared;
} Same;

static bool has_other_holds(size_t n, size_t joint, const ArmPlan *a, const ArmPlan *b) {
  const ArmJointPlan *p = &a->joint[joint], *q = &b->joint[joint];
  bool differs = p->n_holds != q->n_holds;
  for (size_t h = 0; h < p->n_holds && p->is_swept; h++)
    for (size_t j = 0; j < n; j++)
      differs |= j != joint && fabs(p->holds[h][j] - q->holds[h][j]) > 1e-9;
  return differs;
}

static double off(double a, double b) {
  if ((isnan(a) && isnan(b)) || a == b)
    return 0;
  const double size = fmax(fabs(a), fabs(b));
  return isfinite(size) ? fabs(a - b) / size : (double)INFINITY;
}

/* sds, conditions, ranks and times that the command prints of a plan */
static double compare_figures(const ArmModel *model, const ArmGravityParameters *nominal,
                              const ArmPlanOptions *options, const ArmPlan *plan) {
  static ArmPlanReport now, before;
  double most = 0;
  need(arm_plan_evaluate(model, nominal, options, plan, &now));
  need(before_evaluate(model, nominal, options, plan, &before));
  if (now.predicted.n_ids != before.predicted.n_ids)
    return (double)INFINITY;
  for (size_t k = 0; k < now.predicted.n_ids; k++)
    most =
        fmax(most, off(arm_gravity_parameters_at(&now.predicted, now.predicted.ids[k])->sd,
                       arm_gravity_parameters_at(&before.predicted, before.predicted.ids[k])->sd));
  for (size_t i = 0; i < model->n; i++) {
    const ArmJointFit *a = &now.predicted.joint[i], *b = &before.predicted.joint[i];
    most = fmax(most, off(a->cond_equilibrated, b->cond_equilibrated));
    most = fmax(most, off(a->cond_centred, b->cond_centred));
    most = fmax(most, off(now.duration_s[i], before.duration_s[i]));
    if (now.excitation_rank[i] != before.excitation_rank[i] ||
        now.excitation_required[i] != before.excitation_required[i])
      most = (double)INFINITY;
  }
  arm_plan_report_clear(&now);
  arm_plan_report_clear(&before);
  return most;
}

/* Holds are tied for the scoring before where it takes others itself, by the same rule, on the same
 * arm with its base and gravity turned: equal but for the last bits. */
static bool is_tied(const ArmModel *model, const ArmGravityParameters *nominal,
                    const ArmPlanOptions *options, size_t joint, const ArmPlan *ruled) {
  static ArmModel turned;
  static ArmPlan other;
  for (int k = 1; k <= TURNS; k++) {
    turned = *model;
    plan_arm_turn(0.7 * k, -1.1, 0.4 * k, &turned);
    need(before_propose(&turned, nominal, options, BEFORE_BY_RULE, &other));
    if (has_other_holds(model->n, joint, ruled, &other))
      return true;
  }
  return false;
}

static void compare_plans(const ArmModel *model, Same *same) {
  static ArmPlan now, ruled, was, nudged;
  static ArmGravityParameters nominal;
  ArmPlanOptions options;
  ArmStructure structure;
  arm_plan_options_default(&options);
  need(arm_structure_find(model, &structure));
  need(arm_plan_nominal(model, &nominal, &options));
  need(arm_plan_propose(model, &nominal, &options, &now));
  need(before_propose(model, &nominal, &options, BEFORE_BY_RULE, &ruled));
  need(before_propose(model, &nominal, &options, BEFORE_BY_ROUNDING, &was));
  need(before_propose(model, &nominal, &options, BEFORE_BY_OTHER_ROUNDING, &nudged));
  same->figures = fmax(same->figures, compare_figures(model, &nominal, &options, &now));
  for (size_t i = 0; i < model->n; i++) {
    const double score = arm_plan_score(model, &structure, &nominal, &options, i, &now.joint[i]);
    const double by_chains = before_score(model, &structure, &nominal, &options, i, &now.joint[i]);
    const double of_was = before_score(model, &structure, &nominal, &options, i, &was.joint[i]);
    same->joints++;
    if (has_other_holds(model->n, i, &now, &ruled)) {
      same->other_by_rule++;
      same->tied += is_tied(model, &nominal, &options, i, &ruled);
    }
    same->other_as_it_was += has_other_holds(model->n, i, &now, &was);
    same->other_by_rounding += has_other_holds(model->n, i, &was, &nudged);
    if (isfinite(score) || isfinite(by_chains))
      same->score = fmax(same->score, off(score, by_chains));
    if (!(score > 0) || !isfinite(of_was))
      continue;
    same->worse = fmax(same->worse, score / of_was);
    same->mean += log(score / of_was);
    same->compared++;
  }
  arm_gravity_parameters_clear(&nominal);
}

static bool show_same(const char *line) {
  Same same = {0};
  TestRng rng;
  static ArmModel model;
  char what[160];
  test_rng_init(&rng, 1994);
  for (size_t k = 0; k < SAME_ARMS; k++) {
    plan_arm_random(&rng, 3 + test_rng_below(&rng, 5), k % 2, &model);
    compare_plans(&model, &same);
  }
  printf("# of %zu joints with other holds: than the planner as it was %zu, that one beside itself "
         "with scores off by 1e-15 %zu, than the scoring before by the same rule %zu, %zu of them "
         "tied\n",
         same.joints, same.other_as_it_was, same.other_by_rounding, same.other_by_rule, same.tied);
  bool is_pass = show(line, "scores off those before [relative]", same.score, 1e-8);
  is_pass &= show(line, "sds, conditions, ranks and times off those before [relative]",
                  same.figures, 1e-6);
  snprintf(what, sizeof what,
           "of %zu joints of %d random arms with other holds than by the scoring before, without "
           "ties",
           same.joints, SAME_ARMS);
  is_pass &= show(line, what, (double)(same.other_by_rule - same.tied), 0);
  is_pass &= show(line, "score over that of the planner as it was, mean",
                  exp(same.mean / (double)same.compared), 1.001);
  return show(line, "score over that of the planner as it was, largest", same.worse, 1.02) &&
         is_pass;
}

int main(int argc, char **argv) {
  const char *line = argc > 1 ? argv[1] : "16.4", *part = argc > 2 ? argv[2] : "";
  bool is_pass = true;
  if (strcmp(part, "time") != 0)
    is_pass &= show_same(line);
  if (strcmp(part, "same") != 0)
    is_pass &= show_time(line);
  return is_pass ? 0 : 1;
}
