/*
 * netns-secret: a Sateen program whose records contain a given word, which can
 * be found in a network's traffic unless that is encrypted.
 *
 *	netns-secret WORD
 *
 * The leaves sleep, so that all nodes get some.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sateen.h>

struct secret {
	char word[32];
};

STN_TASK(int, keep, struct secret, secret, int, depth)
{
	struct timespec leaf = { 0, 4000000 };
	int kept;

	if (!depth) {
		nanosleep(&leaf, NULL);
		return secret.word[0] != '\0';
	}
	STN_SPAWN(keep, secret, depth - 1);
	kept = STN_CALL(keep, secret, depth - 1);
	return kept + STN_SYNC(keep);
}

STN_MAIN(argc, argv)
{
	struct secret secret = { "" };

	if (argc != 2) {
		fprintf(stderr, "usage: netns-secret WORD\n");
		return 2;
	}
	strncpy(secret.word, argv[1], sizeof(secret.word) - 1);
	printf("kept %d times\n", STN_CALL(keep, secret, 10));
	return EXIT_SUCCESS;
}
