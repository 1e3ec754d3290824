/* SPDX-License-Identifier: MIT */
/* The report of the demonstration: what is on its pages, where, and the file. No display. */
#include <glib/gstdio.h>
#include <string.h>

#include "recorded.h"
#include "session/bench.h"
#include "support/support.h"
#include "ui/report.h"

static const AuiReportNotes notes = {
    .operator_name = "A. Operator", .lab = "Laboratory 3", .notes = "Kühlung aus; 第三關節較熱。"};

static AuiFlow *new_report(Recorded *r, AuiPaper paper) {
  GError *error = NULL;
  AuiReportNotes mine = notes;
  mine.paper = paper;
  AuiFlow *flow = aui_report_new(r->session, &mine, &error);
  g_assert_no_error(error);
  return flow;
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
    AuiFlow *flow = new_report(&r, paper);
    g_assert_cmpuint(aui_flow_pages(flow), >=, 4);
    g_assert_cmpuint(aui_flow_pages(flow), <=, 8);
    for (guint k = 0; k < G_N_ELEMENTS(texts); k++)
      if (!find_text(flow, texts[k]))
        g_error("\"%s\" is not in the report", texts[k]);
    assert_layout(flow);
    shoot(flow, paper == AUI_PAPER_A4 ? "a4" : "letter");
    aui_flow_free(flow);
  }
  recorded_clear(&r);
}

/* Swept by a simulated controller, whose conditions are in the file. */
static void test_measured(void) {
  static const char *const texts[] = {
      "simulated", "Serial number", "Firmware",           " V",
      "\302\260C", "not validated", "per second, 0 lost", "Warm-up"};
  Bench bench;
  bench_init(&bench, "planar2r", 30.0);
  bench_plan_one(&bench, 0.8);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_FIT);
  Recorded r = {.session = bench.session};
  const gint64 began_us = g_get_monotonic_time();
  AuiFlow *flow = new_report(&r, AUI_PAPER_A4);
  g_test_message("laid out in %.0f ms", 1e-3 * (double)(g_get_monotonic_time() - began_us));
  for (guint k = 0; k < G_N_ELEMENTS(texts); k++)
    if (!find_text(flow, texts[k]))
      g_error("\"%s\" is not in the report", texts[k]);
  assert_layout(flow);
  shoot(flow, "measured");
  aui_flow_free(flow);
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

static void compare_text(const char *path) {
  g_autofree char *program = g_find_program_in_path("pdftotext"), *text = NULL;
  const char *argv[] = {program, path, "-", NULL};
  if (!program) {
    g_test_message("pdftotext is not installed: the text of the PDF is not compared");
    return;
  }
  g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &text, NULL,
                             NULL, NULL));
  g_assert_nonnull(strstr(text, "Calibration report"));
  g_assert_nonnull(strstr(text, "A. Operator"));
}

static void test_file(void) {
  Recorded r;
  GError *error = NULL;
  char *bytes;
  gsize length;
  recorded_init(&r, NULL);
  g_autofree char *path = g_build_filename(r.folder, "report.pdf", NULL);
  g_assert_false(aui_report_write(r.session, &notes, path, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_clear_error(&error);
  recorded_do(&r, ASE_STEP_FIT);
  AuiFlow *flow = new_report(&r, AUI_PAPER_A4);
  aui_report_write(r.session, &notes, path, &error);
  g_assert_no_error(error);
  g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
  g_assert_cmpmem(bytes, 5, "%PDF-", 5);
  g_assert_cmpuint(count(bytes, length, "/Type /Page %"), ==, aui_flow_pages(flow));
  g_assert_cmpuint(length, <, 1 << 20);
  compare_text(path);
  g_free(bytes);
  aui_flow_free(flow);
  g_autofree char *nowhere = g_build_filename(r.folder, "none", "report.pdf", NULL);
  g_assert_false(aui_report_write(r.session, &notes, nowhere, &error));
  g_assert_nonnull(strstr(error->message, nowhere));
  g_clear_error(&error);
  recorded_clear(&r);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ui/report/table", test_table);
  g_test_add_func("/ui/report/content", test_content);
  g_test_add_func("/ui/report/measured", test_measured);
  g_test_add_func("/ui/report/file", test_file);
  return g_test_run();
}
