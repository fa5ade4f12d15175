/* own_program.h: where this process's program lies. Any thread. */
#ifndef STN_TRANSPORT_OWN_PROGRAM_H
#define STN_TRANSPORT_OWN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * stn_own_program: writes the path of the program to @path, which has room for
 * @room bytes. Returns false, with an empty path, if /proc doesn't tell it or it
 * is too long. If the file was removed, the path ends with " (deleted)".
 */
bool stn_own_program(char *path, size_t room);

/*
 * stn_own_directory: likewise the program's directory. In a build tree, where
 * libtool may have put the program into .libs, it is the directory above .libs.
 */
bool stn_own_directory(char *path, size_t room);

#endif
