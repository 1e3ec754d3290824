/* SPDX-License-Identifier: MIT */
/* Line 17.3b: identification from what an encoder and a current sensor give: positions of 1e-4 rad
 * at 1 kHz, 0.1 A of noise, gears that ripple; beside what the theory notes measured (full
 * dynamics, 5.4, first two rows) on the same arm, tool, drives and motion. 200 seeds, as an rms of
 * 20 has a sd of 16 %, of 200 one of 5 %; some minutes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/inertia.h"
#include "core/dynamics/currents.h"
#include "core/dynamics/identify.h"
#include "support/base_case.h"
#include "support/moving.h"

enum { N = 6, SAMPLES = 20000, HARMONICS = 6, COEFFICIENTS = 1 + 2 * HARMONICS };
#define TAU        6.28318530717958647692
#define STEP_S     1e-3
#define RESOLUTION 1e-4 /* rad */
#define NOISE      0.1  /* A */
#define RIPPLE     0.01 /* A */
#define SLACK      0.3  /* of the notes' figures */

/* vectors/dyn/currents_puma.json of the theory notes: tool, drives, [N m ..] of the joint. */
static const double eta[N] = {.0716215644308346, .0410404745263827, .0775824561860837,
                              .185233743868115,  .180568288127761,  .194629699480066};
static const double rotor[N] = {1.14076360437411, 4.754246358025, .86242563124731,
                                .2023536943736,   .181052127515,  .20582599086};
static const double viscous[N] = {5.8018217679508,  9.496868641825, 3.9804259903722,
                                  .411645229697152, .4272830209354, .2158232532732};
static const double coulomb[N] = {25.9836065, 10.6197775, 6.36419655,
                                  1.06831142, .85444524,  .55443978};
static const double offset[N] = {-1.252222,  2.9649125,  .72503505,
                                 -.21670374, -.18843826, -.25076322};
static const double gear[N] = {62.6111, 107.815, 53.7063, 76.0364, 71.923, 76.686};
/* Their motion: middle, then cosine and sine of 0.1 to 0.6 Hz [rad], read off its 100 samples of q,
 * qd, qdd, which it meets to 4e-14. */
static const double motion[N][COEFFICIENTS] = {
    {0, -.831251, .663826, -.130583, .096159, -.040487, -.085002, -.037719, -.328508, .483363,
     -.125854, -.046824, .029981},
    {-.8, -.332408, -.139964, -.137501, -.371248, -.068532, .138453, -.049709, .238282, .343985,
     .005398, -.102631, .110731},
    {.4, .234918, -.079464, -.082859, .594683, .251503, -.061114, -.063392, -.192632, .112799,
     .171534, .118896, .016238},
    {0, .420540, -1.164544, -.485841, -.279413, .166543, .065720, -.221614, -.091570, -.009713,
     .004811, .125642, .236285},
    {.3, .526580, .091810, -.310136, -.068841, .159319, .159734, -.185408, -.050882, -.528319,
     .048545, .095024, .133461},
    {0, .036177, -.966350, .315719, -.401976, -.311325, -.692500, .340935, .209202, -.131333,
     -.569064, -.146652, .078962}};

typedef struct {
  ArmModel model;
  ArmBase *base;
  double pi[10 * N];
  MovingDrive drives[N];
  ArmDynamicsJoint joint[ARM_MAX_JOINTS];
  Moving *m, *other; /* exact */
  double *current;   /* of m */
} Puma;

static void must(bool is_done) {
  if (is_done)
    return;
  fprintf(stderr, "show_encoder: failed\n");
  exit(1);
}

/* ---- the arm and its motion ---- */

static void fill_motion(Moving *m, const double (*of)[COEFFICIENTS]) {
  memset(m->q, 0, 3 * m->n * m->samples * sizeof *m->q);
  for (size_t j = 0; j < m->n; j++)
    for (size_t s = 0; s < m->samples; s++) {
      const size_t at = s + j * m->samples;
      m->q[at] = of[j][0];
      for (int h = 1; h <= HARMONICS; h++) {
        const double w = TAU * 0.1 * h, x = w * STEP_S * (double)s;
        const double a = of[j][2 * h - 1], b = of[j][2 * h];
        m->q[at] += a * cos(x) + b * sin(x);
        m->qd[at] += w * (b * cos(x) - a * sin(x));
        m->qdd[at] -= w * w * (a * cos(x) + b * sin(x));
      }
    }
}

