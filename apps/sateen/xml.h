/*
 * xml.h: texts in HTML and SVG files.
 */
#ifndef APPS_SATEEN_XML_H
#define APPS_SATEEN_XML_H

#include <stdio.h>

/*
 * xml_text: writes @text as the contents of an element or of a quoted attribute.
 * Leaves out control characters, which XML forbids.
 */
void xml_text(const char *text, FILE *out);

#endif
