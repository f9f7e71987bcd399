'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { type ClusterFilter, clustersIn, useClusters } from '@/components/queries/cluster';
import { useRestoredClusterFilter, useStickyClusterFilter } from '@/components/shared/cluster-filter';
import { useListedFirst } from '@/components/shared/listed-first';
import { Glyph } from '@/components/ui/glyph';
import { MenuButton } from '@/components/ui/menu-button';
import type { MenuEntry } from '@/components/ui/menu-entry';
import type { ClusterItem } from '@/lib/api/cluster';

const lists = /^\/(timeline|rollouts|records|rollout-histories|activity(\/events)?|review(\/report)?)?$/;

/** Of several clusters: those that lists are about, kept from page to page. On other pages it leads to the lists. */
export function ClusterPicker() {
  const path = usePathname();
  const isList = lists.test(path);
  useRestoredClusterFilter(isList ? path : null);
  const { list } = useClusters();
  const [filter, choose] = useStickyClusterFilter();
  const items = list?.items ?? [];
  const chosen = clustersIn(items, filter);
  const [only, ...others] = chosen;
  const first = useListedFirst('clusters');
  const own = items.filter(({ name }) => first.isFirst(name));

  const entryOf = (item: ClusterItem): MenuEntry => ({
    label: item.title,
    hint: hintOf(item),
    staysOpen: true,
    checked: filter.stage === undefined && chosen.includes(item) && chosen.length < items.length,
    onSelect: () => choose(toggled(items, filter, item)),
  });
  const entries: MenuEntry[] = [
    { label: 'All clusters', checked: chosen.length === items.length, onSelect: () => choose({}) },
    ...(own.length > 0 ? (['separator'] as const) : []),
    ...own.map(entryOf),
    ...[...Map.groupBy(items, ({ stage }) => stage)].flatMap(([stage, each]): MenuEntry[] => {
      const ofStage = [
        ...(stage === null || each.length < 2
          ? []
          : [
              {
                label: `All of ${stage}`,
                checked: filter.stage === stage,
                onSelect: () => choose({ stage }),
              },
            ]),
        ...each.filter((item) => !own.includes(item)).map(entryOf),
      ];
      return ofStage.length === 0 ? [] : ['separator', ...ofStage];
    }),
    'separator',
    ...(only === undefined || others.length > 0 ? [] : [first.entryOf(only.name, only.title)]),
    { label: 'Clusters…', glyph: 'plug', href: '/clusters' },
  ];
  if (!isList)
    return (
      <Link href="/clusters" className={look}>
        {items.length} clusters
      </Link>
    );
  const label = labelOf(items, chosen, filter);
  return (
    <MenuButton variant="bare" label={`Clusters shown: ${label}`} items={entries} className={look}>
      <span className="max-w-[180px] truncate max-desk:max-w-[104px]">{label}</span>
      <Glyph name="chevron-down" size={12} />
    </MenuButton>
  );
}

const look =
  'inline-flex h-[26px] min-w-0 items-center gap-1 rounded-3 border border-line px-2 text-small text-ink-2 hover:border-control';

/** The first choice shows that cluster alone; further ones add to it or take away from it. */
function toggled(items: readonly ClusterItem[], filter: ClusterFilter, item: ClusterItem): ClusterFilter {
  const chosen = clustersIn(items, filter);
  if (filter.stage !== undefined || chosen.length === items.length) return { cluster: item.name };
  const next = chosen.includes(item) ? chosen.filter((each) => each !== item) : [...chosen, item];
  if (next.length === 0 || next.length === items.length) return {};
  return {
    cluster: items
      .filter((each) => next.includes(each))
      .map(({ name }) => name)
      .join(','),
  };
}

function labelOf(
  items: readonly ClusterItem[],
  chosen: readonly ClusterItem[],
  { cluster, stage }: ClusterFilter,
): string {
  if (cluster === undefined && stage === undefined) return 'All clusters';
  if (cluster === undefined && stage !== undefined) return stage;
  const [only, ...others] = chosen;
  if (only === undefined) return cluster ?? 'No cluster';
  return others.length === 0 ? only.name : `${chosen.length} of ${items.length} clusters`;
}

function hintOf({ name, title, state }: ClusterItem): string | undefined {
  const words = [title === name ? '' : name, state === 'unreachable' ? 'unreachable' : ''];
  return words.filter(Boolean).join(', ') || undefined;
}