static void set_drives(Puma *puma) {
  must(arm_dynamics_joints(&puma->model, puma->joint) == ARM_OK);
  for (size_t j = 0; j < N; j++) {
    const double e = eta[j];
    puma->drives[j] =
        (MovingDrive){.eta = e,
                      .phi = {e * (offset[j] + coulomb[j]), e * viscous[j],
                              e * (offset[j] - coulomb[j]), e * viscous[j], e * rotor[j]}};
    puma->joint[j].eta = e;
    puma->joint[j].rel_sd = (double)NAN;
  }
}

static void puma_init(Puma *puma) {
  const ArmLink tool = {true, 2.0, {.05, .02, .12}, {.004, .004, .003, 0, 0, 0}};
  BaseCase *cases = base_cases_load();
  double of_tool[10];
  TestRng rng;
  must(cases != NULL);
  *puma = (Puma){0};
  for (size_t k = 0; k < BASE_CASES; k++)
    if (strcmp(cases[k].name, "PUMA560-AKB") == 0)
      puma->model = cases[k].model;
  free(cases);
  (void)arm_inertia_nominal(&puma->model, puma->pi);
  arm_inertia_from_link(&tool, of_tool);
  for (size_t k = 0; k < 10; k++)
    puma->pi[10 * (N - 1) + k] += of_tool[k];
  must(arm_base_new(&puma->model, 0, ARM_BASE_CLOSED_FORM, &puma->base) == ARM_OK);
  set_drives(puma);
  test_rng_init(&rng, 54);
  puma->m = moving_new(&puma->model, &rng, SAMPLES, STEP_S, 0.1, 1);
  puma->other = moving_new(&puma->model, &rng, SAMPLES / 10, 10 * STEP_S, 0.1, 0.8);
  fill_motion(puma->m, motion);
  moving_drive(puma->m, &puma->model, puma->pi, puma->drives);
  moving_drive(puma->other, &puma->model, puma->pi, puma->drives);
  puma->current = malloc((size_t)N * SAMPLES * sizeof *puma->current);
  must(puma->current != NULL);
  memcpy(puma->current, puma->m->effort, (size_t)N * SAMPLES * sizeof *puma->current);
}

static void puma_clear(Puma *puma) {
  moving_free(puma->m);
  moving_free(puma->other);
  arm_base_free(puma->base);
  free(puma->current);
}

/* ---- a recording and what is found in it ---- */

typedef struct {
  const char *name;
  double cutoff, ripple, per_turn; /* ripple: amplitude [A], so often a turn of the motor */
  double of_notes[N];              /* rms log ratio to joint 1 */
  double held_out_mA;
  bool is_listed; /* and not judged */
} Row;

static void record(const Puma *puma, TestRng *rng, const Row *row, double *q, double *current) {
  for (size_t j = 0; j < N; j++) {
    const double phase = test_rng_uniform(rng, 0, TAU);
    for (size_t s = 0; s < SAMPLES; s++) {
      const size_t at = s + j * SAMPLES;
      const double exact = puma->m->q[at];
      q[at] = RESOLUTION * floor(exact / RESOLUTION + 0.5);
      current[at] = puma->current[at] + NOISE * test_rng_normal(rng) +
                    row->ripple * sin(row->per_turn * gear[j] * exact + phase);
    }
  }
}

static ArmStatus fold(void *user, size_t joint, size_t rows, bool follows, const double *t,
                      const double *block, size_t ld) {
  (void)t;
  if (!follows)
    arm_information_break(user, joint);
  return arm_information_push(user, joint, block, rows, ld);
}

static ArmDynamicsFit *identify(const Puma *puma, const double *q, const double *current,
                                double cutoff) {
  ArmDynamicsOptions how = arm_dynamics_defaults;
  ArmDynStreamOptions options;
  ArmInformation *information = NULL;
  ArmDynamicsFit *fit = NULL;
  ArmDynStream *stream = NULL;
  const ArmDynSamples samples = {
      .samples = SAMPLES, .ld = SAMPLES, .t = puma->m->t, .q = q, .effort = current};
  how.gauge = ARM_GAUGE_REFERENCE;
  arm_dyn_stream_options_default(&options);
  options.step_s = STEP_S;
  options.cutoff_Hz = cutoff;
  must(arm_information_new(puma->base, &information) == ARM_OK);
  must(arm_dyn_stream_new(&puma->model, puma->base, &options, fold, information, &stream) ==
       ARM_OK);
  must(arm_dyn_stream_push(stream, &samples) == ARM_OK);
  must(arm_dyn_stream_finish(stream) == ARM_OK);
  must(arm_dynamics_identify(information, puma->joint, &how, &fit) == ARM_OK);
  arm_dyn_stream_free(stream);
  arm_information_free(information);
  return fit;
}

