/* SPDX-License-Identifier: MIT */
/* 17 digits of M 2^e are M 5^k 2^(e+k), k = 16 - floor(log10): 116 bits at most for 1e-11 <= |x| <
 * 1e17, so that integers hold all of it and the remainder rounds as exactly as the C library does
 * (half to even). Everything else goes to the C library. */
#include "io/csv/csv_number_write.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
  DIGITS = 17,
  MAX_POWER = 27, /* 5^27 < 2^63 */
  BIAS = 1023,
  FRACTION = 52,
  LEAST_FIXED = -4 /* %g: from this decimal exponent on without an exponent */
};
#define TEN_16 G_GUINT64_CONSTANT(10000000000000000)

__extension__ typedef unsigned __int128 Wide;

static const guint64 five[MAX_POWER + 1] = {1,
                                            5,
                                            25,
                                            125,
                                            625,
                                            3125,
                                            15625,
                                            78125,
                                            390625,
                                            1953125,
                                            9765625,
                                            48828125,
                                            244140625,
                                            1220703125,
                                            G_GUINT64_CONSTANT(6103515625),
                                            G_GUINT64_CONSTANT(30517578125),
                                            G_GUINT64_CONSTANT(152587890625),
                                            G_GUINT64_CONSTANT(762939453125),
                                            G_GUINT64_CONSTANT(3814697265625),
                                            G_GUINT64_CONSTANT(19073486328125),
                                            G_GUINT64_CONSTANT(95367431640625),
                                            G_GUINT64_CONSTANT(476837158203125),
                                            G_GUINT64_CONSTANT(2384185791015625),
                                            G_GUINT64_CONSTANT(11920928955078125),
                                            G_GUINT64_CONSTANT(59604644775390625),
                                            G_GUINT64_CONSTANT(298023223876953125),
                                            G_GUINT64_CONSTANT(1490116119384765625),
                                            G_GUINT64_CONSTANT(7450580596923828125)};

/* M 5^k 2^(e+k), rounded */
static guint64 scale(guint64 mantissa, int exponent, int power) {
  const Wide product = (Wide)mantissa * five[power];
  const int shift = -(exponent + power);
  if (shift <= 0)
    return (guint64)(product << -shift);
  const guint64 whole = (guint64)(product >> shift);
  const Wide rest = product - ((Wide)whole << shift), half = (Wide)1 << (shift - 1);
  return whole + (rest > half || (rest == half && whole % 2 == 1));
}

/* false: not within the range of exact integers. */
static bool decimal_of(guint64 bits, guint64 *digits, int *ten) {
  const int two = (int)(bits >> FRACTION & 0x7ff) - BIAS;
  const guint64 mantissa =
      (bits & ((G_GUINT64_CONSTANT(1) << FRACTION) - 1)) | (G_GUINT64_CONSTANT(1) << FRACTION);
  if (two < -36 || two > 55) /* 2^-36 > 1e-11, 2^56 < 1e17 */
    return false;
  *ten = (two * 1233 + 64 * 4096) / 4096 - 64; /* floor(two log10 2), one too few at times */
  *digits = scale(mantissa, two - FRACTION, DIGITS - 1 - *ten);
  if (*digits < 10 * TEN_16)
    return true;
  ++*ten;
  *digits = scale(mantissa, two - FRACTION, DIGITS - 1 - *ten);
  return true;
}

/* Writes exactly `count` digits. */
static void put_digits(char *out, guint32 number, int count) {
  for (int k = count - 1; k >= 0; k--, number /= 10)
    out[k] = (char)('0' + number % 10);
}

/* Four chains of divisions side by side instead of a long one. */
static void put_all_digits(char *out, guint64 number) {
  const guint32 high = (guint32)(number / 100000000), low = (guint32)(number % 100000000);
  put_digits(out, high / 10000, 5);
  put_digits(out + 5, high % 10000, 4);
  put_digits(out + 9, low / 10000, 4);
  put_digits(out + 13, low % 10000, 4);
}

static gsize put_exponent(char *out, const char *digits, int count, int ten) {
  gsize at = 0;
  out[at++] = digits[0];
  if (count > 1)
    out[at++] = '.';
  memcpy(out + at, digits + 1, (gsize)count - 1);
  at += (gsize)count - 1;
  out[at++] = 'e';
  out[at++] = ten < 0 ? '-' : '+';
  put_digits(out + at, (guint32)(ten < 0 ? -ten : ten), 2);
  return at + 2;
}

static gsize put_fixed(char *out, const char *digits, int count, int ten) {
  gsize at = 0;
  if (ten < 0) {
    static const char zeros[] = {'0', '.', '0', '0', '0'};
    memcpy(out, zeros, sizeof zeros);
    at = (gsize)(1 - ten);
    memcpy(out + at, digits, (gsize)count);
    return at + (gsize)count;
  }
  const int whole = ten + 1;
  memcpy(out, digits, (gsize)whole);
  if (count <= whole)
    return (gsize)whole;
  out[whole] = '.';
  memcpy(out + whole + 1, digits + whole, (gsize)(count - whole));
  return (gsize)count + 1;
}

gsize aio_number_write(double value, char *out) {
  guint64 bits, number;
  int ten;
  memcpy(&bits, &value, sizeof bits);
  const gsize sign = bits >> 63;
  out[0] = '-';
  if (value == 0.0) {
    out[sign] = '0';
    return sign + 1;
  }
  if (!decimal_of(bits, &number, &ten)) {
    g_ascii_formatd(out, AIO_NUMBER_ROOM, "%.17g", value);
    return strlen(out);
  }
  char digits[DIGITS];
  int count = DIGITS;
  put_all_digits(digits, number);
  while (digits[count - 1] == '0')
    count--;
  return sign + (ten < LEAST_FIXED ? put_exponent(out + sign, digits, count, ten)
                                   : put_fixed(out + sign, digits, count, ten));
}
