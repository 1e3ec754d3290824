/* SPDX-License-Identifier: MIT */
#include "export_rig.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

char *rig_folder;

/* ---- the compiler --------------------------------------------------------------------------- */

char *rig_run_tool(const char *command, int *code) {
  char *out = NULL, *err = NULL, *both;
  GError *error = NULL;
  g_assert_true(g_spawn_command_line_sync(command, &out, &err, code, &error));
  g_assert_no_error(error);
  both = g_strconcat(out, err, NULL);
  g_free(out);
  g_free(err);
  return both;
}

void rig_check_tool(const char *command) {
  int code;
  char *said = rig_run_tool(command, &code);
  if (code != 0)
    g_test_message("%s\n%s", command, said);
  g_assert_cmpint(code, ==, 0);
  g_free(said);
}

void rig_write_file(const char *name, const char *text) {
  char *path = g_build_filename(rig_folder, name, NULL);
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  g_free(path);
}

#define STRICT                                                                                     \
  "-Wall -Wextra -Wpedantic -Wdouble-promotion -Wconversion -Wshadow -Wundef -Wtrigraphs -Werror "

void rig_compile_with(const char *compiler, const char *source, const char *flags,
                      const char *output) {
  char *command = g_strdup_printf("%s " STRICT "%s -I%s -o %s/%s %s/%s", compiler, flags,
                                  rig_folder, rig_folder, output, rig_folder, source);
  rig_check_tool(command);
  g_free(command);
}

bool rig_has_tool(const char *name) {
  char *path = g_find_program_in_path(name);
  g_free(path);
  return path != NULL;
}

static const char *const caller =
    "#include \"arm.h\"\n"
    "void run(const double *q, const double *qd, const double *error, double *i_A);\n"
    "void run_f(const float *q, const float *qd, const float *error, float *i_A);\n"
    "void run(const double *q, const double *qd, const double *error, double *i_A) {\n"
    "  (void)error;\n  arm_current(q, qd, %si_A);\n}\n"
    "void run_f(const float *q, const float *qd, const float *error, float *i_A) {\n"
    "  (void)error;\n  arm_current_f(q, qd, %si_A);\n}\n";

void rig_write_caller(const char *header, bool has_error) {
  const char *error = has_error ? "error, " : "";
  GString *text = g_string_new(caller);
  g_string_replace(text, "%s", error, 0);
  rig_write_file("arm.h", header);
  rig_write_file("arm.c", text->str);
  g_string_free(text, TRUE);
}

/* Compiles and loads; dlclose the result. */
void *rig_load_header(const char *header, bool has_error, Current **run, CurrentF **run_f) {
  static int serial = 0;
  char *name = g_strdup_printf("arm%d.so", serial++),
       *path = g_build_filename(rig_folder, name, NULL);
  rig_write_caller(header, has_error);
  rig_compile_with("cc", "arm.c", "-std=c99 -O1 -fPIC -shared", name);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  g_assert_nonnull(library);
  *(void **)run = dlsym(library, "run");
  *(void **)run_f = dlsym(library, "run_f");
  g_assert_true(*run && *run_f);
  g_unlink(path);
  g_free(name);
  g_free(path);
  return library;
}

/* ---- arms and parameters -------------------------------------------------------------------- */

static ArmEstimate estimate(TestRng *rng, double size) {
  const double used = test_rng_uniform(rng, -size, size);
  if (test_rng_below(rng, 4) == 0) /* leans on what is not identifiable */
    return (ArmEstimate){NAN, NAN, test_rng_below(rng, 2) ? used : 0.0, false, ARM_REASON_TOO_WEAK};
  return (ArmEstimate){used, 0.1 * fabs(used), used, true, ARM_REASON_NONE};
}

static void random_joint(TestRng *rng, ArmJoint *joint) {
  const bool slides = test_rng_below(rng, 4) == 0;
  const ArmJointType type = slides ? ARM_JOINT_T : ARM_JOINT_R;
  double xyz[3], rpy[3];
  for (int k = 0; k < 3; k++) {
    xyz[k] = test_rng_uniform(rng, -0.5, 0.5);
    rpy[k] = test_rng_uniform(rng, -3, 3);
  }
  if (test_rng_below(rng, 2) == 0)
    arm_joint_set_placement(joint, type, xyz, rpy);
  else
    arm_joint_set_mdh(joint, type, (double)test_rng_below(rng, 4) * G_PI_2, xyz[0],
                      test_rng_below(rng, 2) == 0 ? 0.0 : rpy[0], xyz[1]);
  joint->limits.current_max = test_rng_below(rng, 4) == 0 ? (double)NAN : 0.5 + 8.0 * fabs(xyz[2]);
}

