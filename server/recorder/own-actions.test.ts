import { expect, test } from 'vitest';
import type { Action } from '@/lib/api/action';
import type { WorkloadKind } from '@/lib/workloads/kind';
import type { Workload } from '@/lib/history/workload';
import { resolveActionTarget, type AuditedAction, ownActions } from '@/server/recorder/own-actions';

const keys = {
  template: (hash: string) => `keyed ${hash}`,
  preconditionToken: (_: string, uid: string, meaning: string) => `${uid} ${meaning}`,
};
const revisions = [
  { id: 'new', hash: 'a', facts: { semanticId: 'A' } },
  { id: 'other', hash: 'b', facts: { semanticId: 'B' } },
];

test.each([
  ['one that came from the archive by the revision that has its template', 'pruned', 'keyed a', 'a'],
  ['one that the cluster has by its id, whatever else has its template', 'other', 'keyed a', 'b'],
  ['one whose template nothing has yet by its id', 'pruned', 'keyed c', null],
  ['one from before templates were noted by its id', 'pruned', null, null],
  ['a restart by none', null, null, null],
])('recognizes %s', (_, toId, toHash, carried) => {
  const action: AuditedAction = { id: '1', uid: 'u', actor: 'ana', reason: '', startedAt: '', toId, toHash };
  const { toHash: _hash, toId: _id, uid: _uid, ...rest } = action;
  const to = toId === null ? null : { id: toId, hash: carried };
  expect(resolveActionTarget(action, revisions, keys)).toEqual({ ...rest, to });
});

test.each([
  ['the one that admission made of it', 'u A', 'new', 'a'],
  ['the requested one where that was stored', 'u B', 'other', 'b'],
  ['the requested one while the result has no revision', 'u C', 'other', 'b'],
  ['the requested one where another workload stored the result', 'v A', 'other', 'b'],
])('takes for the target %s', (_, toStored, id, hash) => {
  const sent = {
    id: '1',
    uid: 'u',
    actor: 'ana',
    reason: '',
    startedAt: '',
    toId: 'other',
    toHash: 'keyed b',
  };
  expect(resolveActionTarget({ ...sent, toStored }, revisions, keys).to).toEqual({ id, hash });
});

test('an action on a workload whose template is part of another one is known at both', () => {
  const rollout = { uid: 'ro', resource: 'rollouts.argoproj.io', namespace: 'shop', name: 'cart' };
  const holder = { resource: { id: 'deployments.apps' }, namespace: 'shop', name: 'cart-pods' };
  const cache = {
    workload: () => rollout as Workload,
    kindOf: () => ({ template: { owner: () => holder } }) as unknown as WorkloadKind,
  };
  const back = { ...rollout, action: 'rollback', state: 'done', id: '1', toId: 'rev', toHash: 'h' };
  const audit = { actions: () => [back as Action, { ...back, id: '2', namespace: 'other' } as Action] };
  const idsOf = (resource: string, name: string, uid: string) =>
    ownActions(audit.actions(), cache, { resource, name, uid, namespace: 'shop' }).map(({ id }) => id);
  expect(idsOf('deployments.apps', 'cart-pods', 'deploy')).toEqual(['1']);
  expect(idsOf('deployments.apps', 'another', 'deploy')).toEqual([]);
  expect(idsOf('rollouts.argoproj.io', 'cart', 'ro')).toEqual(['1', '2']);
});
