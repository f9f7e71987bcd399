'use client';

import type { RolloutChoice } from '@/components/rollouts/rollout-choices';
import { describeRolloutState } from '@/components/rollouts/rollout-sentence';
import { RolloutGlyph } from '@/components/rollouts/rollout-state';
import { revisionText, rolloutAppearance, systemObject } from '@/components/rollouts/rollout-labels';
import { Button, ButtonLink } from '@/components/ui/button';
import { Crumbs } from '@/components/ui/crumbs';
import { TextLink } from '@/components/ui/link';
import { MenuButton } from '@/components/ui/menu-button';
import type { MenuEntry } from '@/components/ui/menu-entry';
import { Sentence } from '@/components/ui/sentence';
import { Tag } from '@/components/ui/tag';
import type { RolloutDetail, RolloutItem } from '@/lib/api/rollouts';
import { comparisonOf, comparisonPath } from '@/components/queries/revision-comparison';
import { recordPagePath } from '@/components/queries/records';
import { workloadPagePath } from '@/components/queries/workload-ref';
import type { RolloutActionName } from '@/lib/api/action-values';
import { styleLabel } from '@/lib/rollout/style-text';
import { cutEnd, formatList } from '@/lib/format/text';
import { copyWithToast } from '@/components/shared/copy-with-toast';
import { ActorName } from '@/components/shared/actor-name';
import { AbsoluteTime, Elapsed } from '@/components/ui/time';
import { isOpenRollout } from '@/lib/api/rollout-values';

/** The record shows all of it. */
const CAUSE_LENGTH_MAX = 240;

export interface RolloutHeadProps {
  rollout: RolloutItem;
  /** Shiplog's record of it. */
  record: RolloutDetail['record'];
  /** The object that generated its workload. */
  generator?: RolloutDetail['generator'];
  choices: readonly RolloutChoice[];
  onAction: (action: RolloutActionName) => void;
}

/** Location, status sentence, what changed, and the actions. */
export function RolloutHead({ rollout, record, generator, choices, onAction }: RolloutHeadProps) {
  const { namespace, name, style } = rollout;
  const { lead, rest } = describeRolloutState(rollout);
  return (
    <>
      <Crumbs
        items={[
          { label: 'Rollouts', href: '/rollouts' },
          { label: namespace, href: `/rollouts?${new URLSearchParams({ namespace })}` },
          { label: name },
        ]}
      >
        <Tag>{systemText(rollout)}</Tag>
        <Tag tone="line">{styleLabel(style)}</Tag>
      </Crumbs>
      <Sentence
        lead={
          <span className={rolloutAppearance[rollout.state].color}>
            <span className="mr-1.5 inline-flex translate-y-0.5">
              <RolloutGlyph rollout={rollout} size={18} />
            </span>
            {lead}
          </span>
        }
        actions={<Actions choices={choices} onAction={onAction} />}
      >
        {rest}
      </Sentence>
      <Refusals choices={choices} />
      <WhatChanged rollout={rollout} record={record} generator={generator} />
    </>
  );
}

/** A Rollout may reference a workload, or be one itself. */
function systemText({ workload, resource, system }: RolloutItem): string {
  if (workload.resource === resource) return systemObject(system);
  return `${workload.kind}, managed by ${systemObject(system)}`;
}

/** One line: what changed, a link to its comparison, when it began, changed by and change cause. */
function WhatChanged({
  rollout,
  record,
  generator,
}: Pick<RolloutHeadProps, 'rollout' | 'record' | 'generator'>) {
  const { cluster, revisions, run, workload, namespace } = rollout;
  const { stable, updated, summary } = revisions;
  const ref =
    workload.resource === null
      ? null
      : { cluster, resource: workload.resource, namespace, name: workload.name };
  const parts: React.ReactNode[] = [];
  if (summary !== null) parts.push(<span className="text-ink">{summary}.</span>);
  const comparison = comparisonOf(rollout);
  if (comparison !== null)
    parts.push(
      <TextLink href={comparisonPath(comparison)}>
        Compare {revisionText(stable)} → {revisionText(updated)}
      </TextLink>,
    );
  const ownRecord = recordOf(rollout, record);
  if (run.startedAt !== null || ownRecord !== null)
    parts.push(<RolloutStart rollout={rollout} record={ownRecord} />);
  if (ownRecord?.cause != null) parts.push(`“${cutEnd(ownRecord.cause, CAUSE_LENGTH_MAX)}”`);
  if (ref !== null && workload.state === 'found')
    parts.push(
      <TextLink href={workloadPagePath(ref)}>
        {workload.kind} {workload.name}
      </TextLink>,
    );
  if (generator !== undefined)
    parts.push(
      <>
        Created for{' '}
        <TextLink href={workloadPagePath({ cluster, ...generator })}>
          {generator.kind} {generator.name}
        </TextLink>
      </>,
    );
  if (ownRecord !== null) parts.push(<TextLink href={recordPagePath(ownRecord.id)}>Record</TextLink>);
  if (parts.length === 0) return null;
  return (
    <p className="pt-1 text-ink-2 [overflow-wrap:anywhere]">
      {parts.map((part, index) => (
        <span key={index}>
          {index > 0 && <span className="mx-[7px] text-ink-3">·</span>}
          {part}
        </span>
      ))}
    </p>
  );
}

