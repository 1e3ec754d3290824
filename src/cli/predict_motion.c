/* SPDX-License-Identifier: MIT */
/* Speeds and accelerations are those of the table, or, where it lacks them, those of its positions
 * behind the filter of identifications. Then rows wait as text for their states, no longer than the
 * filter. */
#include "cli/predict_motion.h"

#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/predict_doubt.h"
#include "cli/predict_rates.h"
#include "cli/predict_table.h"
#include "cli/text.h"
#include "core/dynamics/currents.h"
#include "core/dynamics/stream.h"
#include "io/recording/recording_columns.h"
#include "io/recording/recording_samples.h"

/* Where speeds and accelerations come from. */
typedef enum {
  RATES_GIVEN,   /* the table has both */
  RATES_AT_REST, /* it has speeds, all of them 0: accelerations are 0 */
  RATES_COMPUTED /* at least accelerations are computed */
} Rates;

/* A row that waits for its state. */
typedef struct {
  double qd[ARM_MAX_JOINTS], desired[ARM_MAX_JOINTS], q[ARM_MAX_JOINTS];
  char *cells;
} Waiting;

typedef struct {
  const CliPredictMotion *run;
  const ArmModel *model;
  AioCsv *csv;
  ArmCurrents *currents; /* owned, as all below */
  CliPredictDoubt *doubt;
  CliRates *computed; /* speeds and accelerations */
  CliDesired desired;
  bool *keep;
  /* of the first reading */
  Rates rates;
  bool has_qd, has_qdd, has_time, moves;
  /* of the second */
  GQueue waiting;                    /* of Waiting */
  double *current, *sd, *qd, *error; /* window x n */
  gsize rows, stateless;             /* no current for want of a state */
  bool lacks_sd[ARM_MAX_JOINTS];     /* has a current without one */
  CliOutput *output;
  int code;
} Motion;

static void free_waiting(void *data) {
  g_autofree Waiting *row = data;
  g_free(row->cells);
}

/* ---- the first reading ---- */

static bool find_rates(Motion *m, GError **error) {
  AioRecordingColumns columns;
  g_autoptr(GPtrArray) ignored = g_ptr_array_new_with_free_func(g_free);
  if (!aio_recording_find_columns(m->csv, m->model, &columns, ignored, error))
    return false;
  m->has_qd = m->has_qdd = true;
  m->has_time = columns.time >= 0;
  for (size_t j = 0; j < m->model->n; j++) {
    m->has_qd = m->has_qd && columns.qd[j] >= 0;
    m->has_qdd = m->has_qdd && columns.qdd[j] >= 0;
  }
  return true;
}

static bool check_window(const AioCsv *csv, AioRecording *window, void *data) {
  Motion *m = data;
  cli_predict_doubt_look(m->doubt, csv, window);
  cli_desired_read(&m->desired, csv, m->model->n);
  for (gsize k = 0; k < window->rows * window->n && !m->moves; k++)
    m->moves = !isnan(window->qd[k]) && window->qd[k] != 0.0;
  cli_rates_look(m->computed, window);
  return true;
}

/* What is wrong is told in this order: rows, then desired positions. */
static bool read_once(Motion *m, GError **error) {
  GError *missing = NULL;
  if (m->run->options.zero_speed == ARM_ZERO_SPEED_SIGN_ERROR)
    (void)cli_desired_find(&m->desired, m->csv, m->model, &missing);
  bool is_good = aio_samples_each(m->csv, m->model, check_window, m, error) && find_rates(m, error);
  g_autoptr(GError) desired = missing ? missing : g_steal_pointer(&m->desired.error);
  if (is_good && desired) {
    g_propagate_error(error, g_steal_pointer(&desired));
    is_good = false;
  }
  return is_good;
}

/* ---- speeds and accelerations of the positions ---- */

static void take_states(void *data, size_t samples, const double *q, const double *qd,
                        const double *qdd, size_t ld);

static bool begin_filter(Motion *m, GError **error) {
  if (!m->has_time) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING,
                "%s: expected qd and qdd of all joints (%s), or a column t_s, to compute them from "
                "the positions; found neither",
                aio_csv_name(m->csv), m->has_qd ? "qdd is missing" : "qd is missing");
    return false;
  }
  return cli_rates_begin(m->computed, m->csv, m->model->n, m->run->lowpass_Hz, take_states, m,
                         error);
}

/* Poses that are held need no acceleration and no time. */
static bool choose_rates(Motion *m, GError **error) {
  if (m->has_qd && m->has_qdd)
    m->rates = RATES_GIVEN;
  else if (m->has_qd && !m->moves)
    m->rates = RATES_AT_REST;
  else
    m->rates = RATES_COMPUTED;
  return m->rates != RATES_COMPUTED || begin_filter(m, error);
}

/* ---- the second reading ---- */

