/* SPDX-License-Identifier: MIT */
/* Lines 17.2 and 17.3: identification of full dynamics from currents, of random arms without
 * noise, and of a simulated PUMA with noise: errors beside what its motion allows, intervals, a
 * bare wrist. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/inertia.h"
#include "core/dynamics/identify.h"
#include "core/num/lsq.h"
#include "support/base_case.h"
#include "support/dyn_random.h"
#include "support/dyn_rows.h"

enum { MOST = 10 * BASE_JOINTS };

static bool show(const char *line, const char *what, double measured, const char *relation,
                 double target, bool is_pass) {
  printf("SHOW %s %s measured=%.4g target=%s%g %s\n", line, what, measured, relation, target,
         is_pass ? "PASS" : "FAIL");
  return is_pass;
}

static bool show_most(const char *line, const char *what, double measured, double target) {
  return show(line, what, measured, "<=", target, measured <= target);
}

static bool show_least(const char *line, const char *what, double measured, double target) {
  return show(line, what, measured, ">=", target, measured >= target);
}

static void must(ArmStatus status) {
  if (status != ARM_OK) {
    printf("# %s\n", arm_status_text(status));
    exit(1);
  }
}

static void true_beta(const ArmModel *model, const ArmBase *base, double *beta) {
  double pi[MOST];
  (void)arm_inertia_nominal(model, pi);
  arm_base_values(base, pi, beta);
}

static ArmDynamicsFit *identify(const ArmBase *base, const DynRows *rows,
                                const ArmDynamicsJoint *joint, ArmDynamicsGauge gauge) {
  ArmDynamicsOptions options = arm_dynamics_defaults;
  ArmInformation *information = NULL;
  ArmDynamicsFit *fit = NULL;
  options.gauge = gauge;
  must(arm_information_new(base, &information));
  if (!dyn_rows_push(rows, information))
    exit(1);
  must(arm_dynamics_identify(information, joint, &options, &fit));
  arm_information_free(information);
  return fit;
}

/* ---- 17.2: without noise ---- */

static double random_arm(TestRng *rng, double *ratio_error) {
  const size_t n = 1 + test_rng_below(rng, 7);
  ArmModel random, model; /* nominal: else what is snapped would be missing */
  ArmBase *base = NULL;
  ArmDynamicsJoint joint[ARM_MAX_JOINTS];
  DynMotion motion;
  DynDrives drives;
  DynRows rows;
  double beta[MOST];
  dyn_random_arm(rng, n, &random);
  (void)arm_nominal(&random, &model, NULL);
  must(arm_base_new(&model, 0, ARM_BASE_CLOSED_FORM, &base));
  must(arm_dynamics_joints(&model, joint));
  dyn_drives_random(rng, n, &drives);
  dyn_motion_random(rng, n, 300, &motion);
  dyn_rows_init(&model, base, &motion, &rows);
  true_beta(&model, base, beta);
  dyn_rows_drive(&rows, beta, &drives);
  ArmDynamicsFit *fit = identify(base, &rows, joint, ARM_GAUGE_DATASHEET);
  for (size_t j = 0; j < n; j++) {
    size_t first = 0;
    while (fit->group[first] != fit->group[j])
      first++;
    const double ratio = drives.eta[j] / drives.eta[first];
    if (fit->joint[j].to_first.identifiable)
      *ratio_error = fmax(*ratio_error, fabs(fit->joint[j].to_first.value / ratio - 1));
  }
  const double error = dyn_rows_unseen(&model, base, beta, &drives, fit, rng);
  arm_dynamics_fit_free(fit);
  dyn_rows_clear(&rows);
  dyn_motion_clear(&motion);
  arm_base_free(base);
  return error;
}

