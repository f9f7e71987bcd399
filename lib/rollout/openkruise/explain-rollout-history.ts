import type { Revision } from '@/lib/history/revision';
import { workloadOf as targetOf, type KruiseRollout } from '@/lib/rollout/openkruise/parse';
import type {
  ControllerRecordInput,
  ControllerRecordView,
  ControllerRecordTarget,
  ControllerRecord,
} from '@/lib/rollout/controller-record';
import type { ControllerRecordFinding } from '@/lib/api/rollout-histories';
import type { ControllerRecordState } from '@/lib/api/rollout-values';
import { formatCount } from '@/lib/format/text';

const ROLLBACK = 'rollback-';

/** A ghost is created in the second in which the next rollout begins, and its true record right after. */
const GHOST_MS = 10_000;

/** The workload of a record: as its content names it, else that of the Rollout of its name. */
export function controllerRecordTarget(
  record: ControllerRecord,
  rollout: KruiseRollout | null,
): ControllerRecordTarget | null {
  const workload = record.content?.workload;
  if (workload != null) {
    const { apiVersion, kind, name } = workload;
    return { target: targetOf({ apiVersion, kind, name }), source: 'rolloutHistory' };
  }
  return rollout === null ? null : { target: rollout.workload, source: 'rollout' };
}

/**
 * How reliable a RolloutHistory is. The upstream controller creates it at the start, fills it in at the end,
 * and in many cases never does; each case has a finding of its own.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollouthistory/rollouthistory_controller.go
 */
export function explainRolloutHistory(input: ControllerRecordInput<KruiseRollout>): ControllerRecordView {
  const state = stateOf(input);
  return {
    state,
    message: messageOf(input, state),
    findings: findingsOf(input, state),
    revision: revisionOf(input),
  };
}

function stateOf({ record, rollout }: ControllerRecordInput<KruiseRollout>): ControllerRecordState {
  if (record.phase === 'completed') return 'completed';
  if (record.phase !== '') return 'unknown';
  if (record.ownRecord !== null) return 'running';
  if (rollout.state === 'unknown') return 'unknown';
  if (rollout.state === 'missing' || rollout.object.phase !== 'Progressing') return 'neverCompleted';
  const current = rollout.object.progress?.rolloutId ?? null;
  return current !== null && current === record.rolloutId ? 'running' : 'neverCompleted';
}

function messageOf({ record }: ControllerRecordInput<KruiseRollout>, state: ControllerRecordState): string {
  if (record.ownRecord !== null)
    return state === 'completed'
      ? 'Written by Shiplog for a finished rollout.'
      : 'Written by Shiplog for a rollout in progress.';
  switch (state) {
    case 'completed':
      return 'The Rollout became healthy with this ID. That alone does not prove that the rollout succeeded.';
    case 'running':
      return 'The rollout is in progress; OpenKruise fills in the object at its end.';
    case 'neverCompleted':
      return 'OpenKruise never completed this object: it holds only the rollout ID.';
    case 'unknown':
      return record.phase === ''
        ? 'Whether the rollout is in progress is unknown: Rollouts cannot be read.'
        : `Unknown phase: ${record.phase}.`;
    default:
      return state satisfies never;
  }
}

function findingsOf(
  input: ControllerRecordInput<KruiseRollout>,
  state: ControllerRecordState,
): ControllerRecordFinding[] {
  const { record, rollout } = input;
  if (record.ownRecord !== null) return [{ code: 'shiplog', text: 'Written by Shiplog.' }];
  const findings: ControllerRecordFinding[] = [];
  const add = (isSo: boolean, code: ControllerRecordFinding['code'], text: string) => {
    if (isSo) findings.push({ code, text });
  };
  add(
    record.rollout === null || record.rolloutId === null,
    'unlabelled',
    'The labels that OpenKruise sets are missing: another tool created the object, or changed it later.',
  );
  add(
    record.phase !== '' && record.phase !== 'completed',
    'unknownPhase',
    `OpenKruise has no phase “${record.phase}”.`,
  );
  if (state === 'neverCompleted') findings.push(explainPending(input));
  add(
    state !== 'neverCompleted' && isRollback(record),
    'rollback',
    'The ID belongs to a rollout that was being rolled back.',
  );
  const duplicates = countDuplicates(input);
  add(
    duplicates > 0,
    'duplicate',
    `${formatCount(duplicates, 'other object')} ${duplicates === 1 ? 'has' : 'have'} the same Rollout and ID. OpenKruise does not keep IDs unique.`,
  );
  add(
    isReused(input),
    'reusedId',
    'A later rollout reused this ID without a new object. This one describes the first rollout with the ID.',
  );
  add(
    rollout.state === 'missing',
    'rolloutGone',
    'The Rollout was deleted. Its RolloutHistory objects remain.',
  );
  return [...findings, ...contentFindings(record, state)];
}

