'use client';

import { clsx } from 'clsx';
import { StepGlyph } from '@/components/rollouts/rollout-state';
import { addedPods, podCountText, stepAppearance, trafficText } from '@/components/rollouts/rollout-labels';
import { AbsoluteTime, Elapsed } from '@/components/ui/time';
import { LocalizedTimesText } from '@/components/ui/localized-times-text';
import type { RolloutItem, RolloutStepItem } from '@/lib/api/rollouts';
import { formatDuration } from '@/lib/format/duration';
import { stepNoun } from '@/lib/rollout/style-text';
import { capitalize } from '@/lib/format/text';
import { isOpenRollout } from '@/lib/api/rollout-values';

/**
 * The steps side by side: plan, actual size, traffic, since when, and what each waits for. A press shows the pods of
 * a step.
 */
export function StepTrack({
  rollout,
  chosen,
  onChoose,
}: {
  rollout: RolloutItem;
  chosen: number | null;
  /** Null clears the choice. Absent where there are no pods to show. */
  onChoose?: (index: number | null) => void;
}) {
  const { steps } = rollout;
  return (
    <ol
      aria-label="Steps"
      className="mt-3 grid overflow-hidden rounded-3 border border-line bg-surface max-desk:grid-cols-1! desk:grid-cols-[repeat(auto-fit,minmax(var(--step),1fr))]"
      style={{ '--step': steps.length > 6 ? '176px' : '150px' } as React.CSSProperties}
    >
      {steps.map((step) => (
        <Step
          key={step.index}
          rollout={rollout}
          step={step}
          chosen={step.index === chosen}
          onChoose={onChoose && (() => onChoose(step.index === chosen ? null : step.index))}
        />
      ))}
    </ol>
  );
}

function Step({
  rollout,
  step,
  chosen,
  onChoose,
}: {
  rollout: RolloutItem;
  step: RolloutStepItem;
  chosen: boolean;
  onChoose: (() => void) | undefined;
}) {
  const isCurrent = isCurrentStep(rollout, step);
  const isHeld = step.state === 'waiting' || step.state === 'pausing';
  return (
    <li
      aria-current={isCurrent ? 'step' : undefined}
      data-step={step.index}
      data-state={step.state}
      className={clsx(
        '-mt-px -ml-px border-t border-l border-hair',
        isCurrent && isHeld && 'bg-held-soft',
        isCurrent &&
          !isHeld &&
          step.state !== 'done' &&
          step.state !== 'abandoned' &&
          isOpenRollout(rollout.state) &&
          'bg-accent-soft',
      )}
    >
      {onChoose === undefined ? (
        <div className={cardClass}>
          <Card rollout={rollout} step={step} />
        </div>
      ) : (
        <button
          type="button"
          aria-pressed={chosen}
          onClick={onChoose}
          className={clsx(
            cardClass,
            'focus-visible:-outline-offset-2',
            chosen ? 'shadow-[inset_0_0_0_1.5px_var(--accent)]' : !isCurrent && 'hover:bg-hover',
          )}
        >
          <Card rollout={rollout} step={step} />
          <span className="sr-only">Show pods</span>
        </button>
      )}
    </li>
  );
}

const cardClass = 'grid h-full w-full content-start gap-1.5 px-3.5 pb-3 text-start';

function Card({ rollout, step }: { rollout: RolloutItem; step: RolloutStepItem }) {
  const appearance = stepAppearance[step.state];
  return (
    <>
      <Progress step={step} />
      <span className="flex items-center gap-[7px]">
        <StepGlyph step={step} />
        <b>
          {capitalize(stepNoun(rollout))} {step.index}
        </b>
        <span className={clsx('min-w-0 truncate text-small font-medium', appearance.color)}>
          {stepStateLabel(rollout, step)}
        </span>
        <span className="ml-auto text-small whitespace-nowrap text-ink-3">
          <Age rollout={rollout} step={step} />
        </span>
      </span>
      <Figures rollout={rollout} step={step} />
      <span className="text-small text-ink-2">
        <StepNote rollout={rollout} step={step} />
      </span>
    </>
  );
}

/** The line above a card: the share of the step's pods that exist and are ready. */
function Progress({ step: { state, replicas } }: { step: RolloutStepItem }) {
  const share =
    state === 'planned' || state === 'skipped'
      ? 0
      : (replicas.ready ?? 0) / Math.max(1, replicas.planned ?? 1);
  const color =
    state === 'waiting' || state === 'pausing'
      ? 'bg-held'
      : state === 'abandoned'
        ? 'bg-back-fill'
        : state === 'failed'
          ? 'bg-stuck-fill'
          : state === 'done' || state === 'approved'
            ? 'bg-complete-fill'
            : 'bg-rev-target';
  const isFull = state === 'done' || state === 'approved' || state === 'abandoned';
  return (
    <span aria-hidden="true" className="-mx-3.5 mb-1.5 block h-[3px] bg-lane max-desk:mb-0.5">
      <i
        className={clsx('block h-[3px] transition-[width] duration-(--calm)', color)}
        style={{ width: `${100 * Math.min(1, isFull ? 1 : share)}%` }}
      />
    </span>
  );
}