static bool show_noise_free(size_t arms) {
  TestRng rng;
  double error = 0, ratio = 0;
  char what[200];
  test_rng_init(&rng, test_seed(1702));
  for (size_t k = 0; k < arms; k++)
    error = fmax(error, random_arm(&rng, &ratio));
  snprintf(what, sizeof what,
           "%zu random R/T arms of 1 to 7 joints, currents without noise, no torque constant "
           "stated: error of currents in other motions over 1 + the largest",
           arms);
  const bool is_pass = show_most("17.2", what, error, 1e-9);
  return show_most("17.2", "the same: relative error of told ratios", ratio, 1e-9) && is_pass;
}

/* ---- 17.3: a PUMA with a tool ---- */

/* vectors/dyn/currents_puma.json of the theory notes: tool, drives. */
static const double eta[] = {.0716215644308346, .0410404745263827, .0775824561860837,
                             .185233743868115,  .180568288127761,  .194629699480066};
static const double rotor[] = {1.14076360437411, 4.754246358025, .86242563124731,
                               .2023536943736,   .181052127515,  .20582599086};
static const double viscous[] = {5.8018217679508,  9.496868641825, 3.9804259903722,
                                 .411645229697152, .4272830209354, .2158232532732};
static const double coulomb[] = {25.9836065, 10.6197775, 6.36419655,
                                 1.06831142, .85444524,  .55443978};
static const double offset[] = {-1.252222,  2.9649125,  .72503505,
                                -.21670374, -.18843826, -.25076322};

enum { PUMA_JOINTS = 6, PUMA_SAMPLES = 2000 };
#define NOISE 0.02

typedef struct {
  ArmModel model;
  ArmBase *base;
  ArmDynamicsJoint joint[ARM_MAX_JOINTS];
  DynDrives drives;
  DynRows rows;
  double beta[MOST], bound[PUMA_JOINTS]; /* Cramer-Rao: sd of log eta_j / eta_1 */
} Puma;

static void add_tool(ArmLink *link) {
  const ArmLink tool = {true, 2.0, {.05, .02, .12}, {.004, .004, .003, 0, 0, 0}};
  double pi[ARM_INERTIA_PARAMETERS], more[ARM_INERTIA_PARAMETERS];
  arm_inertia_from_link(link, pi);
  arm_inertia_from_link(&tool, more);
  for (size_t k = 0; k < ARM_INERTIA_PARAMETERS; k++)
    pi[k] += more[k];
  must(arm_inertia_to_link(pi, link));
}

static void set_drives(Puma *puma) {
  for (size_t j = 0; j < PUMA_JOINTS; j++) {
    double *local = puma->drives.local[j];
    puma->drives.eta[j] = eta[j];
    local[ARM_DYN_COULOMB_POS] = eta[j] * (coulomb[j] + offset[j]);
    local[ARM_DYN_COULOMB_NEG] = eta[j] * (offset[j] - coulomb[j]);
    local[ARM_DYN_VISCOUS_POS] = local[ARM_DYN_VISCOUS_NEG] = eta[j] * viscous[j];
    /* Rotors that base parameters hold already would make these others than those of the masses. */
    local[ARM_DYN_ROTOR] = puma->joint[j].has[ARM_DYN_ROTOR] ? eta[j] * rotor[j] : 0;
    puma->joint[j].eta = eta[j];
    puma->joint[j].rel_sd = (double)NAN;
  }
}

static void puma_init(Puma *puma, bool with_tool) {
  BaseCase *cases = base_cases_load();
  DynMotion motion;
  TestRng rng;
  if (!cases)
    exit(1);
  *puma = (Puma){0};
  for (size_t k = 0; k < BASE_CASES; k++)
    if (strcmp(cases[k].name, "PUMA560-AKB") == 0)
      puma->model = cases[k].model;
  free(cases);
  if (with_tool)
    add_tool(&puma->model.joints[5].link);
  must(arm_base_new(&puma->model, 0, ARM_BASE_CLOSED_FORM, &puma->base));
  must(arm_dynamics_joints(&puma->model, puma->joint));
  set_drives(puma);
  test_rng_init(&rng, 53);
  dyn_motion_fourier(&rng, &puma->model, PUMA_SAMPLES, 20, 5, &motion);
  dyn_rows_init(&puma->model, puma->base, &motion, &puma->rows);
  true_beta(&puma->model, puma->base, puma->beta);
  dyn_rows_drive(&puma->rows, puma->beta, &puma->drives);
  dyn_motion_clear(&motion);
}

