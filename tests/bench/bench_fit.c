/* SPDX-License-Identifier: MIT */
/* What the verdict and the diagnosis cost beside the fit that they judge: a PUMA with a tool, 4
 * holds x 3 speeds, 25 samples a second, a base that leans by 2 deg, so that a cause is looked for.
 * Times are CPU times of this thread, the stages of one fit one after the other, ratios are medians
 * of the rounds. Prints SHOW lines, exits 1 when one fails.
 * Usage: bench_fit [LINE [ROUNDS]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/num/filter.h"
#include "core/sweeps/diagnose_internal.h"
#include "core/sweeps/ident_internal.h"
#include "core/sweeps/verdict_internal.h"
#include "support/faulty.h"

enum { ROUNDS = 21, MAX_ROUNDS = 1000 };

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(ArmStatus status) {
  if (status == ARM_OK)
    return;
  fprintf(stderr, "bench_fit: %s\n", arm_status_text(status));
  exit(2);
}

/* seconds of one round */
typedef struct {
  double fit, verdict, diagnosis;
} Times;

/* As arm_gravity_fit does it, stage by stage. */
typedef struct {
  ArmIdent ident;
  ArmIdentResult recursive, refined;
  ArmGravityFit fit;
  ArmStrokeFit strokes;
  ArmDiagnosis diagnosis;
  ArmRowUse *use;
  ArmWindows windows;
} Work;

static void fit_rows(Work *w, const ArmModel *model, const ArmDataset *data,
                     const ArmFitOptions *options) {
  ArmIdent *ident = &w->ident;
  ident->model = model;
  need(arm_structure_find(model, &ident->structure));
  need(arm_filter_median_step(data->rows, data->t, &ident->median_step));
  need(arm_dataset_select(model, data, &options->rows, w->use));
  need(arm_wild_mark(data, ident->median_step, true, w->use, ident->wild));
  arm_windows_whole(&w->windows, data, w->use);
  ident->windows = &w->windows;
  need(arm_ident_survey(ident, false));
  arm_ident_scan_window(ident, &w->windows.now);
  need(arm_ident_accumulate(ident));
  need(arm_ident_recursion(ident, options, &w->recursive));
  need(arm_ident_refine(ident, options, &w->recursive, &w->refined, &w->fit));
  need(arm_ident_report(ident, &w->recursive, &w->fit.recursive));
  need(arm_ident_report(ident, &w->refined, &w->fit.refined));
}

static void judge(Work *w, const ArmDataset *data, const ArmFitOptions *options) {
  const ArmIdent *ident = &w->ident;
  double r2[ARM_MAX_JOINTS];
  for (size_t i = 0; i < ident->model->n; i++)
    r2[i] = w->refined.stats[i].r2;
  need(arm_strokes_of(ident->model, data, w->use, &w->ident.strokes));
  need(arm_stroke_fit_init(ident, &ident->strokes, &w->strokes));
  const ArmStatus solved = arm_stroke_fit_solve(&w->strokes, w->refined.theta, &options->limits);
  need(arm_stroke_fit_verdict(&w->strokes, solved, r2, &options->limits, &w->fit.verdict));
}

static Times run(const ArmModel *model, const ArmDataset *data) {
  Work *w = calloc(1, sizeof *w);
  ArmFitOptions options;
  Times times;
  if (w)
    w->use = calloc(data->rows, sizeof *w->use);
  need(w && w->use ? ARM_OK : ARM_E_MEMORY);
  arm_fit_options_default(&options);
  const double start = cpu_seconds();
  fit_rows(w, model, data, &options);
  const double fitted = cpu_seconds();
  judge(w, data, &options);
  const double judged = cpu_seconds();
  need(arm_diagnose(&w->strokes, &w->ident.strokes, &w->fit.verdict, NULL, NULL, &w->diagnosis));
  times = (Times){fitted - start, judged - fitted, cpu_seconds() - judged};
  if (w->diagnosis.count == 0 || w->diagnosis.at[0].code != ARM_CAUSE_BASE_TILT) {
    fputs("bench_fit: the base's tilt is not the first cause\n", stderr);
    exit(2);
  }
  arm_stroke_fit_clear(&w->strokes);
  arm_gravity_fit_clear(&w->fit);
  free(w->recursive.covariance);
  free(w->refined.covariance);
  arm_ident_rows_clear(&w->ident);
  arm_windows_clear(&w->windows);
  free(w->use);
  free(w);
  return times;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool show(const char *line, const char *what, double *ratios, size_t rounds, double most) {
  qsort(ratios, rounds, sizeof *ratios, by_value);
  const double median = ratios[rounds / 2];
  printf("SHOW %s %s measured=%.2f target=<=%g %s\n", line, what, median, most,
         median <= most ? "PASS" : "FAIL");
  return median <= most;
}

int main(int argc, char **argv) {
  const char *line = argc > 1 ? argv[1] : "13.9";
  const size_t asked = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : ROUNDS;
  const size_t rounds = asked < 1 ? 1 : asked > MAX_ROUNDS ? MAX_ROUNDS : asked;
  static double verdict[MAX_ROUNDS], diagnosis[MAX_ROUNDS], fit[MAX_ROUNDS];
  Truth truth;
  ArmModel model;
  TruthRecording rec;
  Faulty faulty;
  faulty_default(&faulty);
  faulty.tilt[0] = 0.0349;
  if (!faulty_truth(FAULTY_TOOL, &faulty, &truth, &model) ||
      !faulty_record(FAULTY_TOOL, &faulty, 1, &rec))
    return 2;
  for (size_t k = 0; k < rounds; k++) {
    const Times t = run(&model, &rec.data);
    fit[k] = t.fit;
    verdict[k] = t.verdict / t.fit;
    diagnosis[k] = t.diagnosis / t.fit;
  }
  qsort(fit, rounds, sizeof *fit, by_value);
  printf("# fit of %zu samples: %.1f ms\n", rec.data.rows, 1e3 * fit[rounds / 2]);
  truth_recording_clear(&rec);
  const bool is_good =
      show(line, "CPU time of the verdict over that of the fit", verdict, rounds, 0.5);
  return show(line, "CPU time of the diagnosis over that of the fit", diagnosis, rounds, 5) &&
                 is_good
             ? 0
             : 1;
}
