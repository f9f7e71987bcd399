'use client';

import { releaseAction } from '@/components/rollouts/release-actions';
import { recordOf, ReleaseStart } from '@/components/rollouts/release-start';
import { sayRelease } from '@/components/rollouts/release-sentence';
import { RolloutGlyph } from '@/components/rollouts/rollout-state';
import { revisionWord, rolloutFaces, systemObject } from '@/components/rollouts/rollout-words';
import { approveVerb, rollbackVerb } from '@/lib/rollout/action-verbs';
import { Button } from '@/components/ui/button';
import { copyText } from '@/components/ui/copy-button';
import { Crumbs } from '@/components/ui/crumbs';
import { type GlyphName } from '@/components/ui/glyph';
import { TextLink } from '@/components/ui/link';
import { MenuButton, type MenuEntry } from '@/components/ui/menu-button';
import { Sentence } from '@/components/ui/sentence';
import { Tag } from '@/components/ui/tag';
import { showToast } from '@/components/ui/toast';
import { type RolloutDetail, type RolloutItem } from '@/lib/api/rollouts';
import { comparisonOf, comparisonPath } from '@/lib/queries/release-comparison';
import { workloadPagePath } from '@/lib/queries/workload-ref';
import { type RolloutActionName } from '@/lib/rollout/rollout';
import { stepNoun, styleWord } from '@/lib/rollout/style-word';

export interface ReleaseHeadProps {
  rollout: RolloutItem;
  /** What Shiplog recorded of it. */
  record: RolloutDetail['record'];
  /** What its workload was made for. */
  maker?: RolloutDetail['maker'];
  /** Why nothing may be written now; null when it may. */
  blocked: string | null;
  onAction: (action: RolloutActionName) => void;
}

/** Where we are, the sentence, what changed, and what can be done about it. */
export function ReleaseHead({ rollout, record, maker, blocked, onAction }: ReleaseHeadProps) {
  const { namespace, name, style } = rollout;
  const { lead, rest } = sayRelease(rollout);
  return (
    <>
      <Crumbs
        items={[
          { label: 'Rollouts', href: '/rollouts' },
          { label: namespace, href: `/rollouts?${new URLSearchParams({ namespace })}` },
          { label: name },
        ]}
      >
        <Tag>{standingOf(rollout)}</Tag>
        <Tag tone="line">{styleWord(style)}</Tag>
      </Crumbs>
      <Sentence
        lead={
          <span className={rolloutFaces[rollout.state].color}>
            <span className="mr-1.5 inline-flex translate-y-0.5">
              <RolloutGlyph rollout={rollout} size={18} />
            </span>
            {lead}
          </span>
        }
        actions={<Actions rollout={rollout} blocked={blocked} onAction={onAction} />}
      >
        {rest}
      </Sentence>
      <WhatChanged rollout={rollout} record={record} maker={maker} />
    </>
  );
}

/** A Rollout may step a workload, or be one itself. */
function standingOf({ workload, resource, system }: RolloutItem): string {
  if (workload.resource === resource) return systemObject(system);
  return `${workload.kind} under ${systemObject(system)}`;
}

