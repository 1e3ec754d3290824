/* SPDX-License-Identifier: MIT */
/* A technician's days at the workbench, seen and used from outside (technician.h): a calibration
 * from connection to exported file, the stops, a session that is opened again, a cable that is
 * pulled. ARMATURE_PROGRAM is what is looked at, in the language of the environment. */
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>

#include "core/arm/gravity.h"
#include "io/params/params_file.h"
#include "sim/truth.h"
#include "support/dies.h"
#include "support/support.h"
#include "technician.h"
#include "ui/kit/language.h"

enum { CONNECT = 1, ARM, PLAN, SWEEP, FIT, VALIDATE, EXPORT };
enum { SOON_S = 20, LONG_S = 120 };
/* Of simulated time: the arm takes its share of a processor also while it stands. Slowly, where a
 * motion must not be over before it is stopped for the fourth time. */
static const double SPEED = 20.0, SLOWLY = 2.0;

static const char *program;

static Technician *start(const char *file) {
  const char *const argv[] = {program, file, NULL};
  return technician_start(argv);
}

static const char *arm_path(void) {
  return test_source_path("data/robots/planar2r.arm.json");
}

/* ---- what is done again and again ---- */

static void wait_passed(Technician *t, int page, double seconds) {
  technician_wait_step(t, page, _("passed"), _("failed"), seconds);
}

static void connect_at(Technician *t, double speed) {
  technician_go_to(t, CONNECT);
  technician_set(t, _("Speed of simulated time"), speed);
  technician_click(t, _("Connect the simulated arm"));
  wait_passed(t, CONNECT, SOON_S);
}

static void connect(Technician *t) {
  connect_at(t, SPEED);
}

static void plan(Technician *t) {
  technician_go_to(t, PLAN);
  technician_click(t, _("Propose a plan"));
  wait_passed(t, PLAN, LONG_S);
}

static void arm(Technician *t) {
  technician_click(t, C_("let the arm move", "Arm"));
  g_object_unref(technician_find(t, ATSPI_ROLE_PUSH_BUTTON, _("Disarm"), SOON_S));
}

/* A real arm: who cannot hold the button types the name. */
static void arm_by_name(Technician *t) {
  technician_click(t, C_("let the arm move", "Arm"));
  technician_fill(t, _("Name of the arm"), "Planar 2R");
  technician_click(t, _("_Arm it"));
  g_object_unref(technician_find(t, ATSPI_ROLE_PUSH_BUTTON, _("Disarm"), SOON_S));
}

/* The lock-out after a stop has passed, nothing is armed. */
static void wait_disarmed(Technician *t) {
  g_object_unref(technician_find(t, ATSPI_ROLE_PUSH_BUTTON, C_("let the arm move", "Arm"), SOON_S));
}

static void sweep(Technician *t) {
  technician_go_to(t, SWEEP);
  technician_click(t, _("_Dry run"));
  technician_click(t, _("_Sweep"));
  wait_passed(t, SWEEP, LONG_S);
}

static void judge(Technician *t) {
  technician_go_to(t, FIT);
  technician_click(t, _("Fit"));
  wait_passed(t, FIT, SOON_S);
  technician_go_to(t, VALIDATE);
  technician_click(t, _("Validate"));
  wait_passed(t, VALIDATE, SOON_S);
}

/* ---- what came out ---- */

static double true_value(const ArmPlantConfig *plant, ArmParamId id) {
  const ArmPlantJoint *joint = &plant->joints[id.i];
  const double friction[4] = {joint->coulomb_pos, joint->viscous_pos, joint->coulomb_neg,
                              joint->viscous_neg};
  double w[2 * ARM_MAX_JOINTS];
  if (id.kind == ARM_PARAM_RATIO)
    return joint->eta / plant->joints[id.j].eta;
  if (id.kind >= ARM_PARAM_COULOMB_POS)
    return friction[id.kind - ARM_PARAM_COULOMB_POS];
  arm_gravity_nominal(&plant->model, w);
  return joint->eta * w[2 * id.i + (id.kind == ARM_PARAM_KY)];
}