function contentFindings(
  { content, steps, rolloutId }: ControllerRecord,
  state: ControllerRecordState,
): ControllerRecordFinding[] {
  if (content === null || state !== 'completed') return [];
  const findings: ControllerRecordFinding[] = [];
  const isEmpty = steps.every(({ podCount }) => podCount === 0);
  if (isEmpty)
    findings.push({
      code: 'withoutPods',
      text: 'No pods are recorded. The canary pods of a Deployment are deleted before OpenKruise records them.',
    });
  if (content.ingress === null && content.httpRoute === null)
    findings.push({
      code: 'withoutRoute',
      text: 'No Ingress or HTTPRoute is recorded. OpenKruise records no other kinds of routes.',
    });
  if (rolloutId !== null && content.rolloutId !== rolloutId)
    findings.push({
      code: 'idMismatch',
      text: `The ID in the label is ${rolloutId}, the one in the content is ${content.rolloutId === '' ? 'empty' : content.rolloutId}.`,
    });
  if (content.plannedSteps !== null && content.plannedSteps !== steps.length)
    findings.push({
      code: 'planChanged',
      text: `${formatCount(steps.length, 'step')} recorded, but ${content.plannedSteps} planned: step numbers may not match the plan.`,
    });
  return findings;
}

function explainPending(input: ControllerRecordInput<KruiseRollout>): ControllerRecordFinding {
  const { record, siblings } = input;
  if (isRollback(record))
    return {
      code: 'rollback',
      text: 'Created during a rollback, with an ID that existed for less than a second.',
    };
  const made = Date.parse(record.createdAt);
  const hasFollower = siblings.some((other) => {
    const after = Date.parse(other.createdAt) - made;
    const isFollower = after > 0 || (after === 0 && other.uid !== record.uid && isLater(input, other));
    return other.rolloutId !== record.rolloutId && !isRollback(other) && isFollower && after <= GHOST_MS;
  });
  return hasFollower
    ? {
        code: 'ghost',
        text: 'Created by mistake: when the next rollout started, the status of the Rollout still had the previous ID.',
      }
    : {
        code: 'pendingDead',
        text: 'The rollout was rolled back or superseded, or OpenKruise failed to complete the object.',
      };
}

/**
 * Of two created in the same second, the later one is the one that the Rollout names now, that was completed,
 * or that has the higher revision: the id of a ghost is of the previous rollout.
 */
function isLater(input: ControllerRecordInput<KruiseRollout>, other: ControllerRecord): boolean {
  const { record, rollout } = input;
  const current = rollout.state === 'found' ? (rollout.object.progress?.rolloutId ?? null) : null;
  if (current !== null && (current === other.rolloutId || current === record.rolloutId))
    return current === other.rolloutId;
  if (other.phase === 'completed') return true;
  const [own, theirs] = [record, other].map((one) => revisionOf({ ...input, record: one })?.revision.number);
  return own != null && theirs != null && own < theirs;
}

function isRollback({ rolloutId }: ControllerRecord): boolean {
  return rolloutId?.startsWith(ROLLBACK) === true;
}

function countDuplicates({ record, siblings }: ControllerRecordInput<KruiseRollout>): number {
  if (record.rolloutId === null) return 0;
  return siblings.filter(({ uid, rolloutId }) => uid !== record.uid && rolloutId === record.rolloutId).length;
}

/** The Rollout works, or has worked, under the id of a completed record, but with another template. */
function isReused({ record, rollout, facts }: ControllerRecordInput<KruiseRollout>): boolean {
  if (record.phase !== 'completed' || record.rolloutId === null || rollout.state !== 'found') return false;
  if (rollout.object.progress?.rolloutId !== record.rolloutId) return false;
  const written = record.content?.templateId ?? null;
  const current = facts?.workload.semanticId ?? null;
  return written !== null && current !== null && written !== current;
}

/** By its template; a pending record of a kind with ControllerRevisions by its id, which is the hash of one. */
function revisionOf({
  record,
  facts,
}: ControllerRecordInput<KruiseRollout>): ControllerRecordView['revision'] {
  if (facts === null) return null;
  const { revisions } = facts.history;
  const templateId = record.content?.templateId ?? null;
  if (templateId !== null) {
    const same = revisions.filter(({ source }) => source.semanticId === templateId);
    const [first] = same;
    return first === undefined ? null : { revision: first, source: 'revisions' };
  }
  if (record.rolloutId === null || facts.workload.resource === 'deployments.apps') return null;
  const id = isRollback(record) ? record.rolloutId.slice(ROLLBACK.length) : record.rolloutId;
  const named = revisions.find(({ name }) => isNamed(name, id, facts.workload.name));
  return named === undefined ? null : { revision: named, source: 'labels' };
}

function isNamed(name: Revision['name'], id: string, workload: string): boolean {
  return name === id || name === `${workload}-${id}`;
}
