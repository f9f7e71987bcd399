import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Action } from '@/lib/api/action';
import { Audit, type AuditEntry, parseEventLine } from '@/server/audit/audit';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { sampleReview } from '@/server/archive/testing/sample-actions';

let dir: string;
let path: string;

beforeEach(() => {
  const folder = makeFolder();
  dir = folder.path;
  onTestFinished(() => folder.remove());
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

test('keeps the latest 500 actions in memory and no more', () => {
  const lines = Array.from({ length: 700 }, (_, i) => `${JSON.stringify(entry(`n${i}`, 'finished'))}\n`);
  writeFileSync(path, lines.join(''));
  const actions = Audit.open(dir).actions();
  expect(actions).toHaveLength(500);
  expect(actions[0]?.id).toBe('n699');
});

test('rejects what cannot be written, and does not store it in memory', () => {
  const audit = Audit.open(dir);
  audit.close();
  expect(() => audit.append(entry('a', 'attempted'))).toThrow(/audit file/);
  expect(audit.entry('a')).toBeUndefined();
});

test('attempted actions stay in memory, however many others are rejected', () => {
  const audit = Audit.open(dir);
  audit.append(entry('open', 'attempted'));
  audit.append(entry('ended', 'attempted'));
  audit.append(entry('ended', 'failed'));
  for (let count = 0; count < 700; count += 1) audit.append(entry(`refused-${count}`, 'refused'));
  const isThere = (of: Audit) => of.actions().map(({ id }) => id);
  expect(isThere(audit)).toEqual(expect.arrayContaining(['open', 'ended', 'refused-699']));
  expect(isThere(audit)).toHaveLength(202);
  audit.close();
  expect(isThere(Audit.open(dir))).toEqual(isThere(audit));
});

test('an open action stays in memory behind any number of ended ones', () => {
  const audit = Audit.open(dir);
  audit.append(entry('open', 'accepted'));
  for (let count = 0; count < 600; count += 1) {
    audit.append(entry(`${count}`, 'attempted'));
    audit.append(entry(`${count}`, 'finished'));
  }
  expect(audit.open().map(({ action }) => action.id)).toEqual(['open']);
  expect(audit.actions()).toHaveLength(501);
});

describe('a file that has grown large', () => {
  const files = () => readdirSync(dir).sort();

  test('stays next to a new one, which has the open actions', () => {
    const audit = Audit.open(dir);
    audit.append(entry('a', 'attempted'));
    audit.append(entry('b', 'refused'));
    expect(audit.rotate(100_000)).toBe(false);
    const before = readFileSync(path, 'utf8');
    expect(audit.rotate(100)).toBe(true);
    audit.append(entry('a', 'accepted'));
    audit.close();
    const [old, present] = files();
    expect([files().length, present]).toEqual([2, 'audit.jsonl']);
    expect(readFileSync(join(dir, old ?? ''), 'utf8')).toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const next = Audit.open(dir);
    expect(next.open().map(({ action, event }) => `${action.id} ${event}`)).toEqual(['a accepted']);
  });

  test('is left by the other process on it as well, with the open actions of that one', () => {
    const [first, second] = [Audit.open(dir), Audit.open(dir)];
    first.append(entry('a', 'attempted'));
    second.append(entry('b', 'attempted'));
    expect(first.rotate(100)).toBe(true);
    second.append(entry('c', 'refused'));
    expect(second.rotate(100_000)).toBe(true);
    second.append(entry('b', 'accepted'));
    expect(files()).toHaveLength(2);
    const open = Audit.open(dir).open();
    expect(open.map(({ action, event }) => `${action.id} ${event}`)).toEqual(['a attempted', 'b accepted']);
  });
});

test('a line of a review is on disk, is no action, and does not count as damage', () => {
  const audit = Audit.open(dir);
  audit.append(entry('a', 'accepted'));
  const told: string[] = [];
  audit.onAppend(({ action }) => told.push(action.id));
  audit.note(sampleReview);
  audit.close();
  const line = readFileSync(path, 'utf8').split('\n')[1] ?? '';
  expect(JSON.parse(line)).toEqual(sampleReview);
  expect([parseEventLine(line) !== undefined, parseEventLine(line.slice(1)) !== undefined, told]).toEqual([
    true,
    false,
    [],
  ]);
  expect(
    Audit.open(dir)
      .actions()
      .map(({ id }) => id),
  ).toEqual(['a']);
  expect(() => audit.note(sampleReview)).toThrow('cannot write the audit file');
});
