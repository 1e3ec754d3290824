/* SPDX-License-Identifier: MIT */
#include "misfit_recording.h"

#include <string.h>

enum { SEED = 3 };

AioRecording *misfit_recording_new(const Faulty *faulty, const ArmModel *model) {
  TruthRecording rec;
  GError *error = NULL;
  if (!faulty_record(FAULTY_TOOL, faulty, SEED, &rec))
    g_error("no recording");
  const gsize rows = rec.data.rows, n = model->n;
  AioRecording *recording = aio_recording_new("puma.csv", model, rows, false, &error);
  g_assert_no_error(error);
  memcpy(recording->t, rec.t, rows * sizeof(double));
  memcpy(recording->joint, rec.joint, rows * sizeof(int));
  memcpy(recording->q, rec.q, rows * n * sizeof(double));
  memcpy(recording->qd, rec.qd, rows * n * sizeof(double));
  memcpy(recording->current, rec.current, rows * n * sizeof(double));
  recording->has_time = recording->has_joint = true;
  for (gsize i = 0; i < n; i++)
    recording->has_speed[i] = recording->has_current[i] = true;
  truth_recording_clear(&rec);
  return recording;
}

void misfit_tilt(Faulty *faulty) {
  const double degree = G_PI / 180.0;
  faulty_default(faulty);
  faulty->tilt[0] = 1.2 * degree;
  faulty->tilt[1] = -1.6 * degree;
}