static void puma_clear(Puma *puma) {
  dyn_rows_clear(&puma->rows);
  arm_base_free(puma->base);
}

/* d currents / d unknown of row s of joint j at the truth; unknowns: beta, five local terms and
 * log eta a joint. */
static double derivative(const Puma *puma, size_t j, size_t s, size_t u) {
  const DynRows *rows = &puma->rows;
  const double *row = rows->rows[j] + s;
  if (u < rows->count)
    return puma->drives.eta[j] * row[(ARM_DYN_LOCAL + u) * rows->samples];
  const size_t of = (u - rows->count) / (ARM_DYN_LOCAL + 1);
  const size_t local = (u - rows->count) % (ARM_DYN_LOCAL + 1);
  if (of != j)
    return 0;
  if (local < ARM_DYN_LOCAL)
    return puma->joint[j].has[local] ? row[local * rows->samples] : 0;
  double load = 0;
  for (size_t b = 0; b < rows->count; b++)
    load += puma->beta[b] * derivative(puma, j, s, b);
  return j == 0 ? 0 : load; /* the first is the reference */
}

/* The Cramer-Rao bound of the motion, from all rows at the truth: inverse of the information by
 * core/num/lsq, by no part of what is shown. */
static void find_bound(Puma *puma) {
  const size_t n = puma->rows.n, count = puma->rows.count, u = count + (ARM_DYN_LOCAL + 1) * n;
  ArmLsq *lsq = arm_lsq_new(u + 1);
  ArmSvdWork *work = arm_svd_work_new(u + 1, u);
  double *r = calloc((u + 1) * (u + 1), sizeof *r), *covariance = calloc(u * u, sizeof *r);
  double *row = calloc(2 * u + 1, sizeof *row);
  if (!lsq || !work || !r || !covariance || !row)
    exit(1);
  for (size_t j = 0; j < n; j++)
    for (size_t s = 0; s < puma->rows.samples; s++) {
      for (size_t k = 0; k < u; k++)
        row[k] = derivative(puma, j, s, k) / NOISE;
      must(arm_lsq_push(lsq, row));
    }
  arm_lsq_triangle(lsq, r);
  must(arm_svd_solve(work, u + 1, u, r, r + u * (u + 1), 1e-12, row, covariance, NULL, NULL));
  for (size_t j = 0; j < n; j++) {
    const size_t at = count + (ARM_DYN_LOCAL + 1) * j + ARM_DYN_LOCAL;
    puma->bound[j] = sqrt(covariance[at + at * u]);
  }
  arm_lsq_free(lsq);
  arm_svd_work_free(work);
  free(r);
  free(covariance);
  free(row);
}

/* How often intervals hold, over everything that is told. */
typedef struct {
  size_t told, two, three, untold;
  double squares[PUMA_JOINTS];
} Coverage;

static void cover(Coverage *c, const ArmEstimate *e, double truth) {
  if (!e->identifiable) {
    c->untold++;
    return;
  }
  if (e->sd == 0) /* the reference */
    return;
  const double z = fabs(e->value - truth) / e->sd;
  c->told++;
  c->two += z <= 1.959964;
  c->three += z <= 3;
}

static void take_fit(const Puma *puma, const ArmDynamicsFit *fit, Coverage *c) {
  for (size_t b = 0; b < fit->count; b++)
    cover(c, &fit->base[b], puma->beta[b]);
  for (size_t j = 0; j < fit->n; j++) {
    const double ratio = eta[j] / eta[0], error = log(fit->joint[j].eta.used / eta[j]);
    for (size_t l = 0; l < ARM_DYN_LOCAL; l++)
      if (fit->joint[j].known.has[l])
        cover(c, &fit->joint[j].local[l], puma->drives.local[j][l]);
    cover(c, &fit->joint[j].to_first, ratio);
    c->squares[j] += error * error;
  }
}

