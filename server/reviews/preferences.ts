import 'server-only';
import type { z } from 'zod';
import type { Answer } from '@/lib/api/common';
import { noPreferences } from '@/lib/api/preference-values';
import type { Preferences, preferencesRequestSchema, preferencesSchema } from '@/lib/api/preferences';
import { AppError } from '@/lib/errors';
import { requireArchive } from '@/server/views/archive-access';
import type { SharedContext } from '@/server/views/context';
import type { Mask } from '@/server/shared/mask';
import type { PersonFacts } from '@/server/shared/viewer';

type PreferencesAnswer = Answer<typeof preferencesSchema>;

/** What the viewer has set; anonymous viewers, who are all one, have set nothing. */
export async function readPreferences(
  context: SharedContext,
  viewer: PersonFacts,
): Promise<PreferencesAnswer> {
  if (viewer.readOnly === 'anonymous') return maskedPreferences(noPreferences, context);
  return maskedPreferences(await requireArchive(context).preferences.of(viewer.id), context);
}

/** Filters are what the person typed. */
function maskedPreferences(
  preferences: Preferences,
  { keys: { mask } }: Pick<SharedContext, 'keys'>,
): PreferencesAnswer {
  return { ...preferences, views: preferences.views.map((view) => maskedView(view, mask)) };
}

function maskedView({ name, filters }: Preferences['views'][number], mask: Mask) {
  const masked = Object.entries(filters).map(([key, value]) => [key, mask.text(value)] as const);
  return { name: mask.text(name), filters: Object.fromEntries(masked) };
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
  const masked = views.map((view) => maskedView(view, context.keys.mask));
  const { preferences } = requireArchive(context);
  const saved = await preferences.save(viewer.id, { ...settings, views: masked }, ifVersion, context.now());
  return maskedPreferences(saved, context);
}
