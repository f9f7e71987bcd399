'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { SystemFacts } from '@/components/rollouts/system-facts';
import { listChoices } from '@/components/rollouts/rollout-choices';
import { recordOf, RolloutHead } from '@/components/rollouts/rollout-head';
import { RolloutPods } from '@/components/rollouts/rollout-pods';
import { OpenRollouts } from '@/components/rollouts/open-rollouts';
import { hasStarted } from '@/components/rollouts/rollout-labels';
import { StepTrack } from '@/components/rollouts/step-track';
import { useRolloutKeys } from '@/components/rollouts/use-rollout-keys';
import { ButtonLink } from '@/components/ui/button';
import { useStaleReason } from '@/components/shared/use-stale-reason';
import { Glyph } from '@/components/ui/glyph';
import { Notice } from '@/components/ui/notice';
import { TextLink } from '@/components/ui/link';
import { FooterNote } from '@/components/ui/footer-note';
import { SectionHead } from '@/components/ui/section-head';
import { StaleNotice } from '@/components/ui/stale-notice';
import { AbsoluteTime } from '@/components/ui/time';
import type { RolloutDetail, RolloutItem } from '@/lib/api/rollouts';
import { recordPagePath } from '@/components/queries/records';
import { rolloutsQuery } from '@/components/queries/rollouts';
import type { RolloutActionName } from '@/lib/api/action-values';
import { stepNoun } from '@/lib/rollout/style-text';
import { capitalize } from '@/lib/format/text';
import { isOpenRollout, openRolloutStates } from '@/lib/api/rollout-values';

export interface LoadedRolloutProps {
  detail: RolloutDetail;
  /** It was deleted while its page was open. */
  isDeleted: boolean;
  /** The step whose pods are shown; null for all pods. */
  step: number | null;
  side: 'updated' | 'stable';
  onStep: (step: number | null) => void;
  onSide: (side: 'updated' | 'stable') => void;
  onAction: (action: RolloutActionName) => void;
  onRetry: () => void;
  /** The action that this tab follows. */
  strip: React.ReactNode;
  /** The semantic difference of both revisions; null where they cannot be compared. */
  comparison: React.ReactNode;
}

/** One progressive rollout: its progress, its steps with their pods, its changes, and its actions. */
export function LoadedRollout(props: LoadedRolloutProps) {
  const { detail, isDeleted, step, side, onStep, onSide, onAction, onRetry, comparison } = props;
  const { rollout } = detail;
  const stale = useStaleReason(rollout.cluster);
  const blocked = isDeleted ? 'The Rollout was deleted.' : stale;
  const open = useInfiniteQuery(rolloutsQuery({ state: openRolloutStates.join(',') }, 50));
  const others = open.data?.pages.flatMap(({ items }) => items) ?? [];
  const choices = listChoices(rollout, blocked);
  useRolloutKeys(rollout, { others, step, onStep, choices, onAction });

  return (
    <div className="full:grid full:grid-cols-[220px_minmax(0,1fr)] full:items-start full:gap-x-8">
      <OpenRollouts
        answer={{ data: open.data && others, error: open.error }}
        total={open.data?.pages[0]?.counts ? openTotal(open.data.pages[0].counts.byState) : others.length}
        current={rollout}
        onRetry={() => void open.refetch()}
      />
      <div className="min-w-0 pb-8">
        <StaleNotice onRetry={onRetry} className="mt-3" />
        <RolloutHead
          rollout={rollout}
          record={detail.record}
          generator={detail.generator}
          choices={choices}
          onAction={onAction}
        />
        {props.strip}
        {isDeleted && <DeletedRollout detail={detail} />}
        <Notes rollout={rollout} />
        <Steps rollout={rollout} record={recordOf(rollout, detail.record)} step={step} onStep={onStep} />
        {rollout.plan !== undefined && (
          <p className="pt-2 text-small text-ink-2 [overflow-wrap:anywhere]">{rollout.plan.join(' ')}</p>
        )}
        {hasStarted(rollout) && rollout.replicas.desired !== null && rollout.state !== 'rolledBack' && (
          <RolloutPods rollout={rollout} step={step} side={side} onSide={onSide} />
        )}
        {comparison}
        <SystemFacts rollout={rollout} />
      </div>
      <FooterNote>
        {`${rollout.namespace}/${rollout.name}${rollout.step.index > 0 ? `, ${stepNoun(rollout)} ${rollout.step.index}` : ''}`}
      </FooterNote>
    </div>
  );
}

