import 'server-only';
import type { z } from 'zod';
import type { Answer } from '@/lib/api/common';
import type { peopleQuerySchema, peopleSchema } from '@/lib/api/people';
import { requireArchive } from '@/server/views/archive-access';
import type { SharedContext } from '@/server/views/context';
import type { PersonFacts } from '@/server/shared/viewer';
import { maskedName } from '@/server/shared/masked-actor';

/** The names of people who have signed in, for everyone who has. */
export async function listPeople(
  context: SharedContext,
  viewer: PersonFacts,
  { q = '', limit }: z.output<typeof peopleQuerySchema>,
): Promise<Answer<typeof peopleSchema>> {
  if (viewer.readOnly === 'anonymous') return { items: [] };
  const { mask } = context.keys;
  const names = await requireArchive(context).people.names(q.trim(), limit);
  return { items: names.map((name) => ({ name: maskedName(name, mask) })) };
}