/* Mean square of the currents of the other motion, all joints [A^2]. */
static double held_out(const Puma *puma, const ArmDynamicsFit *fit) {
  static double current[N * SAMPLES / 10], sd[N * SAMPLES / 10];
  const Moving *m = puma->other;
  const ArmCurrentsStates states = {m->samples, m->samples, m->q, m->qd, m->qdd};
  const ArmPredictOptions none = {0};
  ArmCurrents *currents = NULL;
  ArmParamSet set;
  double sum = 0;
  must(arm_dynamics_set(fit, &puma->model, puma->base, &set) == ARM_OK);
  must(arm_currents_new(&puma->model, &set, &currents) == ARM_OK);
  arm_currents_predict(currents, &states, &none, current, sd);
  for (size_t k = 0; k < N * m->samples; k++)
    sum += (current[k] - m->effort[k]) * (current[k] - m->effort[k]);
  arm_currents_free(currents);
  arm_param_set_clear(&set);
  return sum / (double)(N * m->samples);
}

/* ---- the rows of the table ---- */

/* What no unbiased estimate of this motion stays below: the notes' bound (5.3, for 0.02 A in 2000
 * samples) for 0.1 A in 20000. */
static const double bound[N] = {0, .0057, .0057, .0096, .0090, .0136};

/* No worse than the notes' figure, or than the bound where their few runs fell below it. */
static bool judge(const char *what, const Row *row, double measured, double figure, double least) {
  const double most = (1 + SLACK) * fmax(figure, least);
  const bool is_pass = measured <= most;
  printf("%s %s: %s; the notes' figure is %g, the bound %g measured=%.4g target=<=%.4g %s\n",
         row->is_listed ? "# listed," : "SHOW 17.3b", row->name, what, figure, least, measured,
         most,
         row->is_listed ? ""
         : is_pass      ? "PASS"
                        : "FAIL");
  return is_pass || row->is_listed;
}

static bool show_row(const Puma *puma, const Row *row, size_t seeds) {
  double squares[N] = {0}, error = 0;
  double *q = malloc((size_t)2 * N * SAMPLES * sizeof *q), *current = q + (size_t)N * SAMPLES;
  bool is_pass = true;
  must(q != NULL);
  for (size_t seed = 0; seed < seeds; seed++) {
    TestRng rng;
    test_rng_init(&rng, 1730 + seed);
    record(puma, &rng, row, q, current);
    ArmDynamicsFit *fit = identify(puma, q, current, row->cutoff);
    for (size_t j = 1; j < N; j++) {
      const double off = fit->joint[j].log_eta - fit->joint[0].log_eta - log(eta[j] / eta[0]);
      squares[j] += off * off / (double)seeds;
    }
    error += held_out(puma, fit) / (double)seeds;
    arm_dynamics_fit_free(fit);
  }
  for (size_t j = 1; j < N; j++) {
    char what[64];
    snprintf(what, sizeof what, "rms error of log eta%zu/eta1", j + 1);
    is_pass &= judge(what, row, sqrt(squares[j]), row->of_notes[j], bound[j]);
  }
  is_pass &= judge("error of another motion [mA]", row, 1e3 * sqrt(error), row->held_out_mA, 0);
  free(q);
  return is_pass;
}

/* show_encoder [SEEDS [FIRST ROW]] */
int main(int argc, char **argv) {
  /* How often the notes' gears ripple they do not say. */
  static const Row rows[] = {
      {"5 Hz", 5, 0, 0, {0, .007, .007, .005, .005, .011}, 7.8, false},
      {"2 Hz", 2, 0, 0, {0, .007, .007, .007, .005, .010}, 8, false},
      {"10 Hz", 10, 0, 0, {0, .007, .007, .007, .005, .010}, 8, false},
      {"5 Hz, 10 mA six times a turn", 5, RIPPLE, 6, {0, .007, .007, .007, .005, .010}, 8, false},
      {"5 Hz, 10 mA once a turn", 5, RIPPLE, 1, {0, .007, .007, .007, .005, .010}, 8, true}};
  const size_t seeds = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 200;
  bool is_pass = true;
  Puma puma;
  puma_init(&puma);
  const size_t first = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 0;
  for (size_t k = first; k < sizeof rows / sizeof rows[0]; k++)
    is_pass &= show_row(&puma, &rows[k], seeds);
  puma_clear(&puma);
  return is_pass ? 0 : 1;
}
