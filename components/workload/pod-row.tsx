'use client';

import { useState } from 'react';
import { clsx } from 'clsx';
import { Button } from '@/components/ui/button';
import { ExternalLink } from '@/components/ui/link';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { RowHead, Td, Tr } from '@/components/ui/table';
import { RelativeTime, useNow } from '@/components/ui/time';
import { describePodBlock, isStarting, describeStartingBlock } from '@/components/workload/block-text';
import { LazyPodLog } from '@/components/workload/lazy-pod-log';
import type { PodItem } from '@/lib/api/pods';
import type { WorkloadRef } from '@/components/queries/workload-ref';

/** One pod: ready or why not, its node, and its last lines on request. */
export function PodRow({
  workload,
  pod,
  chosen,
  onDelete,
}: {
  workload: WorkloadRef;
  pod: PodItem;
  chosen: boolean;
  onDelete: ((pod: PodItem) => void) | null;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Tr
        chosen={chosen}
        className={clsx(
          'max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:py-2',
          chosen && 'max-desk:bleed',
        )}
      >
        <RowHead>
          <span className="flex items-center gap-2">
            <Tick pod={pod} />
            <MiddleEllipsis text={pod.name} className="literal" />
          </span>
        </RowHead>
        <Td className="max-desk:col-span-2 max-desk:whitespace-normal">
          <PodState pod={pod} />
        </Td>
        <Td className="text-small text-ink-2 max-desk:truncate" title={pod.node ?? undefined}>
          {pod.node ?? <span className="text-ink-3">No node</span>}
          {pod.ip !== null && <span className="pl-2 literal text-ink-3 max-desk:hidden">{pod.ip}</span>}
        </Td>
        <Td numeric className="text-small text-ink-2 max-desk:[grid-area:1/2]">
          <RelativeTime iso={pod.createdAt} />
        </Td>
        <Td numeric className="text-small max-desk:hidden">
          {pod.restarts > 0 ? pod.restarts : <span className="text-ink-3">0</span>}
        </Td>
        <Td className="text-end text-small">
          <span className="inline-flex items-center gap-1">
            {pod.links.map(({ label, url }) => (
              <ExternalLink key={url} href={url} className="px-1">
                {label}
              </ExternalLink>
            ))}
            {onDelete && (
              <Button
                size="small"
                tone="quiet"
                onClick={() => onDelete(pod)}
                className="opacity-0 group-hover/row:opacity-100 focus-visible:opacity-100 max-desk:hidden"
              >
                Delete…
              </Button>
            )}
            <Button
              size="small"
              tone="quiet"
              glyphAfter="chevron-down"
              aria-expanded={open}
              aria-label={`Log of ${pod.name}`}
              onClick={() => setOpen(!open)}
            >
              Log
            </Button>
          </span>
        </Td>
      </Tr>
      {open && (
        <tr role="row" className="max-desk:block">
          <td role="cell" colSpan={6} className="border-b border-hair max-desk:block">
            <LazyPodLog
              workload={workload}
              pod={pod.name}
              containers={pod.images.map(({ container }) => container)}
              container={pod.block?.container ?? null}
              previous={pod.block?.kind === 'crashLoop'}
            />
          </td>
        </tr>
      )}
    </>
  );
}

/** Filled is ready, hollow is not; the next column has the text. */
function Tick({ pod }: { pod: PodItem }) {
  const hue = pod.target ? 'rev-target' : 'rev-live';
  const isBad = useIsBad(pod);
  return (
    <i
      aria-hidden="true"
      className={clsx(
        'h-3 w-1 flex-none rounded-[1px]',
        pod.ready && (hue === 'rev-target' ? 'bg-rev-target' : 'bg-rev-live'),
        !pod.ready && isBad && pod.target && 'inset-ring-[1.25px] inset-ring-stuck',
        !pod.ready && (!isBad || !pod.target) && 'inset-ring inset-ring-rev-live',
      )}
    />
  );
}

function useIsBad({ block }: PodItem): boolean {
  const nowMs = useNow(60_000);
  return block !== null && !isStarting(block, nowMs);
}

function PodState({ pod }: { pod: PodItem }) {
  const isBad = useIsBad(pod);
  if (pod.deletedAt !== null) return <span className="text-ink-2">Terminating</span>;
  if (pod.ready) return <span className="text-ink-3">Ready</span>;
  if (pod.block === null) return <span className="text-ink-2">{pod.phase.slice(0, 40)}, not ready</span>;
  const words = describePodBlock(pod.name, pod.block);
  const { subject, says, quote } = isBad ? words : describeStartingBlock(pod.name, pod.block);
  const title = [pod.block.reason, words.quote].filter(Boolean).join(': ');
  return (
    <span title={title} className={isBad ? 'text-stuck' : 'text-ink-2'}>
      {subject !== pod.name && <span className="literal">{subject}</span>} {says.replace(/:$/, '')}
      {quote !== null && <span className="text-ink-3"> {quote}</span>}
    </span>
  );
}
