'use client';

import { clsx } from 'clsx';
import { Button, ButtonLink } from '@/components/ui/button';
import { lazily } from '@/components/ui/lazily';
import { MenuButton } from '@/components/ui/menu-button';
import type { MenuEntry } from '@/components/ui/menu-entry';
import { Sentence } from '@/components/ui/sentence';
import { StateLabel, stateLabel } from '@/components/shared/state-label';
import { Tag } from '@/components/ui/tag';
import { WorkloadCrumbs } from '@/components/workload/workload-crumbs';
import { withoutQuote } from '@/components/workload/block-text';
import { ReasonLine } from '@/components/workload/reason-line';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { truncateMiddle } from '@/lib/format/truncate-middle';
import { shareOf } from '@/lib/view/rollout-progress';
import { copyWithToast } from '@/components/shared/copy-with-toast';
import type { WorkloadRef } from '@/components/queries/workload-ref';

/** An approval loads its rollout: few workloads have one. */
const ApproveButton = lazily(
  async () => (await import('@/components/workload/approve-button')).ApproveButton,
);

/** A long tag would push the other buttons out of the row. */
const VERSION_LENGTH_MAX = 16;

type Workload = WorkloadDetail['workload'];
type ControlAction = 'pause' | 'resume' | 'restart' | 'partition';

export interface WorkloadActions {
  /** Without an id, the default revision. */
  onRollback: (revisionId?: string) => void;
  onControl: (action: ControlAction) => void;
}

/** Location, status sentence, reason, and the actions. */
export function WorkloadHead({
  workload,
  targetVersion,
  rolledBack,
  hasFailingPods,
  compareHref,
  compareLabel,
  blocked,
  rollbackKey,
  onRollback,
  onControl,
}: WorkloadActions & {
  workload: Workload;
  /** The image tag of the default rollback target; empty where it has none. */
  targetVersion: string;
  /** The last rollout was a rollback, whose undo has a button of its own. */
  rolledBack: boolean;
  /** They are listed below with their reasons. */
  hasFailingPods: boolean;
  /** Absent while the key rolls back to another revision than the button. */
  rollbackKey: string | undefined;
  /** Null where there is nothing to compare with. */
  compareHref: string | null;
  compareLabel: string;
  /** Why nothing can be changed now; null when it can. */
  blocked: string | null;
}) {
  const { kind, state, sentence, blockers, rollout } = workload;
  const primary = rolledBack ? null : primaryActionOf(workload);
  const isBeside = primary === 'approve' || primary === 'resume';
  return (
    <>
      <WorkloadCrumbs workload={workload}>
        <Tag>{kind}</Tag>
      </WorkloadCrumbs>
      <Sentence
        lead={
          <StateLabel state={state} share={shareOf(workload)} className="[&>svg]:size-[18px]">
            {stateLabel(workload)}.
          </StateLabel>
        }
        actions={
          <>
            {primary === 'approve' && rollout !== null && blocked === null && (
              <ApproveButton rollout={{ cluster: workload.cluster, ...rollout }} />
            )}
            {primary === 'resume' && (
              <PauseButton workload={workload} blocked={blocked} tone="primary" onControl={onControl} />
            )}
            <RollbackButton
              workload={workload}
              version={targetVersion}
              tone={primary === 'rollback' ? 'primary' : 'default'}
              isBeside={isBeside}
              blocked={blocked}
              rollbackKey={rollbackKey}
              onRollback={onRollback}
            />
            {compareHref !== null && (
              <ButtonLink
                href={compareHref}
                glyph="compare"
                className={clsx('max-desk:w-11 max-desk:px-0', isBeside && 'max-desk:hidden')}
              >
                <span className="max-desk:sr-only">{compareLabel}</span>
              </ButtonLink>
            )}
            {primary !== 'resume' && (
              <PauseButton workload={workload} blocked={blocked} tone="default" onControl={onControl} />
            )}
            <MenuButton
              tone="quiet"
              label="More: restart, copy link, kubectl"
              align="end"
              items={moreItems(workload, blocked, onControl)}
              className="max-desk:w-10 max-desk:px-0"
            >
              <span className="max-desk:sr-only">More</span>
            </MenuButton>
          </>
        }
      >
        {withoutQuote(sentence, blockers)}
      </Sentence>
      <ReasonLine workload={workload} withBlock={!hasFailingPods} />
      <RevertsLine target={workload.defaultTarget} />
    </>
  );
}

/**
 * The filled button: what a person is expected to do next in this state; null where nothing is due. After an abort the
 * workload is degraded, and the rollback makes its spec agree with what serves.
 */
function primaryActionOf(workload: Workload): 'rollback' | 'resume' | 'approve' | null {
  if (workload.awaitsApproval === true) return 'approve';
  switch (workload.state) {
    case 'stuck':
    case 'deadlineExceeded':
    case 'failed':
    case 'degraded':
      return refusalOf(workload, 'rollback') === null ? 'rollback' : null;
    case 'paused':
      return workload.paused ? 'resume' : null;
    default:
      return null;
  }
}

/** What the primary action reverts besides the last rollout, shown before its dialog is open. */
function RevertsLine({ target }: { target: Workload['defaultTarget'] }) {
  if (target === null || target.number === null || (target.reverts ?? 1) < 2) return null;
  return (
    <p className="pt-1 text-small text-ink-2">
      Rolling back to revision {target.number} reverts {target.reverts} rollouts.
    </p>
  );
}

