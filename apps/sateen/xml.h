/*
 * xml.h: texts in HTML and SVG files.
 */
#ifndef APPS_SATEEN_XML_H
#define APPS_SATEEN_XML_H

#include <stdio.h>

/*
 * xml_text: writes @text as the contents of an element or of a quoted
 * attribute. Leaves out characters that XML forbids. Bytes outside ASCII that
 * are no UTF-8 are taken as Latin-1.
 */
void xml_text(const char *text, FILE *out);

#endif
