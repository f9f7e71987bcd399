import { beforeEach, describe, expect, test } from 'vitest';
import type { TemplateDiff } from '@/lib/diff/change';
import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import type { RolloutRecord } from '@/lib/api/record';
import { Keys } from '@/server/shared/keys';
import { diffAnswer } from '@/server/views/diff-answer';
import { relatedChangesOfDiff, relatedChangesOfRecord } from '@/server/views/related-changes';
import { sampleRecord } from '@/test/record-samples';
import { TestArchive } from '@/server/archive/testing/test-archive';

const uid = 'uid-cart';
const incarnation = { cluster: 'cluster', uid };
const keys = new Keys(Buffer.alloc(32, 7));

let archive: TestArchive;
let tools: { archive: TestArchive; keys: Keys };

/** A history of memory limits; the template at position n is revision n + 1, and its hash names its limit. */
async function remember(
  limits: readonly string[],
  expired: readonly string[] = [],
): Promise<RolloutRecord[]> {
  const ref = (at: number, number: number) => ({ number, id: `rs-${number}`, hash: `hash-${limits[at]}` });
  const records = limits.map((limit, index) =>
    sampleRecord(`record-${index + 1}`, {
      activation: index + 1,
      from: index === 0 ? null : ref(index - 1, index),
      to: ref(index, index + 1),
      cause: `set to ${limit}`,
    }),
  );
  await archive.put(records);
  const archived = limits.filter((limit) => !expired.includes(limit));
  await archive.putBodies(Object.fromEntries(archived.map((limit) => [`hash-${limit}`, template(limit)])));
  return records;
}

/** The hashes of the templates that are read from then on. */
function watchBodies(): string[] {
  const read: string[] = [];
  const bodies = archive.revisions.bodies.bind(archive.revisions);
  archive.revisions.bodies = (hashes) => {
    read.push(...new Set(hashes));
    return bodies(hashes);
  };
  return read;
}

function template(limit: string, password = 'hunter2'): JsonObject {
  return {
    spec: {
      containers: [
        {
          name: 'app',
          env: [{ name: 'DB_PASSWORD', value: password }],
          resources: { limits: { memory: limit } },
        },
      ],
    },
  };
}

function diffOf(before: string, after: string): Promise<TemplateDiff> {
  return keys.mask.diff(template(before), template(after));
}

async function compare(from: string | null, to: string | null, told: TemplateDiff | Promise<TemplateDiff>) {
  const diff = await told;
  return diffAnswer(diff, await relatedChangesOfDiff(tools, incarnation, { from, to }, diff));
}

beforeEach(async () => {
  archive = await TestArchive.open();
  tools = { archive, keys };
});

