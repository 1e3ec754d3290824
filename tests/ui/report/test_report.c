/* SPDX-License-Identifier: MIT */
/* The report of the demonstration and of a simulated arm: what is on its pages, where, and the
 * file, as it is and as pdftotext reads it. No display. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "io/params/params_file.h"
#include "recorded.h"
#include "session/bench.h"
#include "support/support.h"
#include "ui/kit/format.h"
#include "ui/report/report_job.h"
#include "watchdog.h"

static const AuiReportNotes notes = {
    .operator_name = "A. Operator", .lab = "Laboratory 3", .notes = "Kühlung aus; 第三關節較熱。"};

static AuiFlow *new_report(AseSession *session, AuiPaper paper) {
  GError *error = NULL;
  AseConditions conditions = {.supply_V = {NAN, NAN}};
  AuiReportNotes mine = notes;
  mine.paper = paper;
  ase_conditions_load(&conditions, ase_session_path(session), &error);
  g_assert_no_error(error);
  AuiReport *report = aui_report_new(session, &mine, &conditions, &error);
  g_assert_no_error(error);
  while (aui_report_add_part(report))
    ;
  AuiFlow *flow = aui_report_take_flow(report);
  aui_report_free(report);
  return flow;
}

/* ---- a file, while the main loop goes on ---- */

typedef struct {
  AuiReportJob *job;
  GError *error;
  double part; /* the last that was told */
  guint told;
  bool may_begin_again, is_over;
} Written;

static void on_progress(double part, void *ctx) {
  Written *written = ctx;
  g_assert_true(part >= written->part || written->may_begin_again);
  g_assert_cmpfloat(part, <=, 1.0);
  written->part = part;
  written->told++;
}

static void on_done(const GError *error, void *ctx) {
  Written *written = ctx;
  written->error = error ? g_error_copy(error) : NULL;
  written->is_over = true;
}

static void begin_file(Written *written, AseSession *session, const char *path) {
  const AuiReportWatch watch = {on_progress, on_done, written};
  *written = (Written){.part = 0.0};
  written->job = aui_report_job_start(session, &notes, path, &watch);
}

static void end_file(Written *written) {
  watchdog_worst_ms();
  while (!written->is_over)
    watchdog_iterate();
  g_test_message("%u slices, the longest %.1f ms of CPU", written->told, watchdog_worst_ms());
  aui_report_job_free(written->job);
}

static GError *write_file(AseSession *session, const char *path) {
  Written written = {0};
  begin_file(&written, session, path);
  end_file(&written);
  return written.error;
}

/* ---- what stands where ---- */

static const char *find_text(const AuiFlow *flow, const char *part) {
  for (guint k = 0; k < aui_flow_n_placed(flow); k++) {
    const AuiPlaced placed = aui_flow_placed(flow, k);
    if (placed.text && strstr(placed.text, part))
      return placed.text;
  }
  return NULL;
}

/* Texts of two cells may touch, but not lie over each other; nothing reaches into the margins. */
static void assert_layout(const AuiFlow *flow) {
  enum { MARGIN = 50 };
  double width, height;
  aui_flow_size(flow, &width, &height);
  for (guint k = 0; k < aui_flow_n_placed(flow); k++) {
    const AuiPlaced a = aui_flow_placed(flow, k);
    if (a.missing)
      g_error("page %u: \"%s\" has %d characters without a glyph", a.page + 1, a.text, a.missing);
    if (a.x < MARGIN - 0.5 || a.x + a.width > width - MARGIN + 0.5 || a.y < MARGIN ||
        a.y + a.height > height - MARGIN + 0.5)
      g_error("page %u: \"%s\" at %.0f,%.0f %.0fx%.0f is outside", a.page + 1,
              a.text ? a.text : "figure", a.x, a.y, a.width, a.height);
    for (guint i = 0; i < k; i++) {
      const AuiPlaced b = aui_flow_placed(flow, i);
      if (a.page == b.page && a.x < b.x + b.width - 0.5 && b.x < a.x + a.width - 0.5 &&
          a.y < b.y + b.height - 0.7 && b.y < a.y + a.height - 0.7)
        g_error("page %u: \"%s\" lies over \"%s\"", a.page + 1, a.text ? a.text : "figure",
                b.text ? b.text : "figure");
    }
  }
}

