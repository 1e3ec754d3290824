/* SPDX-License-Identifier: MIT */
/* Numbers as text against the C library: as few digits as read back, in the form of %.17g. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "io/csv/csv_number_write.h"

/* Its digits alone: without sign, point, exponent and zeros on either side. */
static void digits_of(const char *text, char *out) {
  gsize n = 0;
  for (; *text && *text != 'e'; text++)
    if (g_ascii_isdigit(*text) && (n > 0 || *text != '0'))
      out[n++] = *text;
  while (n > 0 && out[n - 1] == '0')
    n--;
  out[n] = '\0';
}

/* By the C library: as few digits as read back, all of whole numbers that are nearly 1e17. */
static void expected_of(double value, char *out) {
  char text[G_ASCII_DTOSTR_BUF_SIZE], format[8];
  const gboolean is_whole = fabs(value) >= ldexp(1, 56) && fabs(value) < 1e17;
  for (int places = is_whole ? 16 : 0; places < 17; places++) {
    g_snprintf(format, sizeof format, "%%.%de", places);
    g_ascii_formatd(text, sizeof text, format, value);
    if (g_ascii_strtod(text, NULL) == value)
      break;
  }
  digits_of(text, out);
}

/* Where all 17 are needed it is %.17g to the character, else the same with fewer. */
static void check(double value) {
  char ours[AIO_NUMBER_ROOM + 1], theirs[G_ASCII_DTOSTR_BUF_SIZE];
  char digits[AIO_NUMBER_ROOM + 1], expected[G_ASCII_DTOSTR_BUF_SIZE];
  const gsize n = aio_number_write(value, ours);
  g_assert_cmpuint(n, <, AIO_NUMBER_ROOM);
  ours[n] = '\0';
  g_assert_true(g_ascii_strtod(ours, NULL) == value && !signbit(value) == (ours[0] != '-'));
  digits_of(ours, digits);
  expected_of(value, expected);
  g_assert_cmpstr(digits, ==, expected);
  g_ascii_formatd(theirs, sizeof theirs, "%.17g", value);
  g_assert_cmpuint(n, <=, strlen(theirs));
  g_assert_true((strchr(ours, 'e') == NULL) == (strchr(theirs, 'e') == NULL));
  if (strlen(expected) == 17)
    g_assert_cmpstr(ours, ==, theirs);
}

static void check_both(double value) {
  check(value);
  check(-value);
}

static void test_chosen(void) {
  static const double values[] = {0.0,
                                  1.0,
                                  10.0,
                                  0.1,
                                  0.3,
                                  1e-4,
                                  9.9999999999999991e-5,
                                  1e-5,
                                  1e15,
                                  1e16,
                                  1e17,
                                  1e18,
                                  1e-11,
                                  1e-12,
                                  0.5,
                                  123456.0,
                                  2e-308,
                                  4.9e-324,
                                  1.7976931348623157e308,
                                  1e22,
                                  1e23,
                                  0.99999999999999989,
                                  9007199254740993.0,
                                  99999999999999984.0,
                                  72057594037927936.0,
                                  1.4551915228366852e-11};
  for (gsize k = 0; k < G_N_ELEMENTS(values); k++) {
    check_both(values[k]);
    check_both(nextafter(values[k], 0.0));
    if (values[k] < 1e308)
      check_both(nextafter(values[k], HUGE_VAL));
  }
}

/* Powers of ten and what is beside them: the exponent changes there, or the digits carry over. */
static void test_powers(void) {
  for (int ten = -30; ten <= 30; ten++) {
    double value = pow(10.0, ten);
    for (int k = 0; k < 4; k++)
      value = nextafter(value, 0.0);
    for (int k = 0; k < 8; k++, value = nextafter(value, HUGE_VAL))
      check_both(value);
  }
}

/* Numbers of a few digits, of all digits, and exactly between two texts of 17 digits. */
static void test_random(void) {
  for (int k = 0; k < 50000; k++) {
    const guint64 bits = (guint64)g_test_rand_int() << 32 | (guint32)g_test_rand_int();
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value))
      check(value);
    check(ldexp((double)(bits >> 11), (int)(bits % 96) - 92));
    check((double)(gint32)bits / 1e6);
    check((double)(bits >> 11) / (double)(G_GUINT64_CONSTANT(1) << bits % 60));
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/number_write/chosen", test_chosen);
  g_test_add_func("/number_write/powers", test_powers);
  g_test_add_func("/number_write/random", test_random);
  return g_test_run();
}
