/*
 * A process that records and reviews until it is killed, and prints what the archive has acknowledged: a line of JSON
 * each. What it writes follows from the number alone, so that the reader knows what to expect.
 */
import { writeSync } from 'node:fs';
import type { Lease } from '@/server/archive/lease';
import { openArchive } from '@/server/archive/open';
import { hour, sampleIncarnation, sampleRecording } from '@/server/archive/testing/samples';

const [databaseUrl, dataDir, holder, first, nowMs] = JSON.parse(process.argv[2] ?? '[]') as [
  string | null,
  string,
  string,
  number,
  number,
];
const incarnation = sampleIncarnation();
const archive = await openArchive({ databaseUrl: databaseUrl ?? undefined, dataDir });
const lease = (await archive.leases.acquire(holder, nowMs, 'prod')) as Lease;

for (let number = first; ; number += 1) {
  const recording = sampleRecording(incarnation, number);
  const latest = {
    incarnation,
    revisions: recording.revisions.slice(-2),
    activations: recording.activations.slice(-2),
    records: recording.records.slice(-1),
  };
  await archive.record(lease, [latest], nowMs);
  acknowledge({ record: number });
  const id = `${incarnation.uid}.${number}`;
  await archive.reviews.save(id, { verdict: 'good', by: holder, at: hour(number), followUp: null }, 0);
  acknowledge({ review: number });
  const comment = { recordId: id, by: holder, at: hour(number), path: null, answers: null };
  await archive.reviews.addComment({ ...comment, body: `comment ${number}` });
  acknowledge({ comment: number });
}

/** Unbuffered: a buffer would die with the process. */
function acknowledge(line: Record<string, number>): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
