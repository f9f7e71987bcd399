import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { openArchive, openDatabase } from '@/server/archive/open';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';
import { sampleIncarnation, sampleRecording, START_MS } from '@/server/archive/testing/samples';
import { verifyArchive } from '@/server/archive/verify';

const ROUNDS = Number(process.env.SHIPLOG_ROUNDS ?? 3);
const ROUND_TIMEOUT_MS = 30_000;
/** Random moments differ from run to run; a failure names the line at which the process was killed. */
const LINES_MAX = 25;

const root = fileURLToPath(new URL('../..', import.meta.url));
const { engines, stop } = await enginesUnderTest();
afterAll(stop);

interface Acknowledged {
  record: number;
  review: number;
  comment: number;
}

/** Kills the recording process right after its line number `lines`; returns all that it acknowledged by then. */
function recordUntilKilled(
  place: TestDatabase,
  round: number,
  first: number,
  lines: number,
): Promise<Acknowledged> {
  const nowMs = START_MS + round * 60_000;
  const task = JSON.stringify([place.databaseUrl ?? null, place.dataDir, `holder-${round}`, first, nowMs]);
  const child = spawn(
    process.execPath,
    ['--import', './scripts/register.mjs', 'server/archive/testing/recorder-process.ts', task],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const acknowledged: Acknowledged = { record: first - 1, review: first - 1, comment: first - 1 };
  let count = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    Object.assign(acknowledged, JSON.parse(line));
    count += 1;
    if (count === lines) child.kill('SIGKILL');
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (_code, signal) => {
      if (signal === 'SIGKILL') resolve(acknowledged);
      else reject(new Error('The recording process ended by itself.'));
    });
  });
}

describe.each(engines)('on $engine', ({ createDatabase: makePlace }) => {
  test(
    'a process that is killed loses nothing that was acknowledged and leaves nothing half written',
    { timeout: ROUNDS * ROUND_TIMEOUT_MS },
    async () => {
      const place = await makePlace();
      const incarnation = sampleIncarnation();
      let first = 1;
      const owed: Acknowledged[] = [];
      for (let round = 1; round <= ROUNDS; round += 1) {
        const lines = 1 + Math.floor(Math.random() * LINES_MAX);
        const acknowledged = await recordUntilKilled(place, round, first, lines);
        for (let number = first; number <= acknowledged.record; number += 1) owed[number] = acknowledged;
        const database = await openDatabase(place);
        expect(await verifyArchive(database), `killed at line ${lines}`).toStrictEqual([]);
        await database.db.destroy();
        const archive = await openArchive(place);
        const listed = await archive.rollouts.of(incarnation);
        const last = listed.length;
        expect(last).toBeGreaterThanOrEqual(acknowledged.record);
        // Complete recordings, each once: with the bodies, activations and revisions that came with them.
        const expected = sampleRecording(incarnation, last);
        expect(listed.map(({ record }) => record)).toStrictEqual(expected.records);
        expect(await archive.workloads.activations(incarnation)).toStrictEqual(expected.activations);
        expect(await archive.revisions.of(incarnation)).toHaveLength(last);
        const bodies = await Promise.all(
          expected.revisions.map(({ revision: { hash } }) => archive.revisions.body(hash)),
        );
        expect(bodies).toStrictEqual(expected.revisions.map(({ body }) => body));
        for (const { record, review, comments } of listed) {
          const { activation } = record;
          if (activation <= (owed[activation]?.review ?? 0)) expect(review).toMatchObject({ version: 1 });
          if (activation <= (owed[activation]?.comment ?? 0)) expect(comments).toBe(1);
        }
        await archive.close();
        first = last + 1;
      }
      await place.remove();
    },
  );
});