static ArmDynamicsFit *one_seed(Puma *puma, uint64_t seed, ArmDynamicsGauge gauge) {
  double sigma[ARM_MAX_JOINTS];
  TestRng rng;
  test_rng_init(&rng, seed);
  for (size_t j = 0; j < PUMA_JOINTS; j++)
    sigma[j] = NOISE;
  dyn_rows_disturb(&puma->rows, &rng, sigma);
  return identify(puma->base, &puma->rows, puma->joint, gauge);
}

static bool show_tool(size_t seeds) {
  Puma puma;
  Coverage c = {0};
  double worst = 0;
  puma_init(&puma, true);
  find_bound(&puma);
  for (size_t seed = 0; seed < seeds; seed++) {
    ArmDynamicsFit *fit = one_seed(&puma, 5300 + seed, ARM_GAUGE_REFERENCE);
    take_fit(&puma, fit, &c);
    arm_dynamics_fit_free(fit);
  }
  printf("# PUMA with 2 kg, %g A, %zu seeds; rms error of log eta_j/eta_1 and its bound, j = 2..6:",
         NOISE, seeds);
  for (size_t j = 1; j < PUMA_JOINTS; j++) {
    const double rms = sqrt(c.squares[j] / (double)seeds);
    worst = fmax(worst, rms / puma.bound[j]);
    printf(" %.4f %.4f;", rms, puma.bound[j]);
  }
  printf("\n");
  puma_clear(&puma);
  const double told = (double)c.told, two = 100 * (double)c.two / told;
  bool is_pass = show_most(
      "17.3", "rms error of log ratios over their Cramer-Rao bound, worst joint", worst, 1.25);
  is_pass &= show_least("17.3", "95 % intervals hold [%], at least", two, 93);
  is_pass &= show_most("17.3", "95 % intervals hold [%], at most", two, 97);
  is_pass &= show_least("17.3", "3 sds hold [%]", 100 * (double)c.three / told, 99);
  return show_most("17.3", "estimates that are not told", (double)c.untold, 0) && is_pass;
}

static bool show_bare(size_t seeds) {
  size_t told = 0, inner = 0, off = 0;
  Puma puma;
  puma_init(&puma, false);
  for (size_t seed = 0; seed < seeds; seed++)
    for (int gauge = 0; gauge < 2; gauge++) {
      ArmDynamicsFit *fit = one_seed(&puma, 7300 + seed, (ArmDynamicsGauge)gauge);
      for (size_t j = 3; j < PUMA_JOINTS; j++) {
        told += fit->joint[j].to_first.identifiable || fit->joint[j].eta.identifiable;
        off += !(fabs(log(fit->joint[j].eta.used / eta[j])) < 5);
      }
      for (size_t j = 1; j < 3; j++)
        inner += fit->joint[j].to_first.identifiable;
      arm_dynamics_fit_free(fit);
    }
  puma_clear(&puma);
  printf("# bare wrist: of %zu fits %zu of %zu inner ratios told; etas run off: %zu\n", 2 * seeds,
         inner, 4 * seeds, off);
  return show_most("17.3",
                   "bare wrist, both gauges: torque constants or ratios of joints 4 to 6 "
                   "that are told as numbers",
                   (double)told, 0);
}

/* show_dynamics [17.2 | 17.3 [ARMS | SEEDS]] */
int main(int argc, char **argv) {
  const size_t count = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 200;
  bool is_pass = true;
  if (argc < 2 || strcmp(argv[1], "17.2") == 0)
    is_pass &= show_noise_free(count);
  if (argc < 2 || strcmp(argv[1], "17.3") == 0) {
    is_pass &= show_tool(count);
    is_pass &= show_bare(count);
  }
  return is_pass ? 0 : 1;
}
