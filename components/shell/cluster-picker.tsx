'use client';

import { lazy, Suspense, useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { usePathname } from 'next/navigation';
import { useQueryStates } from 'nuqs';
import { clusterParsers } from '@/components/list/list-address';
import { isChosen, useClusters } from '@/components/queries/clusters';
import {
  type ClusterAddress,
  readStoredClusters,
  statedClusters,
  storeClusters,
  useStoredClusters,
} from '@/components/shared/stored-clusters';
import { Glyph } from '@/components/ui/glyph';
import { loadAhead, loadPart } from '@/components/ui/lazy-part';

const ClusterPopup = lazy(() => loadPart(loadPopup().then((part) => part.ClusterPopup)));

function loadPopup() {
  return import('@/components/shell/cluster-popup');
}

/** Pages of which the address says which clusters they are about. */
const lists: ReadonlySet<string> = new Set([
  '/',
  '/timeline',
  '/rollouts',
  '/review',
  '/review/report',
  '/records',
  '/rollout-histories',
  '/activity',
]);

/** Which of several clusters lists are about: the address of this list, else the choice that the next one starts with. */
export function ClusterPicker() {
  const { items } = useClusters();
  const { value, choose } = useChosenClusters();
  const [open, setOpen] = useState(false);
  const [isRequested, setRequested] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const id = useId();
  const chosen = items.filter((item) => isChosen(item, statedClusters(value)));
  return (
    <div className="mr-2.5 flex min-w-0 items-center max-desk:mr-0">
      <button
        ref={trigger}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-controls={isRequested ? id : undefined}
        onPointerEnter={() => void loadAhead(loadPopup)}
        onFocus={() => void loadAhead(loadPopup)}
        onClick={() => {
          setRequested(true);
          setOpen(!open);
        }}
        className="inline-flex h-[26px] min-w-0 items-center gap-1.5 rounded-3 border border-line px-2 text-small text-ink-2 hover:border-control max-desk:h-8"
      >
        <span className="sr-only">Clusters: </span>
        <span className="max-w-[180px] truncate max-desk:max-w-[84px]">
          {chosenText(
            chosen.map(({ name }) => name),
            items.length,
          )}
        </span>
        <Glyph name="chevron-down" size={12} className="flex-none" />
      </button>
      {isRequested && (
        <Suspense fallback={null}>
          <ClusterPopup
            id={id}
            open={open}
            onOpenChange={setOpen}
            anchor={trigger}
            clusters={items}
            chosen={new Set(chosen.map(({ name }) => name))}
            onChoose={(names) =>
              choose({ cluster: names.length === items.length ? null : names.join(','), stage: null })
            }
          />
        </Suspense>
      )}
    </div>
  );
}

/** "All clusters", "prod-eu", "2 of 3 clusters". */
export function chosenText(names: readonly string[], total: number): string {
  const [first] = names;
  if (names.length === total) return 'All clusters';
  return names.length === 1 && first !== undefined ? first : `${names.length} of ${total} clusters`;
}

function useChosenClusters() {
  const isList = lists.has(usePathname());
  const [address, setAddress] = useQueryStates(clusterParsers);
  const stored = useStoredClusters();
  useStoredChoice((choice) => void setAddress(choice, { history: 'replace' }));
  return {
    value: isList ? address : stored,
    choose: (choice: ClusterAddress) => {
      storeClusters(choice);
      if (isList) void setAddress(choice, { history: 'push' });
    },
  };
}

/** A list that is opened without any filter starts with the stored choice; a link is shown exactly as it is. */
function useStoredChoice(onArrival: (choice: ClusterAddress) => void): void {
  const pathname = usePathname();
  const { items } = useClusters();
  const arrive = useEffectEvent(() => {
    if (!lists.has(pathname) || window.location.search !== '') return;
    const choice = readStoredClusters(items);
    if (choice.cluster !== null || choice.stage !== null) onArrival(choice);
  });
  useEffect(() => arrive(), [pathname]);
}
