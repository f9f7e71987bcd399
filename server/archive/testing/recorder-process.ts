/*
 * A process that records and reviews until it is killed, and says on its output what the archive has acknowledged: a
 * line of JSON each. What it writes follows from the number alone, so that whoever reads it knows what to expect.
 */
import { writeSync } from 'node:fs';
import { type Lease } from '@/server/archive/archive';
import { openArchive } from '@/server/archive/open';
import { hour, sampleLife, sampleRecording } from '@/server/archive/testing/samples';

const [databaseUrl, dataDir, holder, first, nowMs] = JSON.parse(process.argv[2] ?? '[]') as [
  string | null,
  string,
  string,
  number,
  number,
];
const life = sampleLife();
const archive = await openArchive({ databaseUrl: databaseUrl ?? undefined, dataDir });
const lease = (await archive.acquire(holder, nowMs, 'prod')) as Lease;

for (let number = first; ; number += 1) {
  const recording = sampleRecording(life, number);
  const latest = {
    life,
    revisions: recording.revisions.slice(-2),
    activations: recording.activations.slice(-2),
    records: recording.records.slice(-1),
  };
  await archive.record(lease, [latest], nowMs);
  acknowledge({ record: number });
  const id = `${life.uid}.${number}`;
  await archive.review(id, { verdict: 'good', by: holder, at: hour(number), followUp: null }, 0);
  acknowledge({ review: number });
  const comment = { recordId: id, by: holder, at: hour(number), path: null, answers: null };
  await archive.addComment({ ...comment, body: `comment ${number}` });
  acknowledge({ comment: number });
}

/** At once: what waits in a buffer would die with the process. */
function acknowledge(line: Record<string, number>): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
