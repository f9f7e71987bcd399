import type { QueryClient } from '@tanstack/react-query';
import { vi } from 'vitest';
import { preferencesQuery } from '@/components/queries/preferences';
import { noPreferences } from '@/lib/api/preference-values';
import type { Preferences } from '@/lib/api/preferences';

/** What the page of someone who has set nothing has loaded. */
export function setNoPreferences(client: QueryClient): void {
  client.setQueryData(preferencesQuery().queryKey, noPreferences);
}

/** A server that keeps the viewer's preferences, which the page has loaded already; `unstubAllGlobals` ends it. */
export function keepPreferences(client: QueryClient, preferences: Preferences) {
  const kept = { preferences, isAway: false };
  client.setQueryData(preferencesQuery().queryKey, preferences);
  vi.stubGlobal('fetch', (_path: string, { method, body }: { method: string; body?: string }) => {
    if (kept.isAway) return Promise.reject(new TypeError('away'));
    if (method !== 'PUT') return Promise.resolve(Response.json(kept.preferences));
    const { ifVersion, ...settings } = JSON.parse(body ?? '') as Preferences & { ifVersion: number };
    if (ifVersion !== kept.preferences.version) {
      const details = { preferences: kept.preferences };
      return Promise.resolve(
        Response.json({ error: { code: 'conflict', message: 'Changed.', details } }, { status: 409 }),
      );
    }
    kept.preferences = { ...settings, version: ifVersion + 1 };
    return Promise.resolve(Response.json(kept.preferences));
  });
  return kept;
}
