import { appendFileSync, mkdtempSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type Action } from '@/lib/api/actions';
import { Audit, type AuditEntry } from '@/server/audit';

let dir: string;
let path: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'shiplog-audit-'));
  path = join(dir, 'audit.jsonl');
});

function entry(id: string, event: AuditEntry['event'], action: Partial<Action> = {}): AuditEntry {
  return {
    at: '2026-08-01T12:00:00Z',
    event,
    action: {
      id,
      cluster: 'c',
      action: 'rollback',
      resource: 'deployments.apps',
      namespace: 'shop',
      name: 'cart',
      uid: 'u',
      actor: 'ana',
      reason: 'errors\nsince noon',
      from: 43,
      to: 42,
      fromId: 'b',
      toId: 'a',
      toOrigin: 'cluster',
      toHash: 'h',
      step: null,
      rollout: null,
      state: event === 'accepted' ? 'accepted' : 'done',
      startedAt: '2026-08-01T12:00:00Z',
      endedAt: null,
      message: 'x',
      recordedAs: null,
      progress: null,
      ...action,
    },
    seen: 's',
    expectation: { template: 't', generation: 7, until: 'rollout', pod: null },
    code: null,
    apiMessage: null,
  };
}

test('an entry is one line that only the owner can read', () => {
  const audit = Audit.open(dir);
  audit.append(entry('a', 'attempted'));
  audit.append(entry('a', 'accepted'));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const lines = readFileSync(path, 'utf8').split('\n');
  expect(lines).toHaveLength(3);
  expect(JSON.parse(lines[1] ?? '')).toEqual(entry('a', 'accepted'));
});

test('after a restart the last state of each action is known, newest first', () => {
  const first = Audit.open(dir);
  first.append(entry('a', 'accepted'));
  first.append(entry('b', 'refused', { message: 'no' }));
  first.append(entry('c', 'attempted'));
  first.append(entry('a', 'finished', { message: 'done' }));
  first.close();
  const audit = Audit.open(dir);
  expect(audit.actions().map(({ id, message }) => `${id} ${message}`)).toEqual(['c x', 'b no', 'a done']);
  expect(audit.open().map(({ action }) => action.id)).toEqual(['c']);
  expect(audit.entry('a')?.event).toBe('finished');
  expect(audit.entry('x')).toBeUndefined();
});

test('half a line at the end costs that line and no other', () => {
  const first = Audit.open(dir);
  first.append(entry('a', 'accepted'));
  first.append(entry('b', 'accepted'));
  first.close();
  truncateSync(path, statSync(path).size - 20);
  const second = Audit.open(dir);
  second.append(entry('c', 'accepted'));
  second.close();
  appendFileSync(path, 'not json\n{"at":1}\n');
  const ids = Audit.open(dir)
    .actions()
    .map(({ id }) => id);
  expect(ids).toEqual(['c', 'a']);
});

test('a file of any size is read from its end', () => {
  const line = `${JSON.stringify(entry('old', 'accepted', { reason: 'x'.repeat(1_000) }))}\n`;
  writeFileSync(path, line.repeat(8_000));
  const audit = Audit.open(dir);
  audit.append(entry('new', 'accepted'));
  expect(audit.actions().map(({ id }) => id)).toEqual(['new', 'old']);
});

test('no more than 500 actions are kept in memory, the latest', () => {
  const lines = Array.from({ length: 700 }, (_, i) => `${JSON.stringify(entry(`n${i}`, 'finished'))}\n`);
  writeFileSync(path, lines.join(''));
  const actions = Audit.open(dir).actions();
  expect(actions).toHaveLength(500);
  expect(actions[0]?.id).toBe('n699');
});

test('what cannot be written is refused, and is not taken as known', () => {
  const audit = Audit.open(dir);
  audit.close();
  expect(() => audit.append(entry('a', 'attempted'))).toThrow(/audit file/);
  expect(audit.entry('a')).toBeUndefined();
});
