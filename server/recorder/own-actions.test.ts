import { expect, test } from 'vitest';
import { asCarried, type AuditedAction } from '@/server/recorder/own-actions';

const keys = { template: (hash: string) => `keyed ${hash}` };
const revisions = [
  { id: 'new', hash: 'a' },
  { id: 'other', hash: 'b' },
];

test.each([
  ['one that came from the archive by the revision that has its template', 'pruned', 'keyed a', 'a'],
  ['one that the cluster has by its id, whatever else has its template', 'other', 'keyed a', 'b'],
  ['one whose template nothing has yet by its id', 'pruned', 'keyed c', null],
  ['one from before templates were noted by its id', 'pruned', null, null],
  ['a restart by none', null, null, null],
])('knows %s', (_, toId, toHash, carried) => {
  const action: AuditedAction = { id: '1', actor: 'ana', reason: '', startedAt: '', toId, toHash };
  const { toHash: _hash, toId: _id, ...rest } = action;
  const to = toId === null ? null : { id: toId, hash: carried };
  expect(asCarried(action, revisions, keys)).toEqual({ ...rest, to });
});
