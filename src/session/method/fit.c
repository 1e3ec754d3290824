/* SPDX-License-Identifier: MIT */
#include "session/method/fit.h"

struct AseFit {
  gpointer whole;
  GDestroyNotify free_whole;
};

static void clear(gpointer data) {
  const AseFit *fit = data;
  fit->free_whole(fit->whole);
}

AseFit *ase_fit_new(gpointer whole, GDestroyNotify free_whole) {
  AseFit *fit = g_atomic_rc_box_new(AseFit);
  *fit = (AseFit){whole, free_whole};
  return fit;
}

AseFit *ase_fit_ref(AseFit *fit) {
  return g_atomic_rc_box_acquire(fit);
}

void ase_fit_unref(AseFit *fit) {
  if (fit)
    g_atomic_rc_box_release_full(fit, clear);
}

gpointer ase_fit_whole(const AseFit *fit, GDestroyNotify free_whole) {
  return fit && fit->free_whole == free_whole ? fit->whole : NULL;
}