/* Every parameter that was measured is within five of its standard deviations of the truth. */
static void assert_parameters(const char *path) {
  enum { SDS = 5, MEASURED = 10 };
  g_autoptr(GError) error = NULL;
  g_autofree AsimTruth *truth = g_new0(AsimTruth, 1);
  g_assert_true(asim_truth_load(truth, arm_path(), 1, &error));
  AioParams *params = aio_params_load(path, &truth->plant.model, &error);
  g_assert_no_error(error);
  ArmParamSet found;
  g_assert_cmpint(aio_params_found(params, &found), ==, ARM_OK);
  guint measured = 0;
  for (size_t k = 0; k < found.n; k++) {
    const ArmParamId id = found.param[k].id;
    const ArmEstimate *estimate = &found.estimate[k];
    g_autofree char *name = aio_param_name(&found, k);
    if (!arm_param_set_is_listed(&found, k) || !estimate->identifiable || !(estimate->sd > 0.0))
      continue;
    const double off = (estimate->value - true_value(&truth->plant, id)) / estimate->sd;
    if (fabs(off) > SDS)
      g_error("%s is off by %.1f sd", name, off);
    measured++;
  }
  g_assert_cmpuint(measured, >=, MEASURED);
  arm_param_set_clear(&found);
  aio_params_free(params);
}

static char *only_session(void) {
  g_autofree char *folder = g_build_filename(g_get_user_data_dir(), "armature", "sessions", NULL);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;
  char *path = NULL;
  while (dir && (name = g_dir_read_name(dir)))
    if (g_str_has_suffix(name, ".armsession")) {
      g_assert_null(path);
      path = g_build_filename(folder, name, NULL);
    }
  g_assert_nonnull(path);
  return path;
}

/* path: where it ends up */
static void save(Technician *t, const char *title, const char *typed, const char *path) {
  g_autofree char *button = g_strdup_printf(_("Save: %s"), title);
  g_autofree char *pattern = g_strconcat(button, "*", NULL); /* and the row's name */
  technician_click(t, pattern);
  technician_save(t, title, _("_Save"), typed);
  for (int k = 0; k < 10 * SOON_S && !g_file_test(path, G_FILE_TEST_EXISTS); k++)
    technician_pass(0.1);
}

static void export(Technician *t, const char *parameters, const char *report) {
  g_autofree char *pdf = NULL, *stem = g_strndup(report, strlen(report) - strlen(".pdf"));
  wait_disarmed(t); /* by itself, after the last sweep */
  technician_go_to(t, EXPORT);
  save(t, _("Parameter file"), parameters, parameters);
  wait_passed(t, EXPORT, SOON_S);
  save(t, _("Calibration report (PDF)"), stem, report);
  g_assert_true(g_file_get_contents(report, &pdf, NULL, NULL));
  g_assert_true(g_str_has_prefix(pdf, "%PDF-"));
}

/* ---- cases ---- */

static void shoot_pages(Technician *t, const char *look) {
  static const char *const keys[] = {"connect", "arm",      "plan",  "sweep",
                                     "fit",     "validate", "export"};
  for (int page = CONNECT; page <= EXPORT; page++) {
    g_autofree char *name = g_strdup_printf("technician-%s-%s", look, keys[page - 1]);
    technician_go_to(t, page);
    technician_pass(0.5);
    technician_shoot(t, name);
  }
}

