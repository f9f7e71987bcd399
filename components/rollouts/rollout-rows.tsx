import { useCallback } from 'react';
import { clsx } from 'clsx';
import { type Column, rowLink, RowTitle } from '@/components/list/list-table';
import { rolloutPagePath } from '@/components/queries/rollouts';
import { workloadPagePath } from '@/components/queries/workload-ref';
import {
  rolloutAppearance,
  systemObject,
  podCountText,
  revisionText,
  runsAlongsideStable,
  trafficText,
} from '@/components/rollouts/rollout-labels';
import { rolloutStateLabel } from '@/components/rollouts/rollout-sentence';
import { RolloutGlyph } from '@/components/rollouts/rollout-state';
import { StepDots } from '@/components/rollouts/step-dots';
import { useCompareFirst } from '@/components/shared/listed-first';
import { stateColor, StateGlyph, stateLabel } from '@/components/shared/state-label';
import { LocalizedTimesText } from '@/components/ui/localized-times-text';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { PodFigures, PodTicks } from '@/components/ui/pod-ticks';
import { Elapsed, RelativeTime } from '@/components/ui/time';
import { isOpenRollout } from '@/lib/api/rollout-values';
import type { RolloutItem } from '@/lib/api/rollouts';
import type { WorkloadItem } from '@/lib/api/workloads';
import { capitalize } from '@/lib/format/text';
import { formatNamespace } from '@/lib/view/format-namespace';
import { shareOf } from '@/lib/view/rollout-progress';
import { styleLabel, stepNoun } from '@/lib/rollout/style-text';

/** A rollout of the list: one that a controller moves in steps, or the plain one of a workload. */
export type ListedRollout = RolloutItem | WorkloadItem;

export function isProgressive(row: ListedRollout): row is RolloutItem {
  return 'steps' in row;
}

export function rolloutRowPath(row: ListedRollout): string {
  return isProgressive(row) ? rolloutPagePath(row) : workloadPagePath(row);
}

/**
 * Needs attention, then waits for a person, then progresses by itself, then is over. In each: what the viewer wants first,
 * then the newest.
 */
export function useCompareRows(): (a: ListedRollout, b: ListedRollout) => number {
  const compareFirst = useCompareFirst();
  return useCallback(
    (a, b) => urgencyOf(a) - urgencyOf(b) || compareFirst(a, b) || startMs(b) - startMs(a),
    [compareFirst],
  );
}

/** A progressive rollout shows its steps, a plain one its pods by revision. */
export const rolloutColumns: readonly Column<ListedRollout>[] = [
  {
    title: 'Rollout',
    width: '20%',
    link: rowLink,
    cell: (row) =>
      isProgressive(row) ? (
        <RowTitle
          glyph={<RolloutGlyph rollout={row} />}
          name={row.name}
          place={`${row.namespace} · ${systemObject(row.system)}`}
          cluster={row.cluster}
        />
      ) : (
        <RowTitle
          glyph={<StateGlyph state={row.state} share={shareOf(row)} />}
          name={row.name}
          place={`${formatNamespace(row.namespace)} · ${row.kind}`}
          cluster={row.cluster}
        />
      ),
  },
  {
    title: 'State',
    width: '236px',
    className: 'max-desk:[grid-area:2/1] max-desk:pl-[22px]',
    cell: (row) =>
      isProgressive(row) ? (
        <span className={clsx('font-medium', rolloutAppearance[row.state].color)}>
          <StateText row={row} />
        </span>
      ) : (
        <span className={clsx('font-medium', stateColor(row.state))}>{stateLabel(row)}</span>
      ),
  },
  {
    title: 'Progress',
    width: '128px',
    className: 'max-desk:[grid-area:2/2] max-desk:flex max-desk:w-[84px] max-desk:items-center',
    cell: (row) =>
      isProgressive(row) ? (
        <StepDots rollout={row} />
      ) : (
        <PodTicks groups={row.pods.byRevision} stuck={isStalled(row)} />
      ),
  },
  {
    title: 'Pods',
    width: '9%',
    className: 'text-small text-ink-2 max-desk:hidden',
    cell: (row) =>
      isProgressive(row) ? (
        podsText(row)
      ) : (
        <PodFigures groups={row.pods.byRevision} stuck={isStalled(row)} oneLine />
      ),
  },
  {
    title: 'Revisions',
    width: '13%',
    className: 'rev max-desk:hidden',
    hint: (row) => (isProgressive(row) ? styleLabel(row.style) : undefined),
    cell: (row) => (
      <MiddleEllipsis text={isProgressive(row) ? formatTransition(row) : plainTransition(row)} />
    ),
  },
  {
    title: 'Details',
    width: 'auto',
    className: 'text-ink-2 max-desk:[grid-area:3/1/4/3] max-desk:truncate max-desk:pl-[22px]',
    hint: detailsOf,
    cell: (row) => <LocalizedTimesText text={detailsOf(row)} />,
  },
  {
    title: 'Time in state',
    width: '92px',
    numeric: true,
    className: 'text-small text-ink-2 max-desk:[grid-area:1/2] max-desk:leading-[22px]',
    cell: (row) => <TimeInState row={row} />,
  },
];

