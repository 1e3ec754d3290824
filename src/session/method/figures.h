/* SPDX-License-Identifier: MIT */
/* What a method's figures are made of: which there are, and for one joint the series of each, in
 * SI. Units, inks and words that every figure has are the business of whoever draws them, who
 * chooses by role and quantity and knows no method.
 *
 * A picture is made of what is in memory already (session/method/swept.h), so it costs what it has
 * points, however long was measured. Main thread: names are translated where they are shown.
 */
#ifndef ARMATURE_SESSION_FIGURES_H
#define ARMATURE_SESSION_FIGURES_H

#include "session/method/swept.h"

/* What a number along an axis is. */
typedef enum {
  ASE_QUANTITY_POSITION, /* of the joint [rad or m] */
  ASE_QUANTITY_TIME,     /* [s] */
  ASE_QUANTITY_CURRENT,  /* [A] */
  ASE_QUANTITY_RESIDUAL, /* [A], mostly far below what the current is */
  ASE_QUANTITY_LAG,      /* in samples */
  ASE_QUANTITY_NUMBER    /* a count or a ratio */
} AseQuantity;

/* What a series is. */
typedef enum {
  ASE_SERIES_MEASURED,
  ASE_SERIES_COMPUTED, /* by the fit, of what it has seen or of what it has not */
  ASE_SERIES_RESIDUAL, /* measured minus computed */
  ASE_SERIES_LEFT_OUT, /* measured and not used: `use` says why */
  ASE_SERIES_WILD,     /* left out, since nothing around is like it; no axis grows for it */
  ASE_SERIES_FAR,      /* used and far from all others; no axis grows for it */
  ASE_SERIES_DECIDES,  /* measured where it decides the parameter that is asked for */
  ASE_SERIES_BAND,     /* within which values are to be expected */
  ASE_SERIES_COUNT,    /* bars from 0 to top */
  ASE_SERIES_EXPECTED, /* what counts would be */
  ASE_SERIES_VALUE,    /* any other line */
  ASE_SERIES_ROLES
} AseSeriesRole;

typedef struct {
  AseSeriesRole role;
  const char *name; /* N_; NULL: that of its sweep, direction or role */
  bool is_key;      /* a line of the legend for all of this role, without points */
  guint run;        /* of the joint's sweeps, from 1; 0: of none, or several */
  int direction;    /* +1, -1; 0: of none, or both */
  guint rank;       /* of its sweep: how many of this hold are slower */
  AseRowUse use;
  guint n;
  double *x, *y; /* NAN in y: a gap. Infinite x of a band: as far as the picture goes */
  double *top;   /* of BAND and COUNT, else NULL */
} AseSeries;

typedef struct {
  const char *name; /* N_ */
  AseQuantity quantity;
  double low, high; /* to be shown at least; NAN: as the series have it */
} AseFigureAxis;

/* What is to be seen of a joint's sweeps. */
typedef struct {
  const AseSwept *data; /* borrowed; NULL: there is nothing to show */
  guint joint;          /* from 1 */
  guint run;            /* of the joint's list, from 1; 0: all */
  int direction;        /* +1, -1; 0: both */
  bool is_validation;   /* sweeps that the fit has not seen */
  bool is_imported;     /* of a recording: there is nothing to sweep */
  bool is_over_time;    /* figures that can be are drawn over time, not position */
  bool has_parameter;   /* marks the samples that decide it */
  ArmParamId parameter;
} AseShown;

typedef struct {
  const char *title; /* N_ */
  AseFigureAxis x, y;
  const char *none;  /* N_: why there is nothing to draw, where nothing is */
  GPtrArray *series; /* of AseSeries, to be drawn in this order */
} AsePicture;

/* Where a page has it. */
typedef enum {
  ASE_FIGURE_BESIDE,   /* one of those that are compared by eye */
  ASE_FIGURE_OVERLAID, /* the same in one picture, instead */
  ASE_FIGURE_BELOW     /* how well it fits */
} AseFigurePlace;

typedef struct {
  const char *key;      /* "residuals"; of the list each once */
  const char *why;      /* what explains it to people (ui/kit/why); NULL: nothing does */
  AseFigurePlace place; /* those of one place are neighbours in the list, BELOW last */
  bool is_of_new;       /* also of sweeps that the fit has not seen */
  bool marks;           /* shows which samples decide a parameter */
  bool has_time;        /* may be drawn over time */
  /* Sets title, axes and `none` and adds the series. */
  void (*fill)(const AseShown *shown, AsePicture *picture);
} AseFigure;

/* NULL allowed. */
void ase_picture_free(AsePicture *picture);
AsePicture *ase_picture_new(const AseFigure *figure, const AseShown *shown);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AsePicture, ase_picture_free)

/* For `fill`: with room for so many points, and none yet; the picture's. */
AseSeries *ase_picture_add(AsePicture *picture, AseSeriesRole role, const char *name, guint room);
void ase_series_put(AseSeries *series, double x, double y);
AseSeries *ase_picture_add_key(AsePicture *picture, AseSeriesRole role, const char *name,
                               int direction);

/* NULL: there is no such joint in the data. Borrowed. */
const AseSweptJoint *ase_shown_joint(const AseShown *shown);
bool ase_shows_run(const AseShown *shown, guint run); /* from 0 */
bool ase_shows_direction(const AseShown *shown, int direction);

#endif