/* States in columns of ld; currents and sds come as the states are. */
static void predict(Motion *m, gsize rows, gsize ld, const double *q, const double *qd,
                    const double *qdd, const double *error) {
  const ArmCurrentsStates states = {rows, ld, q, qd, qdd};
  ArmPredictOptions options = m->run->options;
  options.position_error = error;
  arm_currents_predict(m->currents, &states, &options, m->current, m->sd);
  for (gsize row = 0; row < rows; row++) {
    bool has_any = false;
    for (size_t j = 0; j < m->model->n; j++) {
      const bool has = isfinite(m->current[row + j * ld]);
      m->lacks_sd[j] = m->lacks_sd[j] || (has && isnan(m->sd[row + j * ld]));
      has_any = has_any || has;
    }
    m->stateless += !has_any;
  }
  m->rows += rows;
}

static void put_row(Motion *m, gsize row, gsize ld) {
  cli_predict_numbers(m->model->n, ld, m->current + row, m->sd + row, cli_output_text(m->output));
  m->code = cli_output_row(m->output);
}

/* A held joint's speed and acceleration need not be written. */
static void fill_rest(const Motion *m, AioRecording *window) {
  for (gsize k = 0; k < window->rows * window->n; k++)
    if (isnan(window->qd[k]))
      window->qd[k] = 0.0;
  for (gsize k = 0; k < window->rows * window->n && m->rates == RATES_GIVEN; k++)
    if (isnan(window->qdd[k]) && window->qd[k] == 0.0)
      window->qdd[k] = 0.0;
}

static const double *errors_of(Motion *m, const AioRecording *window) {
  for (gsize k = 0; k < window->rows * window->n && m->desired.values; k++)
    m->error[k] = m->desired.values[k] - window->q[k];
  return m->desired.values ? m->error : NULL;
}

static void predict_window(Motion *m, const AioCsv *csv, AioRecording *window) {
  fill_rest(m, window);
  predict(m, window->rows, window->rows, window->q, window->qd,
          m->rates == RATES_AT_REST ? window->qd : window->qdd, errors_of(m, window));
  for (gsize row = 0; row < window->rows && m->code == CLI_OK; row++) {
    aio_csv_copy_row(csv, row, m->keep, cli_output_text(m->output));
    put_row(m, row, window->rows);
  }
}

/* Speeds that are computed and hardly any count as rest: an identification left them out, too. */
static double speed_of(const Motion *m, const Waiting *row, size_t j, double computed) {
  ArmDynStreamOptions least;
  if (m->has_qd)
    return row->qd[j];
  arm_dyn_stream_options_default(&least);
  const bool is_R = m->model->joints[j].type == ARM_JOINT_R;
  return fabs(computed) <= (is_R ? least.min_speed_R : least.min_speed_T) ? 0.0 : computed;
}

/* The first rows that wait have got their states. */
static void take_states(void *data, size_t samples, const double *q, const double *qd,
                        const double *qdd, size_t ld) {
  Motion *m = data;
  const gsize n = m->model->n;
  const GList *at = m->waiting.head;
  for (size_t s = 0; s < samples; s++, at = at->next) {
    const Waiting *row = at->data;
    for (size_t j = 0; j < n; j++) {
      m->qd[s + j * ld] = speed_of(m, row, j, qd[s + j * ld]);
      m->error[s + j * ld] = row->desired[j] - row->q[j];
    }
  }
  if (m->code != CLI_OK)
    return;
  predict(m, samples, ld, q, m->qd, qdd, m->desired.values ? m->error : NULL);
  for (size_t s = 0; s < samples && m->code == CLI_OK; s++) {
    Waiting *row = g_queue_pop_head(&m->waiting);
    g_string_append(cli_output_text(m->output), row->cells);
    free_waiting(row);
    put_row(m, s, ld);
  }
}

static void wait_rows(Motion *m, const AioCsv *csv, const AioRecording *window) {
  g_autoptr(GString) cells = g_string_new(NULL);
  for (gsize row = 0; row < window->rows && m->code == CLI_OK; row++) {
    Waiting *one = g_new0(Waiting, 1);
    g_string_truncate(cells, 0);
    aio_csv_copy_row(csv, row, m->keep, cells);
    one->cells = g_strndup(cells->str, cells->len);
    for (size_t j = 0; j < m->model->n; j++) {
      const gsize at = row + j * window->rows;
      one->q[j] = window->q[at];
      one->qd[j] = isnan(window->qd[at]) ? 0.0 : window->qd[at];
      one->desired[j] = m->desired.values ? m->desired.values[at] : 0.0;
    }
    g_queue_push_tail(&m->waiting, one);
    cli_rates_push(m->computed, window->t[row], window->q + row, window->rows);
  }
}

static bool take_window(const AioCsv *csv, AioRecording *window, void *data) {
  Motion *m = data;
  if (m->has_qd)
    cli_predict_doubt_look_again(m->doubt, window);
  cli_desired_read(&m->desired, csv, m->model->n);
  if (m->rates == RATES_COMPUTED)
    wait_rows(m, csv, window);
  else if (m->code == CLI_OK)
    predict_window(m, csv, window);
  return true;
}

