/* SPDX-License-Identifier: MIT */
#include "recorded.h"

#include <glib/gstdio.h>
#include <string.h>

#include "io/recording/recording.h"
#include "support/support.h"

static void leave_one(AioRecording *recording, int joint) {
  for (gsize row = 0; row < recording->rows; row++)
    if (recording->joint[row] != joint)
      recording->joint[row] = 0;
}

/* joint 0: all of them */
static void init(Recorded *recorded, const char *arm_path, int joint,
                 void (*change)(AioRecording *recording)) {
  GError *error = NULL;
  AseImportOptions options;
  g_autofree char *text = NULL;
  recorded->folder = g_dir_make_tmp("armature-ui-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(recorded->folder, "demo.armsession", NULL);
  const char *arm_file = arm_path ? arm_path : "data/demo/puma560_table1.arm.json";
  g_assert_true(g_file_get_contents(test_source_path(arm_file), &text, NULL, NULL));
  AioArm *arm = aio_arm_load_bytes("arm", text, strlen(text), &error);
  g_assert_no_error(error);
  AioRecording *recording =
      aio_recording_load(test_source_path("data/demo/puma560_table1.csv"), &arm->model, &error);
  g_assert_no_error(error);
  if (joint)
    leave_one(recording, joint);
  if (change)
    change(recording);
  ase_import_options_default(&options);
  recorded->session = ase_session_import(path, "test 1", "arm", text, recording, &options, &error);
  g_assert_no_error(error);
  aio_recording_free(recording);
  aio_arm_free(arm);
}

void recorded_init(Recorded *recorded, const char *arm_path) {
  init(recorded, arm_path, 0, NULL);
}

void recorded_init_joint(Recorded *recorded, guint joint) {
  init(recorded, NULL, (int)joint, NULL);
}

void recorded_init_changed(Recorded *recorded, void (*change)(AioRecording *recording)) {
  init(recorded, NULL, 0, change);
}

bool recorded_try(Recorded *recorded, AseStep step) {
  GError *error = NULL;
  const AseProcedure *procedure = ase_session_procedure(recorded->session);
  ase_session_start(recorded->session, step, &error);
  g_assert_no_error(error);
  while (ase_procedure_state(procedure, step) == ASE_STATE_RUNNING)
    g_main_context_iteration(NULL, TRUE);
  return ase_state_is_done(procedure->steps[step].state);
}

void recorded_do(Recorded *recorded, AseStep step) {
  if (!recorded_try(recorded, step))
    g_error("%s: %s", ase_steps_title(ase_session_steps(), step),
            ase_step_reason(&ase_session_procedure(recorded->session)->steps[step]));
}

void recorded_init_of(Recorded *recorded, const char *arm,
                      void (*change)(AioRecording *recording)) {
  init(recorded, arm, 0, change);
}

void recorded_clear(Recorded *recorded) {
  g_clear_object(&recorded->session);
  g_autoptr(GDir) dir = g_dir_open(recorded->folder, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *path = g_build_filename(recorded->folder, name, NULL);
    g_unlink(path);
  }
  g_rmdir(recorded->folder);
  g_clear_pointer(&recorded->folder, g_free);
}
