'use client';

import { useCallback } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ChangeOfPreferences } from '@/components/queries/change-preferences';
import { preferencesQuery } from '@/components/queries/preferences';
import { sessionQuery } from '@/components/queries/session';
import { showToast } from '@/components/ui/toast';
import { noPreferences } from '@/lib/api/preference-values';
import type { Preferences } from '@/lib/api/preferences';
import { messageOf } from '@/lib/errors';

interface OwnPreferences {
  /** As of someone who has set nothing, where they are unknown. */
  preferences: Preferences;
  /** Why they can't be changed; null: they can. */
  refusal: string | null;
  /** Shows the change at once; a failure undoes it and is reported. Whether it was kept. */
  change: (change: ChangeOfPreferences) => Promise<boolean>;
}

/** What the viewer has set for themselves. */
export function usePreferences(): OwnPreferences {
  const { data, isPending } = useQuery(preferencesQuery());
  const { data: session } = useQuery(sessionQuery());
  const client = useQueryClient();
  const change = useCallback(
    async (change: ChangeOfPreferences) => {
      try {
        const { changePreferences } = await import('@/components/queries/change-preferences');
        await changePreferences(client, change);
        return true;
      } catch (error) {
        showToast({ title: 'Your settings were not saved', body: messageOf(error), tone: 'bad' });
        return false;
      }
    },
    [client],
  );
  return { preferences: data ?? noPreferences, refusal: refusalOf(), change };

  function refusalOf(): string | null {
    if (session?.mode === 'anonymous') return 'Anonymous access keeps no settings';
    if (data !== undefined) return null;
    return isPending ? 'Loading your settings' : 'Your settings could not be loaded';
  }
}