/* ---- what is doubtful ---- */

static void warn_before(const Motion *m, const ArmParamSet *found) {
  bool is_unknown[ARM_MAX_JOINTS];
  for (size_t j = 0; j < found->n_joints; j++)
    is_unknown[j] = found->joint[j].rows_used == 0;
  g_autofree char *unknown = cli_list_joints(is_unknown, found->n_joints);
  g_autofree char *torque = cli_list_joints(found->is_torque, found->n_joints);
  if (unknown)
    cli_warning("%s knows nothing of joint %s (no row was used): its cells stay empty",
                m->run->params, unknown);
  if (torque)
    cli_warning("%s was identified from torques of joint %s: there the column iK_A holds N m "
                "(sliding joints: N), not A%s",
                m->run->params, torque,
                m->model->has_coupling ? ", of the drives: of those that are coupled not the "
                                         "joints' torques, which `dynamics --params` writes"
                                       : "");
}

static void warn_after(const Motion *m) {
  bool is_beyond[ARM_MAX_JOINTS];
  for (size_t j = 0; j < m->model->n; j++)
    is_beyond[j] = arm_currents_was_beyond(m->currents, j);
  g_autofree char *beyond = cli_list_joints(is_beyond, m->model->n);
  g_autofree char *open = cli_list_joints(m->lacks_sd, m->model->n);
  cli_predict_warn(m->doubt, m->csv);
  if (beyond)
    cli_warning("the load of joint %s leaves the range in which its friction was recorded by more "
                "than 20 %%: friction there is an extrapolation",
                beyond);
  if (open)
    cli_warning("%s cannot tell how good the currents of joint %s are, in some rows: they lean on "
                "parameters that its recordings do not show. Those sds stay empty",
                m->run->params, open);
  if (m->stateless > 0 && m->rates == RATES_COMPUTED)
    cli_warning("%s: %zu of %zu rows have no current: speeds and accelerations computed from "
                "positions need 3.2 periods of the filter before and after. Give qd and qdd, or a "
                "longer motion",
                aio_csv_name(m->csv), m->stateless, m->rows);
}

/* ---- all ---- */

static int write_rows(Motion *m) {
  const gsize n = m->model->n;
  GError *error = NULL;
  m->keep = cli_predict_keep(m->csv, n);
  m->current = g_new(double, 4 * AIO_CSV_WINDOW_ROWS * n);
  m->sd = m->current + AIO_CSV_WINDOW_ROWS * n;
  m->qd = m->sd + AIO_CSV_WINDOW_ROWS * n;
  m->error = m->qd + AIO_CSV_WINDOW_ROWS * n;
  cli_predict_header(m->csv, m->keep, n, cli_output_text(m->output));
  if (!aio_samples_each(m->csv, m->model, take_window, m, &error))
    m->code = cli_fail(error);
  else if (m->rates == RATES_COMPUTED)
    cli_rates_finish(m->computed);
  m->code = cli_output_end(m->output, m->code);
  warn_after(m);
  return m->code;
}

static int run_with_csv(Motion *m) {
  GError *error = NULL;
  if (!read_once(m, &error) || !choose_rates(m, &error))
    return cli_fail(error);
  m->output = cli_output_new(m->run->out, m->run->force);
  return m->output ? write_rows(m) : CLI_BAD_INPUT;
}

static int run_with(Motion *m, const AioDynamics *dynamics) {
  const ArmParamSet *found = &dynamics->found;
  GError *error = NULL;
  const ArmStatus status = arm_currents_new(m->model, found, &m->currents);
  if (status != ARM_OK)
    return cli_fail_status(status, m->run->params);
  for (gsize j = 0; j < found->n_joints; j++)
    if (isfinite(dynamics->sample_sd[j]))
      arm_currents_set_noise(m->currents, j, dynamics->sample_sd[j]);
  m->csv = aio_csv_open(m->run->csv, &error);
  if (!m->csv)
    return cli_fail(error);
  warn_before(m, found);
  return run_with_csv(m);
}

int cli_predict_motion(const CliPredictMotion *run, const AioArm *arm) {
  g_autoptr(AioDynamics) dynamics = cli_load_dynamics(run->params, run->arm_path, arm);
  if (!dynamics)
    return CLI_BAD_INPUT;
  Motion m = {.run = run, .model = &arm->model, .computed = cli_rates_new()};
  g_queue_init(&m.waiting);
  m.doubt = cli_predict_doubt_new(m.model);
  const int code = run_with(&m, dynamics);
  g_queue_clear_full(&m.waiting, free_waiting);
  cli_predict_doubt_free(m.doubt);
  cli_rates_free(m.computed);
  cli_desired_clear(&m.desired);
  arm_currents_free(m.currents);
  aio_csv_free(m.csv);
  g_free(m.keep);
  g_free(m.current);
  return code;
}