/* The lines stand below their heading. */
static void assert_signatures(const AuiFlow *flow) {
  guint heading = 0, line = 1;
  for (guint k = 0; k < aui_flow_n_placed(flow); k++) {
    const AuiPlaced placed = aui_flow_placed(flow, k);
    if (placed.text && strcmp(placed.text, "Signatures") == 0)
      heading = placed.page;
    if (placed.text && g_str_has_prefix(placed.text, "Checked by"))
      line = placed.page;
  }
  g_assert_cmpuint(heading, ==, line);
}

/* Of all pages, beside the pictures of the windows. */
static void shoot(const AuiFlow *flow, const char *name) {
  const char *folder = g_getenv("ARMATURE_SHOTS");
  double width, height;
  aui_flow_size(flow, &width, &height);
  for (guint page = 0; folder && page < aui_flow_pages(flow); page++) {
    GError *error = NULL;
    g_autofree char *path = g_strdup_printf("%s/report-%s-%u.png", folder, name, page + 1);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(1.6 * width), (int)(1.6 * height));
    cairo_t *cr = cairo_create(surface);
    cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
    cairo_paint(cr);
    cairo_scale(cr, 1.6, 1.6);
    g_assert_true(aui_flow_draw(flow, cr, page, &error));
    g_mkdir_with_parents(folder, 0755);
    cairo_surface_write_to_png(surface, path);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
  }
}

/* Other languages have longer heads: they are broken, and stay on the page; so do 90 rows. */
static void test_table(void) {
  static const AuiCellKind kinds[] = {AUI_CELL_NUMBER,  AUI_CELL_DECIMAL, AUI_CELL_DECIMAL,
                                      AUI_CELL_DECIMAL, AUI_CELL_DECIMAL, AUI_CELL_DECIMAL,
                                      AUI_CELL_NUMBER,  AUI_CELL_TEXT};
  const char *const heads[] = {"Gelenknummer",
                               "Konditionszahl roh",
                               "äquilibriert",
                               "zentriert",
                               "Reststandardabweichung in mA",
                               "Bestimmtheitsmaß",
                               "殘差的標準差與自相關",
                               "Bemerkung"};
  GPtrArray *cells = g_ptr_array_new_with_free_func(g_free);
  for (guint k = 0; k < 90 * G_N_ELEMENTS(kinds); k++) {
    const bool is_text = k % G_N_ELEMENTS(kinds) + 1 == G_N_ELEMENTS(kinds);
    g_ptr_array_add(cells, is_text ? g_strdup("nicht identifizierbar, weil zu wenig davon im Strom "
                                              "zu sehen ist")
                                   : g_strdup_printf("%.*f(%u)", (int)(k % 3), 0.01 * k, k % 9));
  }
  AuiFlow *flow = aui_flow_new(AUI_PAPER_LETTER, "left", "right", "foot");
  aui_flow_table(flow, G_N_ELEMENTS(kinds), kinds, heads, cells);
  g_assert_cmpuint(aui_flow_pages(flow), >=, 2);
  assert_layout(flow);
  shoot(flow, "table");
  aui_flow_free(flow);
  g_ptr_array_unref(cells);
}

static void test_content(void) {
  static const char *const texts[] = {"PUMA",
                                      "A. Operator",
                                      "Laboratory 3",
                                      "第三關節",
                                      "sha256:",
                                      "not identifiable",
                                      "passed",
                                      "Signatures",
                                      "Checked by",
                                      "ratio",
                                      "1 sd",
                                      "A s/rad",
                                      "from a recording"};
  Recorded r;
  recorded_init(&r, NULL);
  recorded_do(&r, ASE_STEP_FIT);
  recorded_do(&r, ASE_STEP_VALIDATE);
  for (AuiPaper paper = 0; paper < AUI_PAPERS; paper++) {
    AuiFlow *flow = new_report(r.session, paper);
    g_assert_cmpuint(aui_flow_pages(flow), >=, 4);
    g_assert_cmpuint(aui_flow_pages(flow), <=, 16);
    for (guint k = 0; k < G_N_ELEMENTS(texts); k++)
      if (!find_text(flow, texts[k]))
        g_error("\"%s\" is not in the report", texts[k]);
    assert_layout(flow);
    assert_signatures(flow);
    shoot(flow, paper == AUI_PAPER_A4 ? "a4" : "letter");
    aui_flow_free(flow);
  }
  recorded_clear(&r);
}