describe('a comparison', () => {
  test('from now to an earlier revision reverts what came after that', async () => {
    await remember(['512Mi', '768Mi', '1Gi']);
    const { changes, reverts } = await compare('rs-3', 'rs-1', diffOf('1Gi', '512Mi'));
    expect(changes[0]?.echo).toMatchObject({ kind: 'counters', rollout: { id: 'record-3', number: 3 } });
    expect(reverts).toMatchObject({
      sentence: 'Reverts revision 2 (“set to 768Mi”) and 1 later rollout',
    });
  });

  test('with what was never the target counts every rollout until now', async () => {
    await remember(['768Mi', '1Gi']);
    const { changes, reverts } = await compare('rs-2', null, diffOf('1Gi', '768Mi'));
    expect(changes[0]?.echo?.sentence).toBe('Reverts revision 2, which raised it for “set to 1Gi”');
    expect(reverts).toBeNull();
  });

  test('of two revisions long ago ignores what came after the later one', async () => {
    await remember(['768Mi', '1Gi', '1536Mi', '1Gi', '768Mi']);
    const [forward] = (await compare('rs-1', 'rs-2', diffOf('768Mi', '1Gi'))).changes;
    expect(forward?.echo).toBeNull();
    const back = await compare('rs-2', 'rs-1', diffOf('1Gi', '768Mi'));
    // Revision 1 has the template of the last rollout, but its own activation was the first.
    expect(back.changes[0]?.echo).toMatchObject({ kind: 'reverts', rollout: { id: 'record-2' } });
  });

  test('reveals no value that is masked, and hides what looks like a credential in a cause', async () => {
    await remember(['512Mi']);
    const [old, present] = [template('512Mi', 'old-secret'), template('512Mi', 'new-secret')];
    await archive.putBodies({ 'hash-old': old, 'hash-new': present });
    await archive.put([
      sampleRecord('rotation', {
        activation: 2,
        from: { number: 1, id: 'rs-1', hash: 'hash-old' },
        to: { number: 2, id: 'rs-2', hash: 'hash-new' },
        cause: 'kubectl set env deploy/cart DB_PASSWORD=new-secret',
      }),
    ]);
    const { changes } = await compare('rs-2', null, keys.mask.diff(present, old));
    expect(changes[0]?.echo).toMatchObject({ kind: 'reverts', rollout: { id: 'rotation' } });
    expect(JSON.stringify(changes)).not.toContain('-secret');
  });

  test('skips the rollouts whose templates have expired', async () => {
    await remember(['512Mi', '768Mi', '1Gi', '2Gi'], ['768Mi']);
    const { changes } = await compare('rs-4', null, diffOf('2Gi', '1Gi'));
    expect(changes[0]?.echo).toMatchObject({ rollout: { id: 'record-4' } });
  });

  test('reads the latest rollouts only, and each template once', async () => {
    const read = watchBodies();
    await remember(Array.from({ length: 80 }, (_, index) => `${index + 1}Mi`));
    const diff = await diffOf('80Mi', '20Mi');
    expect((await compare('rs-80', null, diff)).changes[0]?.echo).toMatchObject({ kind: 'counters' });
    expect(read).toHaveLength(51);
    await compare('rs-80', null, diff);
    expect(read).toHaveLength(51);
  });

  test('compares a record with the latest 20 rollouts before it, however busy the machine is', async () => {
    const records = await remember(Array.from({ length: 40 }, (_, index) => `${index + 1}Mi`));
    const [last = sampleRecord('none')] = records.slice(-1);
    const read = watchBodies();
    const near = await relatedChangesOfRecord(tools, last, await diffOf('40Mi', '20Mi'));
    expect(near?.changes[0]).toMatchObject({ kind: 'returns', rollout: { number: 21 } });
    const far = await relatedChangesOfRecord(tools, last, await diffOf('40Mi', '3Mi'));
    expect(far?.changes).toEqual([null]);
    expect(new Set(read).size).toBe(21);
  });

  test.each<[string, () => void]>([
    ['the archive is not to be reached', () => failWith(new AppError('archive_unavailable', 'gone'))],
    ['it does not answer', () => (archive.rollouts.summaries = () => new Promise(() => undefined))],
    ['templates take too long', () => (archive.revisions.bodies = () => new Promise(() => undefined))],
  ])('says that it has no echoes while %s', async (_, hinder) => {
    await remember(['768Mi', '1Gi']);
    hinder();
    const diff = await diffOf('1Gi', '768Mi');
    const echoes = await relatedChangesOfDiff(
      { ...tools, deadlineMs: 5 },
      incarnation,
      { from: 'rs-2', to: null },
      diff,
    );
    expect(diffAnswer(diff, echoes)).toMatchObject({
      reverts: null,
      echoNote: expect.stringMatching(/^Related rollouts are unknown/) as string,
      changes: [{ echo: null }],
    });
  });

  test('of equal templates, or without an archive, reads nothing', async () => {
    failWith(new Error('must not be asked'));
    const sides = { from: null, to: null };
    expect(await relatedChangesOfDiff(tools, incarnation, sides, await diffOf('1Gi', '1Gi'))).toBeNull();
    expect(
      await relatedChangesOfDiff({ keys, archive: null }, incarnation, sides, await diffOf('1Gi', '2Gi')),
    ).toBeNull();
  });
});

describe('a record', () => {
  test('is compared with the rollouts before it, with the numbers that they had', async () => {
    const [, , third = sampleRecord('none'), fourth = third] = await remember([
      '768Mi',
      '1Gi',
      '768Mi',
      '1Gi',
    ]);
    const lowered = await relatedChangesOfRecord(tools, third, await diffOf('1Gi', '768Mi'));
    expect(lowered).toMatchObject({
      changes: [{ kind: 'reverts', rollout: { number: 2, cause: 'set to 1Gi' }, repeats: null }],
      reverted: { rollout: { id: 'record-2' }, others: 0 },
    });
    const raised = await relatedChangesOfRecord(tools, fourth, await diffOf('768Mi', '1Gi'));
    expect(raised?.changes[0]).toMatchObject({
      kind: 'reverts',
      rollout: { id: 'record-3' },
      repeats: { id: 'record-2' },
    });
  });

  test('of another incarnation of the workload does not count', async () => {
    await remember(['768Mi', '1Gi']);
    const reborn = sampleRecord('reborn', {
      activation: 3,
      workload: { ...sampleRecord('x').workload, uid: 'uid-2' },
    });
    expect((await relatedChangesOfRecord(tools, reborn, await diffOf('1Gi', '768Mi')))?.changes).toEqual([
      null,
    ]);
  });
});

function failWith(error: Error): void {
  archive.rollouts.summaries = () => Promise.reject(error);
}
