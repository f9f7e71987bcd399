import type { RolloutActionName } from '@/lib/api/action-values';
import type { RolloutRevision, RolloutAction, RolloutStep, Wait } from '@/lib/api/rollouts';
import type { Traffic } from '@/lib/api/rollout-fields';
import type { RolloutView } from '@/server/views/rollout-view';
import { codeOf, codesOf } from '@/test/replay/facts/codes';
import { type Facts, factsFrom, secondsAt, words } from '@/test/replay/facts/facts';
import { describePlan, knownValues } from '@/test/replay/facts/write-facts';

/** Everything that Shiplog says of a progressive rollout. */
export function readProgressiveFacts({ system, input, rollout }: RolloutView, startMs: number): Facts {
  const { state, style, step, replicas, revisions, waitsFor, workload, run } = rollout;
  const known = knownValues([
    ['uid', rollout.uid],
    ['version', input.object.resourceVersion],
  ]);
  const actions = rollout.actions.flatMap((action) =>
    stepsOf(action).map((target): [string, string] => {
      const name = `can ${action.name}${target === null ? '' : ` ${target}`}`;
      if (!action.allowed)
        return [name, `!${codeOf(action.reason ?? '')}${action.instead === undefined ? '' : ' instead'}`];
      const planned = system.plan(input, { action: action.name, step: target });
      if (planned.kind === 'workload')
        return [name, `→ rolls the workload back ${planned.findings.map(({ code }) => code).join(' ')}`];
      const plan = planned.kind === 'write' ? planned.plan : null;
      const goal = planned.kind === 'write' ? ` until ${planned.goal.until}` : '';
      return [name, `${describePlan({ plan, findings: planned.findings }, known)}${goal}`];
    }),
  );
  return factsFrom({
    state,
    why: codesOf([rollout.message]),
    since: secondsAt(rollout.since, startMs),
    style,
    position: words(step.index, 'of', step.total, step.state, step.next !== null && `then ${step.next}`),
    waits: describeWait(waitsFor, startMs),
    steps: rollout.steps.map((each) => describeStep(each, startMs)).join(', '),
    pods: `${replicas.desired} desired ${replicas.updated} updated ${replicas.ready} ready`,
    others: String(rollout.unassignedPods.length),
    stable: describeRevision(revisions.stable),
    updated: describeRevision(revisions.updated),
    began: secondsAt(run.startedAt, startMs),
    workload: `${workload.state} ${workload.kind} ${workload.name}`,
    is: words(rollout.paused && 'paused', rollout.disabled && 'disabled'),
    notes: codesOf(rollout.notes),
    ...Object.fromEntries(actions),
  });
}

/** An action that can reach several steps is planned for the first and for the last of them. */
function stepsOf({ name, steps }: RolloutAction & { name: RolloutActionName }): (number | null)[] {
  if (steps === null || steps.length === 0) return [null];
  const ends = [...new Set([steps[0] ?? null, steps.at(-1) ?? null])];
  return name === 'approve' ? [null, ...ends.slice(1)] : ends;
}

function describeWait(wait: Wait | null, startMs: number): string {
  if (wait === null) return '';
  if (wait.kind === 'time') return `time ${wait.seconds} ${secondsAt(wait.until, startMs)}`;
  return wait.kind === 'pods' ? `pods ${wait.missing}` : wait.kind;
}

function describeStep(step: RolloutStep, startMs: number): string {
  const { index, state, replicas, traffic, waitsFor, pods, since, startedAt, readyAt } = step;
  const times = [since, startedAt, readyAt].map((time) => secondsAt(time, startMs));
  return words(
    `${index} ${state}`,
    `${replicas.planned}=${replicas.updated}/${replicas.ready}`,
    (traffic.planned ?? traffic.actual) !== null &&
      `${describeTraffic(traffic.planned)}=${describeTraffic(traffic.actual)}`,
    describeWait(waitsFor, startMs),
    pods.length > 0 && `has ${pods.length}`,
    ...pods.map(({ name, blocked }) => blocked !== null && `${name} ${codeOf(blocked)}`),
    times.some((time) => time !== '') && times.join('/'),
  );
}

function describeTraffic(traffic: Traffic | null): string {
  if (traffic === null) return '-';
  return traffic.kind === 'weight' ? `${traffic.percent}%` : `${traffic.rules.length} rules`;
}

function describeRevision(revision: RolloutRevision | null): string {
  if (revision === null) return '';
  return `${revision.number ?? revision.hash ?? '-'}${revision.pending ? ' pending' : ''}`;
}
