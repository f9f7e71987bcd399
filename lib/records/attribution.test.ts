import { expect, test } from 'vitest';
import { attributeActivation } from '@/lib/records/attribution';
import type { ShiplogAction, TemplateWrite } from '@/lib/records/observation';
import type { ArchivedActivation, RevisionRef } from '@/lib/api/incarnation';
import { masked } from '@/test/masked';

/** Revision 9 was pruned, and revision 2 was created from its template. */
const tools = { meaning: ({ id, hash }: RevisionRef) => (id === 'id-2' || id === 'id-9' ? 'of 2' : hash) };

const at = (minute: number) => `2026-01-01T12:${String(minute).padStart(2, '0')}:00Z`;
const activation = (index: number, from: string | null): ArchivedActivation => ({
  workloadUid: 'uid',
  index,
  revision: { number: index, id: `id-${index}`, hash: `h${index}` },
  from,
  fromNotAfter: null,
  to: null,
});
const write = (manager: string, minute: number, ours = false): TemplateWrite => ({
  manager: masked(manager),
  time: at(minute),
  isShiplog: ours,
});
const action = (
  id: string,
  minute: number,
  toId: string | null = null,
  hash: string | null = null,
): ShiplogAction => ({
  id,
  actor: 'ana',
  reason: masked(''),
  to: toId === null ? null : { id: toId, hash },
  startedAt: at(minute),
});

function actorOf(writes: TemplateWrite[], actions: ShiplogAction[] = [], from: string | null = at(20)) {
  const found = attributeActivation(activation(2, from), [activation(1, at(10))], { writes, actions }, tools);
  return found && `${found.actor.source} ${found.actor.name} ${found.action?.id ?? '-'}`;
}

test.each([
  ['the write since the activation before', [write('helm', 20)], 'managedFields helm -'],
  ['the newest of several', [write('kubectl-edit', 12), write('helm', 20)], 'managedFields helm -'],
  ['nobody where the time has moved on', [write('helm', 25)], null],
  ['nobody for a write of the activation before', [write('helm', 10)], null],
  ['nobody where two wrote in the same second', [write('helm', 20), write('kubectl-edit', 20)], null],
  ['nobody without a write', [], null],
])('an activation is attributed to %s', (_, writes, expected) => {
  expect(actorOf(writes)).toBe(expected);
});

test('a write by Shiplog is attributed to the person who acted, where the action is known', () => {
  expect(actorOf([write('shiplog', 20, true)], [action('old', 5), action('new', 19)])).toBe(
    'shiplog ana new',
  );
  expect(actorOf([write('shiplog', 20, true)], [action('old', 5)])).toBe('managedFields shiplog -');
  expect(actorOf([write('helm', 20)], [action('new', 19)])).toBe('managedFields helm -');
});

test('a write by Shiplog in the second of the change before it is that of the action that came after', () => {
  const [before, after] = ['2026-01-01T12:10:00.000Z', '2026-01-01T12:10:00.629Z'];
  const actorAt = (startedAt: string) =>
    actorOf([write('shiplog', 10, true)], [{ ...action('restart', 10), startedAt }], at(10));
  expect(actorAt(after)).toBe('shiplog ana restart');
  expect(actorAt(before)).toBeNull();
  expect(actorOf([write('shiplog', 10, true)], [], at(10))).toBeNull();
});

test('the second of two changes within one second has an actor, unless two wrote then', () => {
  const next = '2026-01-01T12:10:01.400Z';
  expect(actorOf([write('argocd', 10)], [], at(10))).toBe('managedFields argocd -');
  expect(actorOf([write('helm', 5), write('argocd', 10)], [], next)).toBe('managedFields argocd -');
  expect(actorOf([write('helm', 10), write('argocd', 10)], [], next)).toBeNull();
});

test('a rollback through Shiplog is identified by its target revision, with or without an annotation', () => {
  expect(actorOf([], [action('back', 19, 'id-2')])).toBe('shiplog ana back');
  expect(actorOf([write('helm', 12)], [action('back', 19, 'id-2')])).toBe('shiplog ana back');
  expect(actorOf([write('helm', 20)], [action('back', 19, 'id-2')])).toBe('managedFields helm -');
  expect(actorOf([], [action('elsewhere', 19, 'id-1')])).toBeNull();
});

test('a return to a revision that the cluster had pruned is identified by its template, and not attributed to an older action', () => {
  const earlier = [activation(9, at(2)), activation(1, at(10))];
  const actorAfter = (actions: ShiplogAction[], writes = [write('shiplog', 19, true)]) => {
    const found = attributeActivation(activation(2, at(20)), earlier, { writes, actions }, tools);
    return found && `${found.actor.source} ${found.actor.name} ${found.action?.id ?? '-'}`;
  };
  const restart = action('restart', 15);
  expect(actorAfter([restart, action('archived', 19, 'id-9')])).toBe('shiplog ana archived');
  expect(actorAfter([restart, action('archived', 19, 'of another incarnation', 'h2')])).toBe(
    'shiplog ana archived',
  );
  expect(actorAfter([restart, action('elsewhere', 19, 'id-1')])).toBe('managedFields shiplog -');
  expect(actorAfter([action('archived', 15, 'id-9'), action('again', 19, 'id-9')])).toBe('shiplog ana again');
});

test('an activation that began at an unknown time is attributed to no one', () => {
  expect(actorOf([write('helm', 20)], [], null)).toBeNull();
});
