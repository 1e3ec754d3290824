/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <glib/gi18n-lib.h>

#include "io/base/said.h"
#include "io/store/store_sql.h"

AioErrorCode aio_sql_code_of_errno(int saved) {
  switch (saved) {
  case ENOSPC:
  case EDQUOT:
  case EFBIG:
    return AIO_ERROR_FULL;
  case EEXIST:
    return AIO_ERROR_EXISTS;
  case ENOENT:
  case ENOTDIR:
    return AIO_ERROR_NOT_FOUND;
  case EACCES:
  case EPERM:
  case EROFS:
    return AIO_ERROR_PERMISSION;
  default:
    return AIO_ERROR_IO;
  }
}

/* There is nothing in this program that mends it. */
const char *aio_sql_damage(void) {
  return aio_said_word(
      N_("the file is damaged; nothing was changed; copy it before you try anything with it, and "
         "go on with an older copy"));
}

const char *aio_sql_remedy(AioErrorCode code) {
  switch ((int)code) {
  case AIO_ERROR_FULL:
    return aio_said_word(N_("free some space or record to another place"));
  case AIO_ERROR_BUSY:
    return aio_said_word(N_("another program uses it, close it there"));
  case AIO_ERROR_SYNTAX:
    return aio_said_word(
        N_("the file is not a session of this program or is damaged; nothing was changed; copy "
           "it before you try anything with it, and go on with an older copy"));
  case AIO_ERROR_PERMISSION:
    return aio_said_word(N_("open it for reading, or copy it to a folder you may write"));
  case AIO_ERROR_IO:
    return aio_said_word(N_("check the disk and its cable, or record to another place"));
  default:
    return "";
  }
}