static void test_calibration(gconstpointer look) {
  g_autofree char *folder = g_dir_make_tmp("armature-technician-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "planar.params.json", NULL);
  g_autofree char *report = g_build_filename(folder, "planar.pdf", NULL);
  Technician *t = start(arm_path());
  connect(t);
  plan(t);
  arm(t);
  sweep(t);
  judge(t);
  export(t, path, report);
  assert_parameters(path);
  shoot_pages(t, look);
  technician_leave(t);
  g_remove(path);
  g_remove(report);
  g_rmdir(folder);
}

/* Armed, with a plan, at the sweeps. */
static Technician *start_armed(double speed) {
  Technician *t = start(arm_path());
  connect_at(t, speed);
  plan(t);
  arm(t);
  technician_go_to(t, SWEEP);
  return t;
}

static void move(Technician *t, const char *button) {
  technician_click(t, button);
  technician_wait_step(t, SWEEP, _("running"), _("passed"), SOON_S);
}

/* The arm may be armed again after the lock-out, and the motion goes on when it is asked to. */
static void wait_stopped(Technician *t) {
  wait_disarmed(t);
  technician_wait_button(t, C_("let the arm move", "Arm"));
  g_assert_true(technician_can_click(t, _("_Dry run")));
}

/* Without power the controller is locked, until somebody says that the arm may have it again. */
static void clear_faults(Technician *t) {
  technician_click(t, _("Clear faults"));
}

static void test_stops(void) {
  Technician *t = start_armed(SLOWLY);
  move(t, _("_Dry run"));
  technician_click(t, _("Hold (Esc)"));
  wait_stopped(t);
  arm(t);
  move(t, _("_Dry run"));
  technician_press(t, "Escape");
  wait_stopped(t);
  arm(t);
  move(t, _("_Dry run"));
  technician_press(t, "shift+Escape");
  clear_faults(t);
  wait_stopped(t);
  arm(t);
  move(t, _("_Dry run"));
  technician_click(t, _("Power off (arm may fall)"));
  clear_faults(t);
  wait_stopped(t);
  technician_leave(t);
}

/* The computer fails in mid-sweep; what was measured is not measured again. */
static void test_reopen(void) {
  Technician *t = start_armed(SPEED);
  technician_click(t, _("_Dry run"));
  technician_click(t, _("_Sweep"));
  technician_wait_step(t, SWEEP, _("running"), _("passed"), SOON_S);
  technician_pass(1.0);
  technician_kill(t);

  g_autofree char *session = only_session();
  t = start(session);
  technician_wait_step(t, PLAN, _("passed"), _("ready"), SOON_S);
  connect(t);
  arm(t);
  technician_go_to(t, SWEEP);
  technician_click(t, _("_Sweep"));
  technician_wait_step(t, SWEEP, _("passed"), _("stale"), LONG_S); /* failed, till it runs */
  judge(t);
  technician_leave(t);
}

/* ---- a cable ---- */

typedef struct {
  GPid pid;
  char *folder, *port;
} Controller;

/* The arm and its controller as another program, at a pseudo-terminal. */
static void controller_start(Controller *self) {
  g_autofree char *speed = g_strdup_printf("%.0f", SPEED);
  const char *const argv[] = {g_getenv("ARMATURE_SIMULATOR"),
                              "--arm",
                              arm_path(),
                              "--speed",
                              speed,
                              "--link",
                              self->port,
                              NULL};
  g_autoptr(GError) error = NULL;
  g_spawn_async(NULL, (char **)argv, NULL,
                G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                test_dies_with_parent, NULL, &self->pid, &error);
  g_assert_no_error(error);
  for (int k = 0; k < 10 * SOON_S && !g_file_test(self->port, G_FILE_TEST_EXISTS); k++)
    technician_pass(0.1);
}

/* Nobody is at the other end any more. */
static void controller_kill(Controller *self) {
  kill(self->pid, SIGKILL);
  waitpid(self->pid, NULL, 0);
  g_remove(self->port);
}

static void test_cable(void) {
  Controller controller = {.folder = g_dir_make_tmp("armature-port-XXXXXX", NULL)};
  controller.port = g_build_filename(controller.folder, "arm", NULL);
  controller_start(&controller);
  Technician *t = start(arm_path());
  g_autofree char *entry = g_strdup_printf("%s*", _("Path of another port"));
  technician_go_to(t, CONNECT);
  technician_type(t, entry, controller.port);
  wait_passed(t, CONNECT, SOON_S);
  plan(t);
  arm_by_name(t);
  technician_go_to(t, SWEEP);
  technician_click(t, _("_Dry run"));
  technician_click(t, _("_Sweep"));
  technician_pass(3.0);
  controller_kill(&controller);
  technician_wait_step(t, SWEEP, _("failed"), _("passed"), SOON_S);
  technician_shoot(t, "technician-cable");

  controller_start(&controller);
  technician_wait_step(t, CONNECT, _("passed"), _("stale"), 2 * SOON_S); /* failed, till then */
  arm_by_name(t);
  technician_click(t, _("_Sweep"));
  technician_wait_step(t, SWEEP, _("passed"), _("stale"), LONG_S); /* failed, till it runs */
  judge(t);
  technician_leave(t);
  controller_kill(&controller);
  g_rmdir(controller.folder);
  g_free(controller.folder);
  g_free(controller.port);
}

int main(int argc, char **argv) {
  aui_language_init();
  program = g_getenv("ARMATURE_PROGRAM");
  g_test_init(&argc, &argv, NULL);
  g_log_set_always_fatal(G_LOG_FATAL_MASK); /* what comes and goes while it is read is a warning */
  if (!program || atspi_init() > 1)
    return 77;
  g_test_add_data_func("/technician/calibration", "light", test_calibration);
  g_test_add_data_func("/technician/calibration_german_dark", "german-dark", test_calibration);
  g_test_add_func("/technician/stops", test_stops);
  g_test_add_func("/technician/reopen", test_reopen);
  g_test_add_func("/technician/cable", test_cable);
  return g_test_run();
}
