import type { QueryClient } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { preferencesQuery } from '@/components/queries/preferences';
import type { Preferences } from '@/lib/api/preferences';
import { AppError } from '@/lib/errors';

export type ChangeOfPreferences = (current: Preferences) => Partial<Omit<Preferences, 'version'>>;

/** Shows the change at once, and keeps it. Where that fails, shows what was there before, and rejects with AppError. */
export async function changePreferences(client: QueryClient, change: ChangeOfPreferences): Promise<void> {
  const { queryKey } = preferencesQuery();
  const show = (preferences: Preferences) => client.setQueryData(queryKey, preferences);
  const known = await client.ensureQueryData(preferencesQuery());
  await client.cancelQueries({ queryKey });
  show({ ...known, ...change(known) });
  try {
    show(await save(known, change));
  } catch (error) {
    show(known);
    throw error;
  }
}

/** What another browser has changed meanwhile stays. */
async function save(known: Preferences, change: ChangeOfPreferences): Promise<Preferences> {
  const send = (current: Preferences) => {
    const { version: ifVersion, ...settings } = current;
    return apiFetch('PUT /api/preferences', { body: { ...settings, ...change(current), ifVersion } });
  };
  try {
    return await send(known);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'conflict')) throw error;
    return send(error.details.preferences as Preferences);
  }
}