static void random_model(TestRng *rng, ArmModel *model, size_t n, bool is_coupled) {
  g_assert_true(arm_model_init(model, n) == ARM_OK);
  for (int k = 0; k < 3 && test_rng_below(rng, 2); k++)
    model->gravity_m_s2[k] = test_rng_uniform(rng, -9, 9);
  for (size_t i = 0; i < n; i++)
    random_joint(rng, &model->joints[i]);
  model->has_coupling = is_coupled;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i && is_coupled; j++)
      if (test_rng_below(rng, 2))
        model->coupling[i][j] = test_rng_uniform(rng, -0.5, 0.5);
}

static void random_parameters(TestRng *rng, const ArmModel *model, ArmGravityParameters *p) {
  p->n = model->n;
  p->n_clusters = 2;
  for (size_t i = 0; i < p->n; i++) {
    ArmJointFit *joint = &p->joint[i];
    p->type[i] = model->joints[i].type;
    p->cluster[i] = (int)test_rng_below(rng, 4) > 0 ? (int)test_rng_below(rng, 2) : -1;
    joint->rows_used = 100;
    joint->w[0] = estimate(rng, 0.3);
    joint->w[1] = p->type[i] == ARM_JOINT_R ? estimate(rng, 0.3) : (ArmEstimate){.used = 0.0};
    for (int f = 0; f < 4; f++)
      joint->friction[f] = estimate(rng, 1.0);
    joint->has_acceleration = test_rng_below(rng, 4) == 0;
    joint->acceleration = estimate(rng, 1.0);
    joint->term_sign = test_rng_below(rng, 2) ? 1.0 : -1.0;
    joint->curve_speed = test_rng_uniform(rng, 0.05, 0.5);
    for (int t = 0; t < ARM_TERMS; t++) {
      joint->has_term[t] = test_rng_below(rng, 3) == 0;
      joint->term[t] = joint->has_term[t] ? estimate(rng, 0.3) : (ArmEstimate){.used = 0.0};
    }
  }
  for (size_t i = 0; i < p->n; i++)
    for (size_t j = i + 1; j < p->n; j++)
      if (p->cluster[i] >= 0 && p->cluster[i] == p->cluster[j])
        p->ratio[i][j] = estimate(rng, 1.0);
}

Case *rig_case_new(const char *name) {
  Case *c = g_new0(Case, 1);
  c->arm.name = (char *)name;
  c->arm.digest = (char *)"sha256:1";
  c->params.digest = (char *)"sha256:2";
  return c;
}

char *rig_export_header(const Case *c) {
  GError *error = NULL;
  gsize length = 0;
  char *text = aio_export_c(&c->arm, &c->params, &c->options, &length, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(length, ==, strlen(text));
  return text;
}

Case *rig_random_case(TestRng *rng, size_t n, int which) {
  static const ArmZeroSpeed rules[] = {ARM_ZERO_SPEED_NONE, ARM_ZERO_SPEED_DEADBAND,
                                       ARM_ZERO_SPEED_SIGN_ERROR};
  Case *c = rig_case_new("a random arm");
  random_model(rng, &c->arm.model, n, which % 2);
  random_parameters(rng, &c->arm.model, &c->params.fit.refined);
  aio_export_c_default(&c->options, &c->arm);
  c->options.prefix = "arm";
  c->options.zero_speed = rules[which % 3];
  c->options.deadband = 0.1;
  return c;
}

bool rig_begin(void) {
  if (!rig_has_tool("cc") || !rig_has_tool("nm")) {
    g_print("1..0 # SKIP no C compiler to try headers with\n");
    return false;
  }
  rig_folder = g_dir_make_tmp("armature-XXXXXX", NULL);
  return true;
}

int rig_end(int code) {
  char *command = g_strdup_printf("rm -rf %s", rig_folder);
  rig_check_tool(command);
  g_free(command);
  g_free(rig_folder);
  return code;
}
