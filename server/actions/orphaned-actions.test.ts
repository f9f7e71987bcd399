import { expect, test } from 'vitest';
import type { Action } from '@/lib/api/action';
import { summarizeRecord } from '@/lib/records/testing/summarize-record';
import type { RolloutRecord } from '@/lib/api/record';
import { OrphanedActions } from '@/server/actions/orphaned-actions';
import { sampleAction } from '@/server/archive/testing/sample-actions';
import { hour, sampleIncarnation, sampleRecord } from '@/server/archive/testing/samples';
import type { AuditEntry } from '@/server/audit/audit';
import { silentLogger } from '@/server/shared/log';

/** The lines that a check of an action from hour 1 writes, `hours` after the start of the samples. */
async function endOf(
  hours: number,
  {
    record,
    isOwn = false,
    isRecording = true,
    change = {},
  }: {
    record?: Partial<RolloutRecord>;
    isOwn?: boolean;
    isRecording?: boolean;
    change?: Partial<Action>;
  } = {},
): Promise<Pick<Action, 'state' | 'message' | 'endedAt' | 'actor'> | null> {
  const given = sampleAction(1, { startedAt: hour(1), state: 'following', endedAt: null, ...change });
  const mark = summarizeRecord(sampleRecord(sampleIncarnation(), 1, record));
  const written: AuditEntry[] = [];
  const orphans = new OrphanedActions({
    audit: {
      append: (entry) => void written.push(entry),
      entry: () => (isOwn ? { ...({} as AuditEntry), action: given.action } : undefined),
    },
    archive: () => ({
      actions: {
        list: ({ untilMs }) =>
          Promise.resolve({
            items:
              Date.parse(given.action.startedAt) < (untilMs ?? Infinity)
                ? [{ ...given, recordId: record === undefined ? null : mark.id }]
                : [],
            nextCursor: null,
          }),
      },
      rollouts: { summariesById: (ids) => Promise.resolve(ids.includes(mark.id) ? [mark] : []) },
    }),
    clusterId: () => 'prod',
    isRecording: () => isRecording,
    log: silentLogger,
    now: () => Date.parse(hour(hours)),
  });
  await orphans.check();
  expect(written.length).toBeLessThan(2);
  const [entry] = written;
  if (entry === undefined) return null;
  expect(entry).toMatchObject({ event: 'finished', at: hour(hours), identity: given.identity });
  const { state, message, endedAt, actor } = entry.action;
  return { state, message, endedAt, actor };
}

const ended = { outcome: 'completed', endedAt: hour(1.25) } as const;

test.each<[RolloutRecord['outcome'], Action['state']]>([
  ['completed', 'done'],
  ['rolledBack', 'failed'],
  ['noPods', 'done'],
  ['superseded', 'failed'],
  ['failed', 'failed'],
])('an action whose process is gone ends as the record of its rollout did: %s', async (outcome, state) => {
  const end = await endOf(2, { record: { ...ended, outcome } });
  expect(end).toMatchObject({ state, endedAt: hour(2), actor: sampleAction(1).action.actor });
  expect(end?.message).toMatch(/according to (the record of its rollout|its record)/);
});

test.each<[string, number, Parameters<typeof endOf>[1]]>([
  ['has not ended', 20, { record: { outcome: null, endedAt: null } }],
  ['ended a moment ago, which whoever follows it will tell', 1.3, { record: ended }],
  ['nobody saw end', 20, { record: { outcome: 'unknown', endedAt: hour(2) } }],
  ['is not there, as long as another process may follow the action', 25, {}],
])('nothing is said of an action whose record %s', async (_, hours, given) => {
  expect(await endOf(hours, given)).toBeNull();
});

test('an action that no process can be following any more ends without an outcome', async () => {
  expect(await endOf(25.2)).toStrictEqual({
    ...{ state: 'following', endedAt: hour(25.2), actor: sampleAction(1).action.actor },
    message: 'Outcome unknown. The Shiplog process that tracked it ended.',
  });
});

test('leaves lines of its own audit file to the follower, and all others to the process that records', async () => {
  expect(await endOf(30, { isOwn: true })).toBeNull();
  expect(await endOf(30, { isRecording: false })).toBeNull();
  expect(await endOf(30, { change: { endedAt: hour(26) } })).toBeNull();
});
