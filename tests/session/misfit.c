/* SPDX-License-Identifier: MIT */
#include "misfit.h"

#include <string.h>

#include "folder.h"
#include "misfit_recording.h"
#include "support/support.h"

void misfit_init(Misfit *misfit, const Faulty *faulty) {
  GError *error = NULL;
  AseImportOptions options;
  char *text = NULL;
  misfit->folder = folder_new();
  char *path = g_build_filename(misfit->folder, "puma.armsession", NULL);
  const char *arm_path = test_source_path("data/robots/puma560.arm.json");
  g_assert_true(g_file_get_contents(arm_path, &text, NULL, NULL));
  AioArm *arm = aio_arm_load_bytes("arm", text, strlen(text), &error);
  g_assert_no_error(error);
  AioRecording *recording = misfit_recording_new(faulty, &arm->model);
  ase_import_options_default(&options);
  misfit->session = ase_session_import(path, "test 1", "arm", text, recording, &options, &error);
  g_assert_no_error(error);
  aio_recording_free(recording);
  aio_arm_free(arm);
  g_free(text);
  g_free(path);
}

void misfit_init_tilt(Misfit *misfit) {
  Faulty faulty;
  misfit_tilt(&faulty);
  misfit_init(misfit, &faulty);
}

void misfit_init_held_out(Misfit *misfit) {
  Faulty faulty;
  faulty_default(&faulty);
  faulty.payload_hold = FAULTY_HOLDS - 1;
  faulty.payload = 0.5;
  misfit_init(misfit, &faulty);
  const GPtrArray *runs = ase_session_runs(misfit->session);
  for (guint k = 0; k < runs->len; k++) {
    AseRun *run = runs->pdata[k];
    run->purpose = run->hold == FAULTY_HOLDS ? ASE_PURPOSE_VALIDATE : ASE_PURPOSE_MEASURE;
  }
}

void misfit_clear(Misfit *misfit) {
  g_clear_object(&misfit->session);
  folder_free(misfit->folder);
}

AseStepState misfit_do(Misfit *misfit, AseStep step) {
  GError *error = NULL;
  const AseProcedure *procedure = ase_session_procedure(misfit->session);
  ase_session_start(misfit->session, step, &error);
  g_assert_no_error(error);
  while (ase_procedure_state(procedure, step) == ASE_STATE_RUNNING)
    g_main_context_iteration(NULL, TRUE);
  return ase_procedure_state(procedure, step);
}

const AseDiagnosis *misfit_diagnose(Misfit *misfit) {
  GError *error = NULL;
  const AseDiagnosis *diagnosis = ase_session_diagnosis(misfit->session);
  ase_session_diagnose(misfit->session, &error);
  g_assert_no_error(error);
  while (diagnosis->state == ASE_DIAGNOSIS_RUNNING)
    g_main_context_iteration(NULL, TRUE);
  return diagnosis;
}
