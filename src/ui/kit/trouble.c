/* SPDX-License-Identifier: MIT */
#include "ui/kit/trouble.h"

#include <glib/gi18n.h>

#include "io/base/error.h"

static const struct {
  int code;
  AuiTrouble text; /* untranslated */
} troubles[] = {
    {AIO_ERROR_PERMISSION,
     {N_("You may not open this port."),
      N_("Join the group that it belongs to, then log out and in again; with Armature's package "
         "installed, plugging the cable in again is enough."),
      AUI_CURE_COPY, N_("Copy the command")}},
    {AIO_ERROR_BUSY,
     {N_("Another program uses this port."), N_("End that program, then try again."),
      AUI_CURE_RETRY, N_("Try again")}},
    {AIO_ERROR_NOT_FOUND,
     {N_("This device is not plugged in."),
      N_("Plug it in, or check the name that was typed; the list shows it within a second."),
      AUI_CURE_WAIT, N_("Connect when it is there")}},
    {AIO_ERROR_GONE,
     {N_("The device was unplugged."), N_("Check both ends of the cable and plug it in again."),
      AUI_CURE_WAIT, N_("Connect when it is there")}},
    {AIO_ERROR_TIMEOUT,
     {N_("The port is open, but nothing answers."),
      N_("Is the controller switched on, is this its cable, and is the baud rate its own?"),
      AUI_CURE_RETRY, N_("Try again")}},
    {AIO_ERROR_REFUSED,
     {N_("This cannot be used as a port."), N_("Choose another port, or another baud rate."),
      AUI_CURE_NONE, ""}},
    {AIO_ERROR_MEANING,
     {N_("This arm cannot be simulated."),
      N_("Its arm file does not say enough; the message names what is missing."), AUI_CURE_NONE,
      ""}},
};
static const AuiTrouble other = {N_("The connection did not come about."),
                                 N_("Read the message below, then try again."), AUI_CURE_RETRY,
                                 N_("Try again")};

void aui_trouble_of(const GError *error, AuiTrouble *out) {
  const AuiTrouble *found = &other;
  for (gsize k = 0; k < G_N_ELEMENTS(troubles); k++)
    if (g_error_matches(error, AIO_ERROR, troubles[k].code))
      found = &troubles[k].text;
  *out = (AuiTrouble){_(found->what), _(found->remedy), found->cure,
                      *found->button ? _(found->button) : ""};
}