/* ---- as pdftotext reads it ---- */

/* Lines as on the paper, blanks that follow each other as one. NULL: there is no pdftotext. */
static char *read_pdf(const char *path) {
  g_autofree char *program = g_find_program_in_path("pdftotext"), *text = NULL;
  const char *argv[] = {program, "-layout", path, "-", NULL};
  if (!program)
    return NULL;
  g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &text, NULL,
                             NULL, NULL));
  GString *out = g_string_new(NULL);
  for (const char *c = text; *c; c++)
    if (*c != ' ' || !out->len || out->str[out->len - 1] != ' ')
      g_string_append_c(out, *c);
  return g_string_free(out, FALSE);
}

static void assert_says(const char *text, const char *part) {
  if (!strstr(text, part))
    g_error("the PDF does not say \"%s\":\n%s", part, text);
}

/* A line has all of them, in this order. */
static void assert_line(const char *text, const char *const *parts) {
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (guint k = 0; lines[k]; k++) {
    const char *at = lines[k];
    for (guint i = 0; parts[i] && at; i++)
      at = strstr(at, parts[i]) ? strstr(at, parts[i]) + strlen(parts[i]) : NULL;
    if (at)
      return;
  }
  g_error("no line of the PDF has \"%s\", \"%s\"...:\n%s", parts[0], parts[1], text);
}

static void assert_parameter(const char *text, const ArmParamSet *found, size_t k) {
  const ArmEstimate *e = &found->estimate[k];
  g_autofree char *joint = g_strdup_printf("%d", found->param[k].id.i + 1);
  g_autofree char *name = aui_format_parameter(found, k);
  g_autofree char *value = aui_format_estimate(e->value, e->sd);
  const char *const known[] = {joint, name, value, "A", NULL};
  const char *const unknown[] = {joint, name, "-", "not identifiable", NULL};
  const bool is_ratio = e->identifiable && !strchr(arm_param_set_unit(found, k), 'A');
  const char *const ratio[] = {joint, name, value, NULL};
  assert_line(text, is_ratio ? ratio : e->identifiable ? known : unknown);
}

static void assert_parameters(const char *text, AseSession *session) {
  g_auto(ArmParamSet) found = {0};
  g_assert_true(ase_session_found(session, &found, NULL));
  for (size_t k = 0; k < found.n; k++)
    if (arm_param_set_is_listed(&found, k))
      assert_parameter(text, &found, k);
}

/* Every sweep that was measured is drawn. */
static void assert_figures(const char *text, AseSession *session) {
  const GPtrArray *runs = ase_session_runs(session);
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    g_autofree char *caption = g_strdup_printf("Joint %u, hold %u", run->joint, run->hold);
    if (run->sweeps && run->purpose == ASE_PURPOSE_MEASURE)
      assert_says(text, caption);
  }
}

static void assert_text(const char *path, AseSession *session, const char *const *words) {
  g_autofree char *text = read_pdf(path);
  if (!text) {
    g_test_skip("pdftotext is not installed (Debian: poppler-utils)");
    return;
  }
  for (guint k = 0; words[k]; k++)
    assert_says(text, words[k]);
  assert_says(text, ase_session_arm(session)->name);
  g_assert_null(strstr(text, "\357\277\275"));
  assert_parameters(text, session);
  assert_figures(text, session);
}

/* Swept by a simulated controller, whose conditions are in the file. */
static void test_measured(void) {
  static const char *const words[] = {"Calibration report",
                                      "simulated",
                                      "Serial number",
                                      "Firmware",
                                      " V",
                                      "\302\260C",
                                      "not validated",
                                      "per second, 0 lost",
                                      "Warm-up",
                                      "A. Operator",
                                      "Laboratory 3",
                                      "Signatures",
                                      "Checked by",
                                      "Date",
                                      "A s/rad",
                                      NULL};
  GError *error = NULL;
  AseConditions conditions;
  Bench bench;
  bench_init(&bench, "planar2r", 30.0);
  bench_plan_one(&bench, 0.8);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_FIT);
  AuiFlow *flow = new_report(bench.session, AUI_PAPER_A4);
  for (guint k = 0; words[k]; k++)
    if (!find_text(flow, words[k]))
      g_error("\"%s\" is not in the report", words[k]);
  assert_layout(flow);
  assert_signatures(flow);
  shoot(flow, "measured");
  aui_flow_free(flow);
  g_autofree char *path = g_build_filename(bench.folder, "report.pdf", NULL);
  error = write_file(bench.session, path);
  g_assert_no_error(error);
  assert_text(path, bench.session, words);
  ase_conditions_load(&conditions, ase_session_path(bench.session), NULL);
  g_assert_cmpstr(conditions.serial, !=, "");
  const char *const serial[] = {conditions.serial, conditions.firmware, NULL};
  if (!g_test_failed())
    assert_text(path, bench.session, serial);
  g_unlink(path);
  bench_clear(&bench);
}