function RollbackButton({
  workload,
  version,
  tone,
  isBeside,
  blocked,
  rollbackKey,
  onRollback,
}: {
  workload: Workload;
  version: string;
  tone: 'primary' | 'default';
  /** Another action is the primary one, and has the room of a phone. */
  isBeside: boolean;
  blocked: string | null;
  rollbackKey: string | undefined;
  onRollback: WorkloadActions['onRollback'];
}) {
  const target = workload.defaultTarget;
  const refusal = blocked ?? refusalOf(workload, 'rollback');
  if (target === null) {
    return (
      <Button tone={tone} glyph="back" disabledReason={refusal ?? noTarget(workload)}>
        Roll back…
      </Button>
    );
  }
  // The dialog then asks which one.
  const isNamed = target.unproven !== true;
  return (
    <Button
      tone={tone}
      glyph="back"
      kbd={rollbackKey}
      title={`Revision ${target.number ?? 'without a number'}: ${target.why}`}
      disabledReason={refusal}
      onClick={() => onRollback()}
    >
      <span className="min-w-0 truncate">
        Roll back
        {isNamed && target.number !== null && (
          <span className={isBeside ? 'max-desk:sr-only' : undefined}> to rev {target.number}</span>
        )}
        {isNamed && version !== '' && (
          <span className={tone === 'primary' ? undefined : 'max-desk:sr-only'}>
            {' '}
            ({truncateMiddle(version, VERSION_LENGTH_MAX)})
          </span>
        )}
        …
      </span>
    </Button>
  );
}

/** Where no revision is proven to have run well, the viewer must choose. */
function noTarget({ revisions }: Workload): string {
  return revisions.total > 1
    ? 'No revision is suggested. Choose one in the history below.'
    : 'There is no other revision.';
}

/** On a phone it is in the menu of the other actions, unless it is the primary one. */
function PauseButton({
  workload,
  blocked,
  tone,
  onControl,
}: {
  workload: Workload;
  blocked: string | null;
  tone: 'primary' | 'default';
  onControl: WorkloadActions['onControl'];
}) {
  const action = workload.paused ? 'resume' : 'pause';
  const control = workload.controls.find((each) => each.action === action);
  if (!control) return null;
  const refusal = blocked ?? (control.enabled ? null : (control.reason ?? 'This is not possible now.'));
  return (
    <Button
      tone={tone}
      kbd="p"
      disabledReason={refusal}
      onClick={() => onControl(action)}
      className={tone === 'primary' ? undefined : 'max-desk:hidden'}
    >
      {workload.paused ? 'Resume…' : 'Pause…'}
    </Button>
  );
}

const controlLabels: Record<ControlAction, string> = {
  pause: 'Pause…',
  resume: 'Resume…',
  restart: 'Restart pods…',
  partition: 'Change partition…',
};

function moreItems(
  workload: Workload,
  blocked: string | null,
  onControl: WorkloadActions['onControl'],
): MenuEntry[] {
  const actions = (Object.keys(controlLabels) as ControlAction[]).filter(
    (action) =>
      workload.controls.some((control) => control.action === action) &&
      action !== (workload.paused ? 'pause' : 'resume'),
  );
  return [
    ...actions.map((action): MenuEntry => ({
      label: controlLabels[action],
      disabledReason: blocked ?? refusalOf(workload, action),
      onSelect: () => onControl(action),
    })),
    'separator',
    {
      label: 'Copy link',
      kbd: 'y',
      glyph: 'copy',
      onSelect: () => void copyWithToast(location.href, 'Link copied'),
    },
    { heading: 'Copy as kubectl' },
    ...kubectlCommands(workload).map(({ label, command }): MenuEntry => ({
      label,
      glyph: 'terminal',
      onSelect: () => void copyWithToast(command, 'Command copied'),
    })),
  ];
}

/** Why the cluster does not allow an action now; null when it does. */
export function refusalOf(
  { controls }: Workload,
  action: Workload['controls'][number]['action'],
): string | null {
  const control = controls.find((each) => each.action === action);
  return control && !control.enabled ? (control.reason ?? 'This is not possible now.') : null;
}

/** Read-only kubectl commands for the workload. */
function kubectlCommands({
  resource,
  namespace,
  name,
  producer,
  placeholder,
}: WorkloadRef & Partial<Pick<WorkloadDetail['workload'], 'producer' | 'placeholder'>>): {
  label: string;
  command: string;
}[] {
  const [plural = resource, ...group] = resource.split('.');
  // kubectl's rollout commands support only the built-in kinds, whose short names other kinds may share.
  const kubectl = namespace === '-' ? 'kubectl' : `kubectl -n ${namespace}`;
  if (placeholder !== undefined)
    return [{ label: 'get controllerrevisions', command: `${kubectl} get controllerrevisions.apps` }];
  if (group.join('.') !== 'apps' || producer !== undefined)
    return [{ label: 'describe', command: `${kubectl} describe ${resource}/${name}` }];
  const object = `${plural}/${name}`;
  return [
    { label: 'rollout status', command: `kubectl -n ${namespace} rollout status ${object}` },
    { label: 'rollout history', command: `kubectl -n ${namespace} rollout history ${object}` },
    { label: 'describe', command: `kubectl -n ${namespace} describe ${object}` },
  ];
}
