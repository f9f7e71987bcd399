'use client';

import { useMemo } from 'react';
import { useClusters } from '@/components/queries/cluster';
import { usePreferences } from '@/components/shared/use-preferences';
import type { MenuEntry } from '@/components/ui/menu-entry';
import type { FirstKind } from '@/lib/api/preference-values';

/** The names of one kind that the viewer wants first, with what changes that for one of them. */
export function useListedFirst(kind: FirstKind): {
  isFirst: (name: string) => boolean;
  /** "List shop first", to be checked. */
  entryOf: (name: string, label?: string) => MenuEntry;
} {
  const { preferences, refusal, change } = usePreferences();
  const names = preferences.first[kind];
  const isFirst = (name: string) => names.includes(name);
  return {
    isFirst,
    entryOf: (name, label = name) => ({
      label: `List ${label} first`,
      checked: isFirst(name),
      staysOpen: true,
      disabledReason: refusal,
      onSelect: () =>
        void change(({ first }) => ({
          first: {
            ...first,
            [kind]: isFirst(name) ? first[kind].filter((each) => each !== name) : [...first[kind], name],
          },
        })),
    }),
  };
}

type Place = { namespace: string; cluster: string };

/** Compares rows: what is in a namespace and in a cluster that the viewer wants first, then what is in one of them. */
export function useCompareFirst(): (a: Place, b: Place) => number {
  const { first } = usePreferences().preferences;
  const { list } = useClusters();
  return useMemo(() => {
    const namespaces = new Set(first.namespaces);
    const names = new Set(first.clusters);
    const clusters = new Set(list?.items.filter(({ name }) => names.has(name)).map(({ id }) => id));
    const rankOf = ({ namespace, cluster }: Place) =>
      Number(namespaces.has(namespace)) + Number(clusters.has(cluster));
    return (a, b) => rankOf(b) - rankOf(a);
  }, [first, list]);
}
