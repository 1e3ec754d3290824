/* SPDX-License-Identifier: MIT */
/* Exported text: headers with hostile names, self-contained, what their comment says; the table. */
#include <math.h>
#include <string.h>

#include "export_rig.h"
#include "io/export/export_csv.h"

static void test_hostile_names(void) {
  static const char *const names[] = {
      "*/ int stolen; /*",
      "?\?/\n*/ #error no",
      "\\\n\\",
      "*\\/",
      "/*/*",
      "\xe2\x80\xae*/",
      "\xff*\xfe/",
      "",
      "9 lives",
      "\"'%s%n",
      "int",
      "_Reserved",
      "Bühler ?\?< arm",
  };
  TestRng rng;
  test_rng_init(&rng, test_seed(23));
  Case *c = rig_random_case(&rng, 2, 0);
  for (gsize k = 0; k < G_N_ELEMENTS(names); k++) {
    c->arm.name = c->params.arm_name = (char *)names[k];
    c->params.arm_digest = (char *)names[k];
    c->params.digest = (char *)names[k];
    c->options.program = c->options.date = names[k];
    c->options.prefix = NULL;
    c->params.provenance = aio_provenance_new(names[k], names[k], names[k]);
    aio_provenance_add_recording(c->params.provenance, names[k], names[k]);
    char *header = rig_export_header(c);
    g_assert_true(g_utf8_validate(header, -1, NULL));
    g_assert_null(strstr(strstr(header, "*/") + 2, "int stolen"));
    g_assert_null(strstr(header, "??"));
    rig_write_file("hostile.h", header);
    rig_write_file("hostile.c", "#include \"hostile.h\"\ntypedef int no_empty_unit;\n");
    rig_write_file("hostile.cpp", "#include \"hostile.h\"\n");
    rig_compile_with("cc", "hostile.c", "-std=c99 -c", "hostile.o");
    if (rig_has_tool("g++"))
      rig_compile_with("g++", "hostile.cpp", "-std=c++11 -c", "hostile.o");
    if (rig_has_tool("clang"))
      rig_compile_with("clang", "hostile.c", "-std=c99 -c", "hostile.o");
    g_free(header);
    aio_provenance_free(c->params.provenance);
  }
  g_free(c);
}

/* Nothing is called but sin, cos and exp, nothing is stored but code. */
static void test_self_contained(void) {
  TestRng rng;
  int code;
  test_rng_init(&rng, test_seed(24));
  Case *c = rig_random_case(&rng, 6, 1);
  char *header = rig_export_header(c);
  rig_write_caller(header, false);
  const char *include = strstr(header, "#include");
  g_assert_true(g_str_has_prefix(include, "#include <math.h>\n"));
  g_assert_null(strstr(include + 1, "#include"));
  rig_compile_with("cc", "arm.c", "-std=c99 -O0 -c", "arm.o");
  char *command = g_strdup_printf("nm %s/arm.o", rig_folder),
       *symbols = rig_run_tool(command, &code);
  g_assert_cmpint(code, ==, 0);
  char **lines = g_strsplit(symbols, "\n", -1);
  for (char **line = lines; *line && **line; line++) {
    const char *symbol = strrchr(*line, ' ') + 1;
    const char kind = symbol[-2];
    const bool is_trig = kind == 'U' && g_regex_match_simple("^(sin|cos|exp)f?$", symbol, 0, 0);
    const bool is_linker = strcmp(symbol, "_GLOBAL_OFFSET_TABLE_") == 0;
    g_assert_true(is_trig || is_linker || kind == 'T' || kind == 't');
  }
  g_strfreev(lines);
  g_free(symbols);
  g_free(command);
  g_free(header);
  g_free(c);
}

static char *table_of(const AioParams *params, gsize *length) {
  ArmParamSet found;
  g_assert_cmpint(aio_params_found(params, &found), ==, ARM_OK);
  char *text = aio_export_csv(&found, length);
  arm_param_set_clear(&found);
  return text;
}

static void test_comment(void) {
  TestRng rng;
  test_rng_init(&rng, test_seed(25));
  Case *c = rig_random_case(&rng, 3, 1);
  c->arm.model.joints[0].type = c->params.fit.refined.type[0] = ARM_JOINT_R;
  c->params.is_torque[0] = true;
  c->params.fit.refined.joint[1].rows_used = 0;
  c->options.current_max[2] = 2.5;
  char *header = rig_export_header(c), *again = rig_export_header(c);
  g_assert_cmpstr(header, ==, again);
  g_assert_nonnull(strstr(header, "joint 1: fitted from torques: i_A[0] is in N m"));
  g_assert_nonnull(strstr(header, "joint 2: no row was fitted"));
  g_assert_nonnull(strstr(header, "i_A[1] = 0.0;"));
  g_assert_nonnull(strstr(header, "joint 3: limited to +-2.5 A"));
  g_assert_nonnull(strstr(header, "rule \"deadband=0.1\""));
  g_assert_nonnull(strstr(header, "sha256:1\n"));
  g_assert_nonnull(strstr(header, "sha256:2\n"));
  g_assert_null(strstr(header, "20"
                               "26"));
  g_free(again);
  g_free(header);
  g_free(c);
}

