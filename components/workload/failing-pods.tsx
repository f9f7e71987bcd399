'use client';

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { CodeText } from '@/components/ui/code-text';
import { SectionHead } from '@/components/ui/section-head';
import { AbsoluteTime, useNow } from '@/components/ui/time';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { describePodBlock, hasLogs, isStarting } from '@/components/workload/block-text';
import { LazyPodLog } from '@/components/workload/lazy-pod-log';
import type { EventItem, PodItem } from '@/lib/api/pods';
import type { WorkloadRef } from '@/components/queries/workload-ref';
import { formatCount } from '@/lib/format/text';

/** Pods of one rollout mostly fail alike; the section of pods has all. */
const SHOWN_MAX = 3;
const MESSAGE_LENGTH_MAX = 400;

type FailingPod = PodItem & { block: NonNullable<PodItem['block']> };

/** In a workload in trouble: the pods that fail, each with its reason, its last warning, and its log. */
export function FailingPods({
  workload,
  pods,
  events,
}: {
  workload: WorkloadRef;
  pods: readonly PodItem[];
  events: readonly EventItem[];
}) {
  const nowMs = useNow(60_000);
  const failing = pods
    .filter((pod): pod is FailingPod => pod.block !== null && !pod.ready && !isStarting(pod.block, nowMs))
    .toSorted((a, b) => Number(b.target) - Number(a.target) || b.restarts - a.restarts);
  if (failing.length === 0) return null;
  const rest = failing.length - SHOWN_MAX;
  return (
    <section aria-labelledby="failing" className="pt-4">
      <SectionHead id="failing" title="Failing pods" remark={String(failing.length)} className="mb-1" />
      <ul className="border-t border-line">
        {failing.slice(0, SHOWN_MAX).map((pod, index) => (
          <Failing
            key={pod.uid}
            workload={workload}
            pod={pod}
            warning={lastWarning(events, pod)}
            initiallyOpen={index === 0}
          />
        ))}
      </ul>
      {rest > 0 && (
        <p className="pt-1.5 text-small text-ink-3">
          <a href="#pods" className="text-accent underline underline-offset-2">
            {formatCount(rest, 'more failing pod')}
          </a>
        </p>
      )}
    </section>
  );
}

function Failing({
  workload,
  pod,
  warning,
  initiallyOpen,
}: {
  workload: WorkloadRef;
  pod: FailingPod;
  warning: EventItem | null;
  /** Whether its log is open at first. */
  initiallyOpen: boolean;
}) {
  const [open, setOpen] = useState(initiallyOpen);
  const { subject, says, quote } = describePodBlock(pod.name, pod.block);
  const logged = hasLogs(pod.block);
  const when = warning?.last ?? warning?.first ?? null;
  return (
    <li className="border-b border-hair py-2">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
        <span className="max-w-full min-w-0 literal">
          <MiddleEllipsis text={pod.name} />
        </span>
        {pod.revision !== null && <span className="text-small text-ink-3">rev {pod.revision}</span>}
        <span className="min-w-0 text-stuck [overflow-wrap:anywhere]">
          {subject !== pod.name && <span className="literal">{subject}</span>} {says}
          {pod.restarts > 0 && <span className="text-ink-2"> · Restarted ×{pod.restarts}</span>}
        </span>
        {logged && (
          <Button
            size="small"
            tone="quiet"
            glyph="terminal"
            glyphAfter="chevron-down"
            aria-expanded={open}
            aria-label={`Log of ${pod.name}`}
            onClick={() => setOpen(!open)}
            className="ml-auto"
          >
            Log
          </Button>
        )}
      </div>
      {quote !== null && <CodeText className="mt-0.5">{quote}</CodeText>}
      {warning !== null && warning.message !== pod.block.message && (
        <p className="pt-0.5 text-small text-ink-2 [overflow-wrap:anywhere]">
          <b className="font-medium text-degraded">{warning.reason.slice(0, 120)}</b>
          {warning.count > 1 && ` ×${warning.count.toLocaleString('en')}`}
          {when !== null && (
            <>
              , <AbsoluteTime iso={when} form="short" />
            </>
          )}
          : {warning.message.slice(0, MESSAGE_LENGTH_MAX)}
        </p>
      )}
      {logged && open && (
        <LazyPodLog
          workload={workload}
          pod={pod.name}
          containers={pod.images.map(({ container }) => container)}
          container={pod.block.container}
          previous={pod.block.kind === 'crashLoop'}
          short
        />
      )}
    </li>
  );
}

function lastWarning(events: readonly EventItem[], pod: PodItem): EventItem | null {
  const own = events.filter(
    ({ type, object }) => type === 'Warning' && object.kind === 'Pod' && object.name === pod.name,
  );
  const timeOf = ({ last, first }: EventItem) => Date.parse(last ?? first ?? '') || 0;
  return own.toSorted((a, b) => timeOf(b) - timeOf(a))[0] ?? null;
}
