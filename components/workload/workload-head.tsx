'use client';

import { Button, ButtonLink } from '@/components/ui/button';
import { copyText } from '@/components/ui/copy-button';
import { MenuButton, type MenuEntry } from '@/components/ui/menu-button';
import { Sentence } from '@/components/ui/sentence';
import { StateWord, stateWord } from '@/components/ui/state-word';
import { Tag } from '@/components/ui/tag';
import { showToast } from '@/components/ui/toast';
import { WorkloadCrumbs } from '@/components/workload/workload-crumbs';
import { withoutQuote } from '@/components/workload/block-text';
import { kubectlCommands } from '@/components/workload/kubectl-commands';
import { ReasonLine } from '@/components/workload/reason-line';
import { type WorkloadDetail } from '@/lib/api/workloads';

type Workload = WorkloadDetail['workload'];
export type ControlAction = 'pause' | 'resume' | 'restart' | 'partition';

export interface WorkloadActions {
  /** Without an id, the revision that is offered first. */
  onRollback: (revisionId?: string) => void;
  onControl: (action: ControlAction) => void;
}

/** Where we are, the sentence, why, and what can be done about it. */
export function WorkloadHead({
  workload,
  compareHref,
  compareLabel,
  blocked,
  onRollback,
  onControl,
}: WorkloadActions & {
  workload: Workload;
  /** Null where there is nothing to compare with. */
  compareHref: string | null;
  compareLabel: string;
  /** Why nothing may be changed now; null when it may. */
  blocked: string | null;
}) {
  const { kind, state, sentence, blockers } = workload;
  return (
    <>
      <WorkloadCrumbs workload={workload}>
        <Tag>{kind}</Tag>
      </WorkloadCrumbs>
      <Sentence
        lead={
          <StateWord state={state} share={shareOf(workload)} className="[&>svg]:size-[18px]">
            {stateWord(workload)}.
          </StateWord>
        }
        actions={
          <>
            <RollbackButton workload={workload} blocked={blocked} onRollback={onRollback} />
            {compareHref !== null && (
              <ButtonLink href={compareHref} glyph="compare" className="max-desk:w-11 max-desk:px-0">
                <span className="max-desk:sr-only">{compareLabel}</span>
              </ButtonLink>
            )}
            <PauseButton workload={workload} blocked={blocked} onControl={onControl} />
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
      <ReasonLine workload={workload} />
      <RevertsLine target={workload.defaultTarget} />
    </>
  );
}

/** What the first button takes along beside the last rollout: to be known before its dialog is open. */
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
  blocked,
  onRollback,
}: {
  workload: Workload;
  blocked: string | null;
  onRollback: WorkloadActions['onRollback'];
}) {
  const target = workload.defaultTarget;
  const refusal = blocked ?? refusalOf(workload, 'rollback');
  // What is well has no first thing to do.
  const tone = workload.state === 'complete' ? 'default' : 'primary';
  if (target === null) {
    return (
      <Button tone={tone} glyph="back" disabled disabledReason={refusal ?? noTarget(workload)}>
        Roll back…
      </Button>
    );
  }
  return (
    <Button
      tone={tone}
      glyph="back"
      kbd="r"
      title={`Revision ${target.number ?? 'without a number'} ${target.why}`}
      disabled={refusal !== null}
      disabledReason={refusal ?? undefined}
      onClick={() => onRollback()}
    >
      Roll back{target.number === null ? '' : ` to ${target.number}`}…
    </Button>
  );
}

/** Where nothing proves which revision ran well, somebody has to choose. */
function noTarget({ producer, revisions }: Workload): string {
  return producer !== undefined && revisions.total > 1
    ? 'Choose the revision to go back to in the list below.'
    : 'There is no other revision to go back to.';
}

/** On a phone it is among the other actions. */
function PauseButton({
  workload,
  blocked,
  onControl,
}: {
  workload: Workload;
  blocked: string | null;
  onControl: WorkloadActions['onControl'];
}) {
  const action = workload.paused ? 'resume' : 'pause';
  const control = workload.controls.find((each) => each.action === action);
  if (!control) return null;
  const refusal = blocked ?? (control.enabled ? null : (control.reason ?? 'It can’t be done now.'));
  return (
    <Button
      kbd="p"
      disabled={refusal !== null}
      disabledReason={refusal ?? undefined}
      onClick={() => onControl(action)}
      className="max-desk:hidden"
    >
      {workload.paused ? 'Resume…' : 'Pause…'}
    </Button>
  );
}

const controlLabels: Record<ControlAction, string> = {
  pause: 'Pause…',
  resume: 'Resume…',
  restart: 'Restart all pods…',
  partition: 'Move the partition…',
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
      disabledReason: blocked ?? refusalOf(workload, action) ?? undefined,
      onSelect: () => onControl(action),
    })),
    'separator',
    {
      label: 'Copy link',
      kbd: 'y',
      glyph: 'copy',
      onSelect: () => void copyAndSay(location.href, 'Link copied'),
    },
    { heading: 'Copy as kubectl' },
    ...kubectlCommands(workload).map(({ label, command }): MenuEntry => ({
      label,
      glyph: 'terminal',
      onSelect: () => void copyAndSay(command, 'Command copied'),
    })),
  ];
}

/** Copies and says so; what could not be copied is shown to be copied by hand. */
export async function copyAndSay(text: string, title: string): Promise<void> {
  const copied = await copyText(text);
  showToast(copied ? { title, body: text } : { title: 'The browser did not allow copying', body: text });
}

/** Why the cluster does not allow an action now; null when it does. */
export function refusalOf(
  { controls }: Workload,
  action: Workload['controls'][number]['action'],
): string | null {
  const control = controls.find((each) => each.action === action);
  return control && !control.enabled ? (control.reason ?? 'It can’t be done now.') : null;
}

function shareOf({ state, pods }: Workload): number | undefined {
  if (state !== 'rolling' && state !== 'held') return undefined;
  const ready = pods.byRevision.filter(({ target }) => target).reduce((sum, group) => sum + group.ready, 0);
  return pods.desired === 0 ? 0 : Math.min(1, ready / pods.desired);
}
