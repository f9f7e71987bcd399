'use client';

import Link from 'next/link';
import { clsx } from 'clsx';
import { rolloutStateLabel } from '@/components/rollouts/release-sentence';
import { RolloutGlyph } from '@/components/rollouts/rollout-state';
import {
  isOpen,
  podCountText,
  revisionText,
  rolloutAppearance,
  runsAlongsideStable,
  trafficText,
} from '@/components/rollouts/rollout-labels';
import { StepDots } from '@/components/rollouts/step-dots';
import { Elapsed, RelativeTime } from '@/components/ui/time';
import { RowHead, Table, Tbody, Td, Th, Thead, Tr } from '@/components/ui/table';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { LocalizedTimesText } from '@/components/ui/localized-times-text';
import { type RolloutItem } from '@/lib/api/rollouts';
import { nameKey } from '@/lib/kube/name-key';
import { rolloutPagePath } from '@/components/queries/rollouts';
import { stepNoun, styleLabel } from '@/lib/rollout/style-text';

const columns = ['18%', '248px', '168px', '12%', '9%', 'auto', '92px'];

/** One line per rollout: progress, steps, and what it waits for; four on a phone. */
export function RolloutsTable({
  rollouts,
  current,
  stickyPx,
  onSelect,
}: {
  rollouts: readonly RolloutItem[];
  current: string;
  stickyPx: number;
  onSelect: (key: string) => void;
}) {
  return (
    <Table label="Rollouts" columns={columns}>
      <Thead stickyTop={`calc(var(--top) + ${stickyPx}px)`}>
        <Th>Rollout</Th>
        <Th>State</Th>
        <Th>Steps</Th>
        <Th>Pods</Th>
        <Th>Revision</Th>
        <Th>What it waits for, or what changed</Th>
        <Th numeric>Since</Th>
      </Thead>
      <Tbody>
        {rollouts.map((rollout) => {
          const key = nameKey(rollout);
          return (
            <Tr
              key={key}
              data-rollout={key}
              current={key === current}
              className="scroll-my-20 max-desk:relative max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:gap-y-0.5 max-desk:py-[9px]"
            >
              <RowHead>
                <Link
                  href={rolloutPagePath(rollout)}
                  prefetch={false}
                  onFocus={() => onSelect(key)}
                  className="flex h-[30px] items-center gap-2 focus-visible:-outline-offset-2 max-desk:h-[22px] max-desk:text-[15px] max-desk:after:absolute max-desk:after:inset-0"
                >
                  <RolloutGlyph rollout={rollout} />
                  <b className="max-w-[75%] flex-none truncate">{rollout.name}</b>
                  <span className="min-w-0 truncate text-small text-ink-3">{rollout.namespace}</span>
                </Link>
              </RowHead>
              <Td className="max-desk:[grid-area:2/1] max-desk:pl-[22px]">
                <span className={clsx('font-medium', rolloutAppearance[rollout.state].color)}>
                  {describeState(rollout)}
                </span>
              </Td>
              <Td className="max-desk:[grid-area:2/2] max-desk:flex max-desk:w-[112px] max-desk:items-center">
                <StepDots rollout={rollout} />
              </Td>
              <Td className="text-small text-ink-2 max-desk:hidden">{podsText(rollout)}</Td>
              <Td className="rev max-desk:hidden" title={styleLabel(rollout.style)}>
                <MiddleEllipsis text={formatTransition(rollout)} />
              </Td>
              <Td
                className="text-ink-2 max-desk:[grid-area:3/1/4/3] max-desk:truncate max-desk:pl-[22px]"
                title={noteOf(rollout)}
              >
                <LocalizedTimesText text={noteOf(rollout)} />
              </Td>
              <Td numeric className="text-small text-ink-2 max-desk:[grid-area:1/2] max-desk:leading-[22px]">
                <Since rollout={rollout} />
              </Td>
            </Tr>
          );
        })}
      </Tbody>
    </Table>
  );
}

function Since({ rollout: { since, state, createdAt } }: { rollout: RolloutItem }) {
  if (since === null && state === 'idle') return <RelativeTime iso={createdAt} />;
  if (since === null) return <span className="text-ink-3">unknown</span>;
  return isOpen(state) ? <Elapsed from={since} /> : <RelativeTime iso={since} suffix="ago" />;
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
    ? `${updated.toLocaleString('en')} + ${desired.toLocaleString('en')}`
    : `${updated.toLocaleString('en')} of ${desired.toLocaleString('en')}`;
  return ready === null || ready >= updated ? many : `${many}, ${ready.toLocaleString('en')} ready`;
}

function formatTransition({ revisions: { stable, updated }, state }: RolloutItem): string {
  if (state === 'idle' || state === 'disabled') return '';
  if (updated === null || stable === null) return updated === null ? '' : revisionText(updated);
  const [from, to] = [revisionText(stable), revisionText(updated)];
  return from === to ? to : `${from}→${to}`;
}

/** What it waits for; otherwise its traffic and what it changes. */
function noteOf(rollout: RolloutItem): string {
  const { waitsFor, revisions, steps, step, state, message } = rollout;
  const actual = steps.find(({ index }) => index === step.index)?.traffic.actual ?? null;
  const traffic = isOpen(state) && actual !== null ? `${trafficText(actual)} of the traffic` : null;
  const wait = waitsFor?.text ?? null;
  const change = revisions.summary;
  const parts = [wait, traffic, change].filter((part) => part !== null && part !== '');
  return parts.length === 0 ? message : parts.join(' · ').replaceAll('. ·', ' ·');
}