function Actions({ choices, onAction }: Pick<RolloutHeadProps, 'choices' | 'onAction'>) {
  return (
    <>
      {choices
        .filter(({ place }) => place === 'main' || place === 'beside')
        .map((choice) => (
          <ChoiceButton key={choice.action} choice={choice} onAction={onAction} />
        ))}
      <MenuButton
        tone="quiet"
        label="More actions"
        align="end"
        items={[
          ...choices.filter(({ place }) => place !== 'main').map((choice) => menuItem(choice, onAction)),
          'separator',
          {
            label: 'Copy link',
            kbd: 'y',
            glyph: 'copy',
            onSelect: () => void copyWithToast(location.href, 'Link copied'),
          },
        ]}
        className="max-desk:border-line-2"
      >
        More
      </MenuButton>
    </>
  );
}

function ChoiceButton({
  choice: { action, place, label, glyph, key, href, refusal },
  onAction,
}: {
  choice: RolloutChoice;
  onAction: (action: RolloutActionName) => void;
}) {
  const buttonProps = {
    tone: place === 'main' ? 'primary' : action === 'rollback' ? 'danger' : 'default',
    glyph,
    kbd: key,
    className: place === 'main' ? undefined : 'max-desk:hidden',
  } as const;
  if (href !== null && refusal === null)
    return (
      <ButtonLink {...buttonProps} href={href}>
        <span className="min-w-0 truncate">{label}…</span>
      </ButtonLink>
    );
  return (
    <Button {...buttonProps} disabledReason={refusal} onClick={() => onAction(action)}>
      <span className="min-w-0 truncate">{label}…</span>
    </Button>
  );
}

function menuItem(
  { action, label, glyph, key, href, refusal }: RolloutChoice,
  onAction: (action: RolloutActionName) => void,
): MenuEntry {
  return {
    label: `${label}…`,
    glyph,
    kbd: key,
    disabledReason: refusal,
    ...(href === null ? { onSelect: () => onAction(action) } : { href }),
  };
}

/** Why an expected action has no button, or a disabled one, each reason once. */
function Refusals({ choices }: Pick<RolloutHeadProps, 'choices'>) {
  const refused = choices.filter(({ place, refusal }) => place !== 'more' && refusal !== null);
  const reasons = [...new Set(refused.map(({ refusal }) => refusal))];
  return (
    <ul aria-label="Not possible now" className="grid gap-0.5 pt-1 text-small text-ink-2 empty:hidden">
      {reasons.map((reason) => (
        <li key={reason}>
          <b className="font-medium">
            {formatList(refused.filter(({ refusal }) => refusal === reason).map(({ label }) => label))}:
          </b>{' '}
          {reason}
        </li>
      ))}
    </ul>
  );
}

type StartedRollout = Pick<RolloutItem, 'state' | 'since' | 'run'>;
type RecordSummary = RolloutDetail['record'];

const MOVING: readonly RolloutItem['state'][] = ['waiting', 'progressing', 'paused'];

/** When the rollout started and who started it, with the source of both. `record` is of this rollout. */
export function RolloutStart({ rollout, record }: { rollout: StartedRollout; record: RecordSummary }) {
  const { run, since, state } = rollout;
  const startedAt = run.startedAt ?? record?.startedAt ?? null;
  const actor = record?.actor ?? actorOf(run.writer);
  return (
    <>
      Started{' '}
      {startedAt === null ? (
        <span className="text-ink-3">at an unknown time</span>
      ) : (
        <AbsoluteTime iso={startedAt} />
      )}
      {run.startedAt !== null && since !== null && MOVING.includes(state) && (
        <>
          , <Elapsed from={run.startedAt} /> so far
        </>
      )}
      {actor === null ? (
        <span className="text-ink-3">, author unknown</span>
      ) : (
        <>
          , {actor.name === actor.manager ? '' : 'by '}
          <ActorName actor={actor} />
          {actor.source !== 'shiplog' && <span className="text-ink-3"> (field manager)</span>}
        </>
      )}
    </>
  );
}

/**
 * Shiplog's record, unless it still belongs to the previous rollout: one that failed or was aborted has ended, even
 * if its state has not changed.
 */
export function recordOf({ state }: Pick<RolloutItem, 'state'>, record: RecordSummary): RecordSummary {
  const isEnded = !isOpenRollout(state) || state === 'failed';
  return record !== null && !isEnded && record.outcome !== null ? null : record;
}

function actorOf(writer: RolloutItem['run']['writer']): NonNullable<RecordSummary>['actor'] {
  if (writer === null) return null;
  const { manager } = writer;
  return { name: manager, source: 'managedFields', manager };
}
