'use client';

import { useRef } from 'react';
import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { clusterParam } from '@/components/queries/cluster';
import { useSameWorkload } from '@/components/queries/same-workload';
import type { WorkloadRef } from '@/components/queries/workload-ref';
import type { Candidate } from '@/components/shared/cluster-candidates';
import { StateGlyph, stateLabel } from '@/components/shared/state-label';
import { ButtonLink } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';
import { useShortcuts } from '@/components/ui/shortcuts';
import type { WorkloadItem } from '@/lib/api/workloads';
import { versionOf } from '@/lib/view/image-name';
import { shareOf } from '@/lib/view/rollout-progress';

/** What a workload is like in a cluster, as far as it is known. */
function Present({ item }: { item: WorkloadItem | undefined }) {
  if (item === undefined) return null;
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5 text-small text-ink-3">
      <StateGlyph state={item.state} awaitsApproval={item.awaitsApproval} share={shareOf(item)} size={12} />
      {stateLabel(item)}
      <span className="truncate font-mono text-code">{versionOf(item.images)}</span>
    </span>
  );
}

/** The page of an object that several clusters have, before one of them is chosen. */
export function ClusterChooser({
  what,
  candidates,
  workload,
}: {
  /** "shop/cart" */
  what: string;
  candidates: readonly Candidate[];
  /** Of one the state and the version are shown. */
  workload?: WorkloadRef;
}) {
  const items = useSameWorkload(workload);
  const list = useRef<HTMLUListElement>(null);
  const router = useRouter();
  const pathname = usePathname();
  const params = useSearchParams();
  const addressOf = (cluster: string) =>
    `${pathname}?${new URLSearchParams([...[...params].filter(([name]) => name !== 'cluster'), ['cluster', cluster]])}`;
  const moveBy = (step: 1 | -1) => {
    const links = [...(list.current?.querySelectorAll('a') ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
  };
  useShortcuts({
    j: { label: 'Next cluster', hint: 'move', run: () => moveBy(1) },
    k: { label: 'Previous cluster', hint: 'move', run: () => moveBy(-1) },
    ...Object.fromEntries(
      candidates
        .slice(0, 9)
        .map(({ cluster, title }, index) => [
          String(index + 1),
          { label: `Open in ${title}`, hint: cluster, run: () => router.replace(addressOf(cluster)) },
        ]),
    ),
  });
  return (
    <EmptyState
      title={`${what} is in ${candidates.length} clusters`}
      glyph="list"
      heading="h1"
      className="mt-4"
      actions={
        <ul ref={list} aria-label="Clusters" className="grid w-full max-w-[560px] gap-2">
          {candidates.map(({ cluster, title, stage }, index) => (
            <li key={cluster}>
              <ButtonLink
                href={addressOf(cluster)}
                replace
                kbd={index < 9 ? String(index + 1) : undefined}
                className="w-full justify-between! max-desk:min-h-11"
              >
                <span className="min-w-0 truncate">
                  {title} {title !== cluster && <span className="text-ink-3">{cluster}</span>}
                </span>
                <Present item={items.find((item) => clusterParam(item.cluster) === cluster)} />
                <span className="ml-auto flex-none text-small text-ink-3">{stage}</span>
              </ButtonLink>
            </li>
          ))}
        </ul>
      }
    >
      The link does not name one of them. Choose where to look.
    </EmptyState>
  );
}