/* ---- the file ---- */

static guint count(const char *bytes, gsize length, const char *mark) {
  guint n = 0;
  const gsize size = strlen(mark);
  for (gsize k = 0; k + size <= length; k++)
    n += memcmp(bytes + k, mark, size) == 0;
  return n;
}

static guint count_files(const char *folder) {
  guint n = 0;
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  while (g_dir_read_name(dir))
    n++;
  return n;
}

static void test_file(void) {
  static const char *const words[] = {"Calibration report", "A. Operator", "K\303\274hlung aus",
                                      "from a recording", NULL};
  Recorded r;
  GError *error;
  char *bytes;
  gsize length;
  recorded_init(&r, NULL);
  g_autofree char *path = g_build_filename(r.folder, "report.pdf", NULL);
  error = write_file(r.session, path);
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  g_clear_error(&error);
  recorded_do(&r, ASE_STEP_FIT);
  AuiFlow *flow = new_report(r.session, AUI_PAPER_A4);
  error = write_file(r.session, path);
  g_assert_no_error(error);
  g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
  g_assert_cmpmem(bytes, 5, "%PDF-", 5);
  g_assert_cmpuint(count(bytes, length, "/Type /Page %"), ==, aui_flow_pages(flow));
  g_assert_cmpuint(length, <, 1 << 20);
  g_test_message("%u pages, %zu bytes", aui_flow_pages(flow), length);
  assert_text(path, r.session, words);
  g_free(bytes);
  aui_flow_free(flow);
  g_autofree char *nowhere = g_build_filename(r.folder, "none", "report.pdf", NULL);
  error = write_file(r.session, nowhere);
  g_assert_nonnull(strstr(error->message, nowhere));
  g_clear_error(&error);
  recorded_clear(&r);
}

/* Given up at any moment: what was there before is still there, and nothing else. */
static void test_cancel(void) {
  Recorded r;
  recorded_init(&r, NULL);
  recorded_do(&r, ASE_STEP_FIT);
  g_autofree char *path = g_build_filename(r.folder, "report.pdf", NULL);
  g_assert_true(g_file_set_contents(path, "older", -1, NULL));
  const guint files = count_files(r.folder);
  for (guint stop_at = 0; stop_at < 24; stop_at += 4) {
    g_autofree char *text = NULL;
    Written written = {0};
    begin_file(&written, r.session, path);
    while (written.told < stop_at)
      watchdog_iterate();
    aui_report_job_free(written.job);
    g_assert_false(written.is_over);
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_assert_cmpstr(text, ==, "older");
    g_assert_cmpuint(count_files(r.folder), ==, files);
  }
  recorded_clear(&r);
}

/* The session changes while it is laid out: begun again, and of one piece. */
static void test_changed(void) {
  Recorded r;
  Written written = {0};
  recorded_init(&r, NULL);
  recorded_do(&r, ASE_STEP_FIT);
  g_autofree char *path = g_build_filename(r.folder, "report.pdf", NULL);
  begin_file(&written, r.session, path);
  while (written.told < 10)
    watchdog_iterate();
  written.may_begin_again = true;
  recorded_do(&r, ASE_STEP_FIT);
  end_file(&written);
  g_assert_no_error(written.error);
  g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
  recorded_clear(&r);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ui/report/table", test_table);
  g_test_add_func("/ui/report/content", test_content);
  g_test_add_func("/ui/report/measured", test_measured);
  g_test_add_func("/ui/report/file", test_file);
  g_test_add_func("/ui/report/cancel", test_cancel);
  g_test_add_func("/ui/report/changed", test_changed);
  return g_test_run();
}