function Figures({ rollout, step }: { rollout: RolloutItem; step: RolloutStepItem }) {
  const { replicas, traffic } = step;
  const added = addedPods(rollout.steps, step);
  // Flagger counts no pods by step.
  const isKnown = replicas.planned !== null || replicas.updated !== null || traffic.planned === null;
  const requested =
    replicas.requested !== null && replicas.requested !== String(replicas.planned)
      ? replicas.requested
      : null;
  const plan = [
    requested,
    added !== null && added > 0 && step.index > 1 ? `+${added.toLocaleString('en')}` : null,
  ].filter((part) => part !== null);
  return (
    <span className="grid gap-px text-small leading-[18px]">
      {isKnown && (
        <Figure label="Pods">
          {replicas.updated !== null && step.state !== 'planned' ? (
            <>
              <b>
                {Math.min(replicas.ready ?? replicas.updated, replicas.planned ?? Infinity).toLocaleString(
                  'en',
                )}
              </b>
              {replicas.planned !== null && ` of ${replicas.planned.toLocaleString('en')}`}
            </>
          ) : (
            (replicas.planned?.toLocaleString('en') ?? 'Unknown')
          )}
          {plan.length > 0 && <span className="ml-[5px] text-ink-3">{plan.join(', ')}</span>}
        </Figure>
      )}
      {(traffic.planned !== null || traffic.actual !== null) && (
        <Figure label="Traffic" title={traffic.evidence ?? undefined}>
          {traffic.actual !== null && <b>{trafficText(traffic.actual)}</b>}
          {traffic.planned !== null && (
            <span className={traffic.actual === null ? undefined : 'text-ink-3'}>
              {traffic.actual !== null
                ? sameTraffic(traffic)
                  ? ''
                  : ` of ${trafficText(traffic.planned)} requested`
                : trafficText(traffic.planned)}
            </span>
          )}
        </Figure>
      )}
    </span>
  );
}

function Figure({ label, title, children }: { label: string; title?: string; children: React.ReactNode }) {
  return (
    <span className="grid grid-cols-[46px_1fr]" title={title}>
      <span className="text-ink-3">{label}</span>
      <span className="min-w-0 [overflow-wrap:anywhere]">{children}</span>
    </span>
  );
}

function sameTraffic({ planned, actual }: RolloutStepItem['traffic']): boolean {
  return planned !== null && actual !== null && trafficText(planned) === trafficText(actual);
}

/** Text of a completed step of unknown time. */
const unrecordedTexts: Partial<Record<RolloutStepItem['state'], string>> = {
  unknown: 'Unknown whether it ran',
};

/** What it waits for or did; for a future step, what it will do. */
function StepNote({ rollout, step }: { rollout: RolloutItem; step: RolloutStepItem }) {
  const { waitsFor, startedAt, readyAt, since, state } = step;
  if (state === 'planned') return planOf(rollout, step);
  return (
    <>
      {step.does !== null && <span className="block">{step.does}</span>}
      {waitsFor !== null && (
        <span className="block">
          <LocalizedTimesText text={waitsFor.text} />
        </span>
      )}
      <span className="text-ink-3">
        {startedAt === null ? (
          since === null ? (
            (unrecordedTexts[state] ?? '')
          ) : (
            <>
              Since <AbsoluteTime iso={since} form="clock" />
            </>
          )
        ) : (
          <>
            Started <AbsoluteTime iso={startedAt} form="clock" />
            {readyAt !== null && (
              <>
                , pods ready <AbsoluteTime iso={readyAt} form="clock" />
              </>
            )}
          </>
        )}
      </span>
    </>
  );
}

/** "+12 pods, then approval". */
function planOf({ steps }: RolloutItem, step: RolloutStepItem): string {
  const added = addedPods(steps, step);
  if (step.does !== null)
    return added !== null && added > 0 ? `${step.does}, +${podCountText(added)}` : step.does;
  const podsText = added === null ? 'Updates pods' : added > 0 ? `+${podCountText(added)}` : 'No new pods';
  switch (step.pause?.kind) {
    case 'approval':
      return `${podsText}, then approval`;
    case 'time':
      return `${podsText}, then pause of ${formatDuration(step.pause.seconds * 1000)}`;
    case 'none':
      return `${podsText}, no pause`;
    default:
      return podsText;
  }
}

function Age({ rollout, step }: { rollout: RolloutItem; step: RolloutStepItem }) {
  if (
    isCurrentStep(rollout, step) &&
    step.since !== null &&
    step.state !== 'done' &&
    step.state !== 'abandoned'
  )
    return <Elapsed from={step.since} />;
  const next = rollout.steps.find(({ index }) => index === step.index + 1)?.startedAt ?? null;
  if (
    step.state === 'done' &&
    step.startedAt !== null &&
    next !== null &&
    Date.parse(next) >= Date.parse(step.startedAt)
  )
    return <Elapsed from={step.startedAt} to={next} />;
  return null;
}

/** "Next" for the step after the current one, "Not run" where the rollout has ended. */
function stepStateLabel({ step: at, state: over }: RolloutItem, { index, state }: RolloutStepItem): string {
  if (state !== 'planned') return stepAppearance[state].word;
  if (over === 'rolledBack' || over === 'rollingBack' || over === 'failed') return 'Not run';
  if (!isOpenRollout(over)) return 'Planned';
  return index === (at.next ?? at.index + 1) ? 'Next' : 'Pending';
}

/** Whether this is the current step of the rollout. */
function isCurrentStep({ step: at, state }: RolloutItem, { index }: RolloutStepItem): boolean {
  return at.index === index && !['completed', 'idle', 'disabled'].includes(state);
}
