/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "ui/plot/figure.h"
#include "ui/plot/plot_data.h"

static guint total(const AuiBins *bins, guint direction) {
  guint count = 0;
  for (guint k = 0; k < bins->n; k++)
    count += bins->bin[direction][k].count;
  return count;
}

static void test_bins(void) {
  AuiBins bins;
  aui_bins_init(&bins, -1.0, 1.0, 99);
  g_assert_cmpuint(bins.n, ==, 100);
  for (int k = 0; k < 1000; k++) {
    const double q = -0.999 + 0.002 * k;
    aui_bins_add(&bins, q, q + 1.0, 1);
    aui_bins_add(&bins, q, q - 1.0, -1);
    aui_bins_add(&bins, q, 100.0, 0);
  }
  aui_bins_add(&bins, NAN, 1.0, 1);
  aui_bins_add(&bins, 0.0, INFINITY, 1);
  aui_bins_add(&bins, 1e300, 1.0, 1);
  g_assert_cmpuint(total(&bins, 0), ==, 1000);
  g_assert_cmpuint(total(&bins, 1), ==, 1000);
  for (guint k = 0; k < bins.n; k++)
    for (guint d = 0; d < 2; d++) {
      const AuiBin *bin = &bins.bin[d][k];
      const double expected = aui_bins_position(&bins, k) + (d ? -1.0 : 1.0);
      g_assert_cmpfloat_with_epsilon(bin->sum / bin->count, expected, 2e-3);
      g_assert_cmpfloat(bin->high - bin->low, <, 0.02);
      g_assert_cmpfloat(bin->low, <, expected);
    }
  aui_bins_clear(&bins);
}

/* Whatever comes beyond the range, nothing is lost and every value lies in its own bin. */
static void test_bins_widen(void) {
  AuiBins bins;
  aui_bins_init(&bins, 0.0, 0.1, 16);
  for (int k = 0; k < 1000; k++) { /* outwards to both sides */
    const double position = 0.005 * (k % 4 < 2 ? k : -k);
    aui_bins_add(&bins, position, position, k % 2 ? 1 : -1);
  }
  g_assert_cmpuint(total(&bins, 0), ==, 500);
  g_assert_cmpuint(total(&bins, 1), ==, 500);
  g_assert_cmpfloat(bins.low, <=, -4.99);
  g_assert_cmpfloat(bins.high, >, 4.98);
  const double half = 0.5 * (bins.high - bins.low) / bins.n;
  for (guint k = 0; k < bins.n; k++)
    for (guint d = 0; d < 2; d++)
      if (bins.bin[d][k].count) {
        g_assert_cmpfloat(bins.bin[d][k].low, >=, aui_bins_position(&bins, k) - half - 1e-9);
        g_assert_cmpfloat(bins.bin[d][k].high, <=, aui_bins_position(&bins, k) + half + 1e-9);
      }
  aui_bins_clear(&bins);
}

static bool is_nice(double value, double span) {
  const double step = pow(10.0, floor(log10(span)) - 2.0);
  return fabs(value / step - round(value / step)) < 1e-6;
}

static void test_range(void) {
  AuiRange range = {0};
  guint changes = 0;
  g_assert_false(aui_range_include(&range, NAN, 1.0));
  g_assert_false(range.is_set);
  for (int k = 1; k <= 10000; k++) {
    const AuiRange before = range;
    const double low = k % 2 ? -0.0003 * k : 0.0, high = 0.00071 * k;
    changes += aui_range_include(&range, low, high);
    g_assert_cmpfloat(range.low, <=, low);
    g_assert_cmpfloat(range.high, >=, high);
    if (before.is_set) {
      g_assert_cmpfloat(range.low, <=, before.low);
      g_assert_cmpfloat(range.high, >=, before.high);
    }
    g_assert_true(is_nice(range.low, range.high - range.low));
    g_assert_true(is_nice(range.high, range.high - range.low));
  }
  g_assert_cmpuint(changes, <, 120); /* of 10000: nice steps, not one per sample */
  g_assert_cmpfloat(range.high - range.low, <, 1.5 * 10.1);
  AuiRange flat = {0};
  g_assert_true(aui_range_include(&flat, 3.0, 3.0));
  g_assert_cmpfloat(flat.high, >=, 3.0);
  g_assert_cmpfloat(flat.high, >, flat.low);
  double low = 1.0, high = 1.0;
  aui_range_make_drawable(&low, &high);
  g_assert_cmpfloat(high - low, >=, 0.9e-6);
}

static void test_figure(void) {
  AuiFigure *figure = aui_figure_new("Joint 3", "position", "deg", "current", "A");
  double x[2], y[2];
  guint index = 99;
  g_assert_false(aui_figure_bounds(figure, x, y));
  AuiSeries *line = aui_figure_add(figure, "30 deg/s", AUI_INK_BLUE, AUI_STROKE_SOLID, 3);
  for (guint k = 0; k < 3; k++)
    line->x[k] = k, line->y[k] = k == 1 ? NAN : 0.5 * k;
  AuiSeries *band = aui_figure_add(figure, NULL, AUI_INK_BLUE, AUI_STROKE_BAND, 1);
  band->top[0] = 7.0;
  figure->x.high = 10.0;
  g_assert_true(aui_figure_bounds(figure, x, y));
  g_assert_cmpfloat(x[0], ==, 0.0);
  g_assert_cmpfloat(x[1], ==, 10.0);
  g_assert_cmpfloat(y[1], ==, 7.0);
  g_assert_true(aui_figure_nearest(figure, 1.2, 0.9, 1.0, 1.0, &index) == line);
  g_assert_cmpuint(index, ==, 2);
  char *text = aui_figure_to_table(figure, '\t');
  g_assert_cmpstr(text, ==,
                  "Joint 3\tposition [deg]\tcurrent [A]\n"
                  "30 deg/s\t0\t0\n30 deg/s\t2\t1\n");
  g_free(text);
  band->label = g_strdup("\"95 %\", noise");
  text = aui_figure_to_table(figure, ',');
  g_assert_cmpstr(text, ==,
                  "\"Joint 3\",\"position [deg]\",\"current [A]\",\"current [A]\"\n"
                  "\"30 deg/s\",0,0\n\"30 deg/s\",2,1\n\"\"\"95 %\"\", noise\",0,0,7\n");
  g_free(text);
  aui_figure_free(figure);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plot-data/bins", test_bins);
  g_test_add_func("/plot-data/bins-widen", test_bins_widen);
  g_test_add_func("/plot-data/range", test_range);
  g_test_add_func("/plot-data/figure", test_figure);
  return g_test_run();
}