function DeletedRollout({ detail: { rollout, observedAt } }: { detail: RolloutDetail }) {
  const { namespace, name, workload } = rollout;
  return (
    <Notice
      tone="changed"
      title={`Rollout ${name} was deleted.`}
      action={
        <ButtonLink href={`/records?${new URLSearchParams({ namespace, q: workload.name })}`} size="small">
          Show history
        </ButtonLink>
      }
      className="mt-3"
    >
      This page shows its last state, of <AbsoluteTime iso={observedAt} form="clock" />. Actions are not
      possible anymore.
    </Notice>
  );
}

function openTotal(byState: Record<string, number | undefined>): number {
  return openRolloutStates.reduce((sum, state) => sum + (byState[state] ?? 0), 0);
}

/** Its findings, and what it waits for where no step states it. */
function Notes({ rollout }: { rollout: RolloutItem }) {
  const { state, notes, waitsFor } = rollout;
  const isGrave = state === 'stalled' || state === 'missing' || state === 'failed';
  const own = isGrave || state === 'completing' || state === 'rollingBack';
  return (
    <>
      {own && waitsFor !== null && (
        <Notice tone={isGrave ? 'stale' : 'info'} title={waitsFor.text} className="mt-3">
          {waitsFor.kind === 'controller' && 'Until then, actions on this rollout have no effect.'}
        </Notice>
      )}
      {notes.map((note) => (
        <p key={note} className="flex items-start gap-2 pt-2 text-ink-2">
          <Glyph name="info" size={13} className="mt-[3.5px] text-ink-3" />
          {note}
        </p>
      ))}
    </>
  );
}

function Steps({
  rollout,
  record,
  step,
  onStep,
}: {
  rollout: RolloutItem;
  record: RolloutDetail['record'];
  step: number | null;
  onStep: (step: number | null) => void;
}) {
  const { steps, state } = rollout;
  if (steps.length === 0)
    return <p className="mt-4 border-t border-line pt-2 text-ink-2">This Rollout has no steps.</p>;
  const noun = stepNoun(rollout);
  const isIdle = !hasStarted(rollout);
  const isDone = state === 'completed';
  // Pods lose their step when the rollout is over, and the record keeps it.
  const end = record !== null && !isOpenRollout(state) && (
    <TextLink href={recordPagePath(record.id)}>Pods and times of each {noun}</TextLink>
  );
  const stoppedIn = isIdle ? steps.find((each) => each.state === 'abandoned') : undefined;
  return (
    <>
      {isIdle || isDone ? (
        <SectionHead
          id="steps"
          title={capitalize(plural(noun))}
          remark={
            isDone
              ? `${steps.filter((each) => each.state === 'done').length} of ${steps.length} done`
              : stoppedIn !== undefined
                ? `stopped in ${noun} ${stoppedIn.index} of ${steps.length}`
                : isIdle
                  ? `${steps.length} planned, none started`
                  : undefined
          }
          end={end}
          className="pt-4"
        />
      ) : (
        !isOpenRollout(state) && (
          <SectionHead
            id="steps"
            title={capitalize(plural(noun))}
            remark={`ended in ${noun} ${rollout.step.index} of ${steps.length}`}
            end={end}
            className="pt-4"
          />
        )
      )}
      <StepTrack
        rollout={rollout}
        chosen={step}
        onChoose={isIdle || state === 'rolledBack' ? undefined : onStep}
      />
    </>
  );
}

function plural(noun: 'step' | 'batch'): string {
  return noun === 'batch' ? 'batches' : 'steps';
}
