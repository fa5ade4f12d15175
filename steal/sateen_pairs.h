/*
 * sateen_pairs.h: applies a macro to each pair of a list. Programs don't use
 * it.
 *
 * STN_PAIRS_(m, x, type, name, ...) expands to m(x, type, name) for each pair.
 * A macro can't expand itself, but its result can be scanned again, and each
 * scan expands one more pair. STN_SCAN_ scans often enough for 88 arguments of
 * one byte each.
 */
#ifndef STN_SATEEN_PAIRS_H
#define STN_SATEEN_PAIRS_H

/* clang-format off */

#define STN_SCAN_(...) STN_SCAN_3_(STN_SCAN_3_(__VA_ARGS__))
#define STN_SCAN_3_(...)                                                       \
	STN_SCAN_2_(STN_SCAN_2_(STN_SCAN_2_(STN_SCAN_2_(__VA_ARGS__))))
#define STN_SCAN_2_(...)                                                       \
	STN_SCAN_1_(STN_SCAN_1_(STN_SCAN_1_(STN_SCAN_1_(__VA_ARGS__))))
#define STN_SCAN_1_(...)                                                       \
	STN_SCAN_0_(STN_SCAN_0_(STN_SCAN_0_(STN_SCAN_0_(__VA_ARGS__))))
#define STN_SCAN_0_(...) __VA_ARGS__
#define STN_PARENTHESES_ ()
#define STN_AGAIN_() STN_PAIR_OF_TYPE_AND_NAME_
#define STN_PAIR_OF_TYPE_AND_NAME_(m, x, type, name, ...)                      \
	m(x, type, name)                                                       \
	__VA_OPT__(STN_AGAIN_ STN_PARENTHESES_(m, x, __VA_ARGS__))
#define STN_PAIRS_(m, x, ...)                                                  \
	__VA_OPT__(STN_SCAN_(STN_PAIR_OF_TYPE_AND_NAME_(m, x, __VA_ARGS__)))

#endif