static void test_refused(void) {
  static const char *const prefixes[] = {"",   "9a", "a b", "a__b",
                                         "_a", "a_", "a*/", "abcdefghijklmnopqrstuvwxyzabcdefg"};
  TestRng rng;
  gsize length;
  test_rng_init(&rng, test_seed(26));
  Case *c = rig_random_case(&rng, 2, 0);
  for (gsize k = 0; k < G_N_ELEMENTS(prefixes); k++) {
    GError *error = NULL;
    c->options.prefix = prefixes[k];
    g_assert_null(aio_export_c(&c->arm, &c->params, &c->options, &length, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
    g_error_free(error);
  }
  c->options.prefix = "a_1";
  GError *error = NULL;
  c->params.fit.refined.joint[1].friction[2].used = 1e39;
  g_assert_null(aio_export_c(&c->arm, &c->params, &c->options, &length, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  c->params.fit.refined.n = 1;
  g_assert_null(aio_export_c(&c->arm, &c->params, &c->options, &length, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
  g_clear_error(&error);
  g_free(c);
}

static void test_csv(void) {
  TestRng rng;
  gsize length;
  test_rng_init(&rng, test_seed(27));
  Case *c = rig_random_case(&rng, 2, 0);
  ArmGravityParameters *p = &c->params.fit.refined;
  p->type[0] = ARM_JOINT_R;
  p->type[1] = ARM_JOINT_T;
  p->cluster[0] = p->cluster[1] = 0;
  p->joint[0].has_acceleration = p->joint[1].has_acceleration = false;
  for (int t = 0; t < ARM_TERMS; t++)
    p->joint[0].has_term[t] = p->joint[1].has_term[t] = false;
  p->joint[0].w[0] = (ArmEstimate){0.25, 0.5, 0.25, true, ARM_REASON_NONE};
  p->ratio[0][1] = (ArmEstimate){NAN, NAN, -2.0, false, ARM_REASON_TOO_WEAK};
  char *text = table_of(&c->params, &length);
  char **lines = g_strsplit(text, "\n", -1);
  g_assert_cmpuint(length, ==, strlen(text));
  g_assert_cmpuint(g_strv_length(lines), ==, 1 + 6 + 5 + 1 + 1);
  g_assert_cmpstr(lines[0], ==, "joint,name,value,sd,unit,identifiable,used,reason");
  g_assert_cmpstr(lines[1], ==, "1,kx_star_1,0.25,0.5,A s^2/m,true,0.25,");
  g_assert_true(g_str_has_prefix(lines[7], "2,mhat_star_2,"));
  char *last =
      g_strdup_printf("1,ratio_1_2,,,1/m,false,-2,\"%s\"", arm_reason_text(ARM_REASON_TOO_WEAK));
  g_assert_cmpstr(lines[12], ==, last);
  g_free(last);
  g_strfreev(lines);
  g_free(text);
  g_free(c);
}

/* All of a term that predictions need, in the order of the parameter file. */
static void test_csv_terms(void) {
  TestRng rng;
  gsize length;
  test_rng_init(&rng, test_seed(28));
  Case *c = rig_random_case(&rng, 2, 0);
  ArmGravityParameters *p = &c->params.fit.refined;
  p->type[0] = ARM_JOINT_R;
  p->type[1] = ARM_JOINT_T;
  for (gsize i = 0; i < 2; i++) {
    ArmJointFit *joint = &p->joint[i];
    joint->has_acceleration = false;
    joint->has_term[ARM_TERM_LOAD] = i == 0;
    joint->has_term[ARM_TERM_CURVE] = true;
    joint->term[ARM_TERM_LOAD] = (ArmEstimate){0.0625, 0.015625, 0.0625, true, ARM_REASON_NONE};
    joint->term[ARM_TERM_CURVE] = (ArmEstimate){-0.25, 0.125, -0.25, true, ARM_REASON_NONE};
    joint->load_seen[0] = 0.5;
    joint->load_seen[1] = 8.0;
    joint->curve_speed = 0.375;
    joint->term_sign = i == 0 ? 1.0 : -1.0;
  }
  char *text = table_of(&c->params, &length);
  g_assert_nonnull(strstr(text, "\n1,load_1,0.0625,0.015625,1,true,0.0625,\n"
                                "1,load_seen_least_1,0.5,0,A,true,0.5,\n"
                                "1,load_seen_most_1,8,0,A,true,8,\n"
                                "1,curve_1,-0.25,0.125,A,true,-0.25,\n"
                                "1,curve_speed_1,0.375,0,rad/s,true,0.375,\n"
                                "1,friction_sign_1,1,0,1,true,1,\n2,mhat_star_2,"));
  g_assert_nonnull(strstr(text, "\n2,curve_2,-0.25,0.125,A,true,-0.25,\n"
                                "2,curve_speed_2,0.375,0,m/s,true,0.375,\n"
                                "2,friction_sign_2,-1,0,1,true,-1,\n"));
  g_assert_null(strstr(text, "load_seen_least_2"));
  g_free(text);
  p->joint[0].has_term[ARM_TERM_CURVE] = false;
  c->params.is_torque[0] = true;
  text = table_of(&c->params, &length);
  g_assert_nonnull(strstr(text, "\n1,load_seen_most_1,8,0,N m,true,8,\n"
                                "1,friction_sign_1,1,0,1,true,1,\n2,mhat_star_2,"));
  g_free(text);
  g_free(c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  if (!rig_begin())
    return 0;
  g_test_add_func("/export/hostile-names", test_hostile_names);
  g_test_add_func("/export/self-contained", test_self_contained);
  g_test_add_func("/export/comment", test_comment);
  g_test_add_func("/export/refused", test_refused);
  g_test_add_func("/export/csv", test_csv);
  g_test_add_func("/export/csv-terms", test_csv_terms);
  return rig_end(g_test_run());
}