/** On a phone without the step, which the dots show. */
function StateText({ row }: { row: RolloutItem }) {
  const text = describeState(row);
  const word = rolloutStateLabel(row);
  if (!text.startsWith(word)) return text;
  return (
    <>
      {word}
      <span className="max-desk:sr-only">{text.slice(word.length)}</span>
    </>
  );
}

function isStalled({ state }: WorkloadItem): boolean {
  return state === 'stuck' || state === 'deadlineExceeded';
}

function plainTransition({ lastRollout, targetRevision }: WorkloadItem): string {
  const to = lastRollout?.to ?? targetRevision;
  if (to === null) return '';
  return lastRollout?.from == null ? String(to) : `${lastRollout.from}\u00a0→\u00a0${to}`;
}

function detailsOf(row: ListedRollout): string {
  if (isProgressive(row)) return noteOf(row);
  const cause = row.lastRollout?.record?.cause ?? row.lastRollout?.changeCause ?? '';
  return [capitalize(row.message), cause].filter((part) => part !== '').join(' · ');
}

/** Start of its state; of a plain rollout its own start where that of the state is unknown. */
function sinceOf(row: ListedRollout): string | null {
  if (isProgressive(row)) return row.since;
  const { since, lastRollout } = row;
  return since ?? lastRollout?.startedAt ?? lastRollout?.record?.startedAt ?? null;
}

function TimeInState({ row }: { row: ListedRollout }) {
  const since = sinceOf(row);
  if (since === null && isProgressive(row) && row.state === 'idle')
    return <RelativeTime iso={row.createdAt} />;
  if (since === null) return <span className="text-ink-3">Unknown</span>;
  const isOpen = !isProgressive(row) || isOpenRollout(row.state);
  return isOpen ? <Elapsed from={since} /> : <RelativeTime iso={since} suffix="ago" />;
}

function urgencyOf(row: ListedRollout): number {
  switch (row.state) {
    case 'failed':
    case 'stalled':
    case 'stuck':
    case 'deadlineExceeded':
    case 'missing':
      return 0;
    case 'waiting':
    case 'paused':
    case 'held':
      return 1;
    case 'idle':
      return 4;
    default:
      return isProgressive(row) && !isOpenRollout(row.state) ? 3 : 2;
  }
}

function startMs(row: ListedRollout): number {
  return Date.parse(sinceOf(row) ?? row.createdAt);
}

/** "Waiting for approval at step 2 of 5", "In progress, step 1 of 3", "Completed". */
function describeState(rollout: RolloutItem): string {
  const { state, step, style } = rollout;
  const word = rolloutStateLabel(rollout);
  if (step.index === 0 || step.total === 0) return word;
  const where = `${stepNoun({ style })} ${step.index} of ${step.total}`;
  if (step.state === 'pausing' && state === 'progressing') return `Timed pause at ${where}`;
  switch (state) {
    case 'waiting':
      return `${word} at ${where}`;
    case 'progressing':
    case 'paused':
    case 'stalled':
    case 'failed':
      return `${word}, ${where}`;
    case 'rolledBack':
    case 'rollingBack':
      return `${word} at ${where}`;
    default:
      return word;
  }
}

function podsText(rollout: RolloutItem): string {
  const { desired, updated, ready } = rollout.replicas;
  if (desired === null) return '';
  if (updated === null || rollout.state === 'disabled') return podCountText(desired);
  const many = runsAlongsideStable(rollout)
    ? `${updated.toLocaleString('en')} new, ${desired.toLocaleString('en')} stable`
    : `${updated.toLocaleString('en')} of ${desired.toLocaleString('en')}`;
  return ready === null || ready >= updated ? many : `${many}, ${ready.toLocaleString('en')} ready`;
}

function formatTransition({ revisions: { stable, updated }, state }: RolloutItem): string {
  if (state === 'idle' || state === 'disabled') return '';
  if (updated === null || stable === null) return updated === null ? '' : revisionText(updated);
  const [from, to] = [revisionText(stable), revisionText(updated)];
  // The stable side can be another workload, whose name says nothing beside a number.
  if (stable.number === null && updated.number !== null) return to;
  return from === to ? to : `${from}\u00a0→\u00a0${to}`;
}

/** Why it does not progress, or its traffic; and what it changes. Approval is in the state. */
function noteOf({ waitsFor, revisions, steps, step, state, message }: RolloutItem): string {
  const actual = steps.find(({ index }) => index === step.index)?.traffic.actual ?? null;
  const traffic = isOpenRollout(state) && actual !== null ? `${trafficText(actual)} of traffic` : null;
  const isGrave = state === 'failed' || state === 'stalled' || state === 'missing';
  const reason = isGrave ? message : waitsFor === null || state === 'waiting' ? null : waitsFor.text;
  const parts = [reason, traffic, revisions.summary].filter((part) => part !== null && part !== '');
  return parts.length === 0 ? message : parts.join(' · ').replaceAll('. ·', ' ·');
}
