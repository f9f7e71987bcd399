import 'server-only';
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import type { ReviewEntry } from '@/lib/api/activity-event';
import type { RolloutRecord } from '@/lib/api/record';
import type { Verdict } from '@/lib/api/review';
import type { Archive } from '@/server/archive/archive';
import { intercept } from '@/server/archive/intercept';
import { openArchive } from '@/server/archive/open';
import type { Clock } from '@/server/shared/clock';
import { Keys } from '@/server/shared/keys';
import type { Logger } from '@/server/shared/log';
import { ChangeSummaries } from '@/server/views/change-summaries';
import { deriveView } from '@/server/views/workload-view';
import { mentionsOf } from '@/server/reviews/mentions';
import { Recorder } from '@/server/recorder/recorder';
import { SeededActions } from '@/server/runtime/seed-actions';
import { sandboxCluster } from '@/server/runtime/sandbox-cluster';
import type { SandboxApi } from '@/sandbox/api/sandbox-api';
import { type SeedHistoryOptions, type SeedObserver, seedHistory } from '@/sandbox/seed-history';
import { reviewers, reviewOf } from '@/sandbox/seed/reviews';

/** How often, in real time, observations are written. */
const WRITE_MS = 250;

export interface SeedRecordedHistoryOptions extends SeedHistoryOptions {
  readonly log: Logger;
}

/**
 * Seeds the history of the sandbox as {@link seedHistory} does, and records it meanwhile, as if Shiplog had watched for
 * those weeks.
 */
export async function seedRecordedHistory(options: SeedRecordedHistoryOptions): Promise<void> {
  const { log } = options;
  await seedHistory({
    ...options,
    observer: ({ api, clock, folder }) => record(api, clock, folder, log),
  });
}

async function record(api: SandboxApi, clock: Clock, folder: string, log: Logger): Promise<SeedObserver> {
  const archive = await openArchive({ databaseUrl: undefined, dataDir: folder });
  const cluster = sandboxCluster(api);
  const keys = Keys.load(folder);
  const actions = new SeededActions(cluster, clock);
  const pendingReads = { with: 0 };
  const recorder = new Recorder({
    cluster,
    archive: countReads(archive, pendingReads),
    keys,
    summaries: new ChangeSummaries(keys.mask),
    view: (workload) => deriveView(cluster, workload, clock.now()),
    actionsOf: (workload) => actions.of(workload),
    configChangesOf: () => [],
    log,
    clock: { now: () => clock.now(), sleep: (_ms, signal) => setTimeout(WRITE_MS, undefined, { signal }) },
  });
  recorder.start();
  while (recorder.state.state === 'starting') await setTimeout(1);
  return {
    before: (write) => actions.before(write),
    settled: async () => {
      do await nextTurn();
      while (pendingReads.with > 0);
    },
    stop: async () => {
      await recorder.stop();
      const records = await recordsOf(archive, cluster.identity.id);
      const reviews = await review(archive, records, clock.now());
      actions.save(folder, records, reviews);
      await archive.close();
    },
  };
}

/** The team's verdicts and comments so far; returns their lines of the audit. */
async function review(
  archive: Archive,
  records: readonly RolloutRecord[],
  endMs: number,
): Promise<ReviewEntry[]> {
  for (const user of reviewers) await archive.people.saw({ id: `user:${user}`, name: user }, endMs);
  const entries: ReviewEntry[] = [];
  for (const record of records) {
    const verdictAndComment = reviewOf(record, endMs);
    if (verdictAndComment === null) continue;
    const { verdict, comment } = verdictAndComment;
    const written =
      comment === undefined
        ? undefined
        : { body: comment, mentions: await mentionsOf(archive.people, comment) };
    await archive.reviews.save(record.id, verdict, 0, written);
    entries.push(reviewEntry(record, verdict));
  }
  return entries;
}

function reviewEntry({ id, workload }: RolloutRecord, verdict: Verdict): ReviewEntry {
  const { cluster, resource, namespace, name, uid } = workload;
  return {
    at: verdict.at,
    event: 'verdict',
    by: { id: `user:${verdict.by}`, name: verdict.by ?? '' },
    record: id,
    workload: { cluster, resource, namespace, name, uid },
    verdict: verdict.verdict,
    comment: null,
    code: null,
    origin: null,
    idempotencyKey: null,
  };
}

async function recordsOf(archive: Archive, cluster: string): Promise<RolloutRecord[]> {
  const records: RolloutRecord[] = [];
  let cursor: string | null = null;
  do {
    const query = { clusters: [{ cluster, scopes: null }], limit: 200, cursor };
    const page: Awaited<ReturnType<Archive['rollouts']['search']>> = await archive.rollouts.search(query);
    records.push(...page.items.map(({ record }) => record));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return records;
}

/** A new workload is reconciled once the archive has answered that it does not know it. */
function countReads(archive: Archive, pendingReads: { with: number }): Archive {
  return intercept(archive, (name, call) => {
    const result = call();
    if (name === 'record' || !(result instanceof Promise)) return result;
    pendingReads.with += 1;
    return result.finally(() => (pendingReads.with -= 1));
  });
}
