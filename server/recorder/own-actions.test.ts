import { expect, test } from 'vitest';
import { asCarried, type AuditedAction } from '@/server/recorder/own-actions';

const keys = { template: (hash: string) => `keyed ${hash}` };
const revisions = [
  { id: 'new', hash: 'a' },
  { id: 'other', hash: 'b' },
];

test.each([
  ['one that came from the archive by the revision that has its template', 'pruned', 'keyed a', 'new'],
  ['one that the cluster has by its id, whatever else has its template', 'other', 'keyed a', 'other'],
  ['one whose template nothing has yet by its id', 'pruned', 'keyed c', 'pruned'],
  ['one from before templates were noted by its id', 'pruned', null, 'pruned'],
  ['a restart by none', null, null, null],
])('knows %s', (_, toId, toHash, carried) => {
  const action: AuditedAction = { id: '1', actor: 'ana', reason: '', startedAt: '', toId, toHash };
  const { toHash: _hash, ...rest } = action;
  expect(asCarried(action, revisions, keys)).toEqual({ ...rest, toId: carried });
});
