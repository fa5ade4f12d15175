/*
 * constants.c: the calls of sateen_const.h, and the constants of records. The
 * service of constants keeps and fetches them.
 */
#include "steal/constants.h"

#include "steal/sateen.h"

struct stn_const
stn_const_make(struct stn_deque *deque, const void *data, size_t bytes)
{
	struct stn_owner *owner = stn_owner_of(deque);
	struct stn_const made = { stn_constants_make(owner->steal->constants,
						     data, bytes) };

	return made;
}

const void *
stn_const_at(struct stn_deque *deque, struct stn_const handle)
{
	const struct stn_owner *owner = stn_owner_of(deque);
	const struct stn_constant *constant = stn_constant_find(
		&owner->steal->constants->known, handle.hash);

	if (!constant)
		stn_node_fail(owner->node,
			      "a task asks for a constant that it has not got "
			      "as an argument");
	return constant->at;
}

/* Is @argument a constant? Then sets its hash. */
static bool
argument_hash(const struct stn_argument *argument,
	      const struct stn_record *record, uint64_t *hash_p)
{
	struct stn_const handle;

	if (argument->kind != STN_ARGUMENT_CONST)
		return false;
	memcpy(&handle, record->arguments + argument->offset, sizeof(handle));
	*hash_p = handle.hash;
	return true;
}

void
stn_record_constants_leave(struct stn_steal *steal, const struct stn_task *task,
			   const struct stn_record *record)
{
	uint64_t hash;

	for (uint32_t i = 0; i < task->argument_count; i++)
		if (argument_hash(&task->arguments[i], record, &hash))
			stn_constants_leaves(steal->constants, hash);
}

bool
stn_record_lacks(const struct stn_steal *steal,
		 const struct stn_argument *argument,
		 const struct stn_record *record, uint64_t *hash_p)
{
	uint64_t hash;

	if (!argument_hash(argument, record, &hash) ||
	    stn_constant_find(&steal->constants->known, hash))
		return false;
	*hash_p = hash;
	return true;
}