/** One line: what changed, the way to its comparison, when it began, who began it and why. */
function WhatChanged({ rollout, record, maker }: Pick<ReleaseHeadProps, 'rollout' | 'record' | 'maker'>) {
  const { revisions, release, workload, namespace } = rollout;
  const { stable, updated, summary } = revisions;
  const ref =
    workload.resource === null ? null : { resource: workload.resource, namespace, name: workload.name };
  const parts: React.ReactNode[] = [];
  if (summary !== null) parts.push(<span className="text-ink">{summary}.</span>);
  const comparison = comparisonOf(rollout);
  if (comparison !== null)
    parts.push(
      <TextLink href={comparisonPath(comparison)}>
        Compare {revisionWord(stable)} → {revisionWord(updated)}
      </TextLink>,
    );
  const own = recordOf(rollout, record);
  if (release.startedAt !== null || own !== null) parts.push(<ReleaseStart rollout={rollout} record={own} />);
  if (own?.cause != null) parts.push(`“${own.cause}”`);
  if (ref !== null && workload.state === 'found')
    parts.push(
      <TextLink href={workloadPagePath(ref)}>
        {workload.kind} {workload.name}
      </TextLink>,
    );
  if (maker !== undefined)
    parts.push(
      <>
        made for{' '}
        <TextLink href={workloadPagePath(maker)}>
          {maker.kind} {maker.name}
        </TextLink>
      </>,
    );
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

function Actions({ rollout, blocked, onAction }: Omit<ReleaseHeadProps, 'record' | 'maker'>) {
  const { main, beside, more } = releaseAction(rollout);
  const button = (action: RolloutActionName, tone: 'primary' | 'default' | 'danger') => {
    const choice = choiceOf(rollout, action, blocked);
    return choice === null ? null : (
      <Button
        key={action}
        tone={tone}
        glyph={choice.glyph}
        kbd={choice.kbd}
        disabled={choice.refusal !== null}
        disabledReason={choice.refusal ?? undefined}
        onClick={() => onAction(action)}
        className={tone === 'primary' ? undefined : 'max-desk:hidden'}
      >
        {choice.phone === undefined ? (
          choice.label
        ) : (
          <>
            <span className="max-desk:hidden">{choice.label}</span>
            <span className="desk:hidden">{choice.phone}</span>
          </>
        )}
      </Button>
    );
  };
  return (
    <>
      {main !== null && button(main, 'primary')}
      {beside.map((action) => button(action, action === 'rollback' ? 'danger' : 'default'))}
      <MenuButton
        tone="quiet"
        label="More actions"
        align="end"
        items={moreItems(rollout, blocked, onAction, more, beside)}
        className="max-desk:border-line-2"
      >
        More
      </MenuButton>
    </>
  );
}

function moreItems(
  rollout: RolloutItem,
  blocked: string | null,
  onAction: (action: RolloutActionName) => void,
  more: readonly RolloutActionName[],
  beside: readonly RolloutActionName[],
): MenuEntry[] {
  const entries = [...beside, ...more].flatMap((action): MenuEntry[] => {
    const choice = choiceOf(rollout, action, blocked);
    return choice === null
      ? []
      : [
          {
            label: choice.label,
            glyph: choice.glyph,
            disabledReason: choice.refusal ?? undefined,
            onSelect: () => onAction(action),
          },
        ];
  });
  return [
    ...entries,
    'separator',
    {
      label: 'Copy link',
      kbd: 'y',
      glyph: 'copy',
      onSelect: () => void copyAndSay(location.href, 'Link copied'),
    },
  ];
}

function choiceOf(rollout: RolloutItem, name: RolloutActionName, blocked: string | null) {
  const action = rollout.actions.find((each) => each.name === name);
  if (action === undefined) return null;
  return {
    ...actionFace(rollout, name),
    refusal: blocked ?? (action.allowed ? null : (action.reason ?? 'It can’t be done now.')),
  };
}

interface ActionFace {
  label: string;
  /** Where there is less room. */
  phone?: string;
  glyph: GlyphName;
  kbd?: string;
}

function actionFace(rollout: RolloutItem, name: RolloutActionName): ActionFace {
  const stable = revisionWord(rollout.revisions.stable);
  switch (name) {
    case 'approve':
      return {
        label: `${approveLabel(rollout)}…`,
        phone: `${approveVerb(rollout)} ${stepNoun(rollout)} ${rollout.step.index}…`,
        glyph: 'check',
        kbd: 'a',
      };
    case 'jump':
      return { label: 'Jump to a step…', glyph: 'superseded' };
    case 'pause':
      return { label: 'Pause…', glyph: 'paused', kbd: 'p' };
    case 'resume':
      return { label: 'Resume…', glyph: 'play', kbd: 'p' };
    case 'disable':
      return { label: 'Disable the Rollout…', glyph: 'minus' };
    case 'enable':
      return { label: 'Enable the Rollout…', glyph: 'play' };
    case 'rollback':
      return { label: `${rollbackVerb(rollout)} to ${stable}…`, glyph: 'back', kbd: 'x' };
    case 'promoteFull':
      return { label: 'Promote fully…', glyph: 'superseded' };
    case 'abort':
      return { label: 'Abort the release…', glyph: 'failed' };
    case 'retry':
      return { label: 'Retry the release…', glyph: 'restart' };
    case 'restart':
      return { label: 'Restart the pods…', glyph: 'restart' };
    case 'delete':
      return { label: 'Delete the Rollout…', glyph: 'trash' };
    default:
      return name satisfies never;
  }
}

/** "Approve step 2", with what comes next where it is known: "→ step 3: 20 pods, 50 %". */
export function approveLabel(rollout: RolloutItem): string {
  const { step, steps } = rollout;
  const verb = approveVerb(rollout);
  const noun = stepNoun(rollout);
  const next = steps.find(({ index }) => index === (step.next ?? step.index + 1));
  if (next === undefined) return `${verb} ${noun} ${step.index}, the last one`;
  const { planned } = next.replicas;
  const { planned: traffic } = next.traffic;
  const what = [
    planned === null ? null : `${planned.toLocaleString('en')} ${planned === 1 ? 'pod' : 'pods'}`,
    traffic?.kind === 'weight' ? `${traffic.percent} %` : null,
  ].filter((part) => part !== null);
  return `${verb}, on to ${noun} ${next.index}${what.length === 0 ? '' : `: ${what.join(', ')}`}`;
}

/** Copies and says so; what could not be copied is shown to be copied by hand. */
export async function copyAndSay(text: string, title: string): Promise<void> {
  const copied = await copyText(text);
  showToast(copied ? { title, body: text } : { title: 'The browser did not allow copying', body: text });
}
