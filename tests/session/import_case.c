/* SPDX-License-Identifier: MIT */
#include "import_case.h"

#include <string.h>

#include "folder.h"
#include "support/support.h"

void case_init(Case *c) {
  GError *error = NULL;
  c->folder = folder_new();
  c->path = g_build_filename(c->folder, "demo.armsession", NULL);
  const char *arm = test_source_path("data/demo/puma560_table1.arm.json");
  g_assert_true(g_file_get_contents(arm, &c->arm_text, NULL, NULL));
  c->arm = aio_arm_load_bytes("arm", c->arm_text, strlen(c->arm_text), &error);
  g_assert_no_error(error);
  c->recording =
      aio_recording_load(test_source_path("data/demo/puma560_table1.csv"), &c->arm->model, &error);
  g_assert_no_error(error);
  c->session = NULL;
}

void case_import(Case *c) {
  GError *error = NULL;
  AseImportOptions options;
  ase_import_options_default(&options);
  c->session =
      ase_session_import(c->path, PROGRAM, "arm", c->arm_text, c->recording, &options, &error);
  g_assert_no_error(error);
}

void case_clear(Case *c) {
  g_clear_object(&c->session);
  aio_recording_free(c->recording);
  aio_arm_free(c->arm);
  g_free(c->arm_text);
  g_free(c->path);
  folder_free(c->folder);
}

AseStepState case_state(const Case *c, AseStep step) {
  return ase_procedure_state(ase_session_procedure(c->session), step);
}

const AseStepInfo *case_finish(Case *c, AseStep step) {
  GError *error = NULL;
  ase_session_start(c->session, step, &error);
  g_assert_no_error(error);
  while (case_state(c, step) == ASE_STATE_RUNNING)
    g_main_context_iteration(NULL, TRUE);
  return &ase_session_procedure(c->session)->steps[step];
}

void case_do(Case *c, AseStep step) {
  const AseStepInfo *info = case_finish(c, step);
  if (info->state != ASE_STATE_PASSED)
    g_error("%s: %s", ase_steps_title(ase_session_steps(), step), ase_step_reason(info));
}

void case_spoil(const Case *c, const char *from, const char *to) {
  char *bytes;
  gsize length, found = 0;
  g_assert_true(g_file_get_contents(c->path, &bytes, &length, NULL));
  for (char *at = bytes; (at = memmem(at, length - (gsize)(at - bytes), from, strlen(from)));
       at += strlen(from), found++)
    memcpy(at, to, strlen(from));
  g_assert_cmpuint(found, >, 0);
  g_assert_true(g_file_set_contents(c->path, bytes, (gssize)length, NULL));
  g_free(bytes);
}
