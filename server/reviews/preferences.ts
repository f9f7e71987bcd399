import 'server-only';
import { type z } from 'zod';
import { type Answer } from '@/lib/api/common';
import { noPreferences } from '@/lib/api/preference-values';
import { type preferencesRequestSchema, type preferencesSchema } from '@/lib/api/preferences';
import { AppError } from '@/lib/errors';
import { requireArchive } from '@/server/reads/archive-access';
import { type SharedContext } from '@/server/reads/context';
import { type PersonFacts } from '@/server/shared/viewer';

type PreferencesAnswer = Answer<typeof preferencesSchema>;

/** What the viewer has set; anonymous viewers, who are all one, have set nothing. */
export async function readPreferences(
  context: SharedContext,
  viewer: PersonFacts,
): Promise<PreferencesAnswer> {
  if (viewer.readOnly === 'anonymous') return noPreferences;
  return requireArchive(context).preferences.of(viewer.id);
}

/** Throws `forbidden` for anonymous viewers, and `conflict` with the current ones where `ifVersion` is not the last. */
export async function savePreferences(
  context: SharedContext,
  viewer: PersonFacts,
  { ifVersion, views, ...settings }: z.output<typeof preferencesRequestSchema>,
): Promise<PreferencesAnswer> {
  if (viewer.readOnly === 'anonymous')
    throw new AppError(
      'forbidden',
      'Anonymous access keeps no settings: Shiplog does not know whose they are. Set SHIPLOG_AUTH so that people sign in.',
    );
  const { mask } = context.keys;
  const masked = views.map(({ name, filters }) => ({
    name: mask.text(name),
    filters: Object.fromEntries(
      Object.entries(filters).map(([key, value]) => [key, mask.text(value)] as const),
    ),
  }));
  const archive = requireArchive(context);
  return archive.preferences.save(viewer.id, { ...settings, views: masked }, ifVersion, context.now());
}
