import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace, untilSettled } from '@/e2e/controlplane/seed';
import { waitFor } from '@/e2e/controlplane/wait';
import { isReadyRound, killAtRandom, PAUSE_MS, ROUNDS, ROUNDS_TIMEOUT_MS } from '@/e2e/records/kill-rounds';
import { untilRecorder } from '@/e2e/records/recorder-state';
import { Acknowledged, reviewUntil } from '@/e2e/records/reviewer';
import { type ReadRollouts, startRollouts } from '@/e2e/records/rollouts';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { Action } from '@/lib/api/action';
import type { ClusterInfo } from '@/lib/api/cluster';
import type { RecordAnswer, RecordList } from '@/lib/api/records';
import type { RevisionRef } from '@/lib/api/incarnation';
import type { RolloutRecord } from '@/lib/api/record';
import type { Archive } from '@/server/archive/archive';
import type { IncarnationKey } from '@/server/archive/workloads';
import { openArchive } from '@/server/archive/open';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';

/** One of two processes on a busy machine observes the same that much later. */
const OBSERVATION_LAG_MS_MAX = 15_000;
const NAMESPACE = 'kill';

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

/** Shiplog twice on one cluster: one process that is killed over and over, and one that observes all the time. */
class KillTest {
  readonly cluster: ControlPlane;
  readonly place: TestDatabase;
  readonly acknowledged = new Acknowledged();
  readonly #folder = mkdtempSync(join(tmpdir(), 'shiplog-kill-'));
  readonly #witnessDir = mkdtempSync(join(tmpdir(), 'shiplog-witness-'));

  constructor(cluster: ControlPlane, place: TestDatabase) {
    this.cluster = cluster;
    this.place = place;
  }

  get #dataDir(): string {
    return this.place.dataDir === '' ? this.#folder : this.place.dataDir;
  }

  start(untilReady: boolean): Promise<Shiplog> {
    const { databaseUrl } = this.place;
    return startShiplog({
      kubeconfig: this.cluster.kubeconfigs.admin,
      dataDir: this.#dataDir,
      untilReady,
      ...(databaseUrl === undefined ? {} : { env: { DATABASE_URL: databaseUrl } }),
    });
  }

  startWitness(): Promise<Shiplog> {
    return startShiplog({ kubeconfig: this.cluster.kubeconfigs.admin, dataDir: this.#witnessDir });
  }

  openWitness(): Promise<Archive> {
    return openArchive({ databaseUrl: undefined, dataDir: this.#witnessDir });
  }

  /**
   * One round; the moment of the kill is random, but a ready process has acknowledged something, the first one of
   * each.
   */
  async kill(names: readonly string[], isFirst: boolean): Promise<void> {
    const isReady = isFirst || isReadyRound();
    const shiplog = await this.start(isReady);
    const over = new AbortController();
    const before = this.acknowledged.count;
    const reviewing = reviewUntil(over.signal, shiplog, NAMESPACE, names, this.acknowledged);
    if (isReady) {
      const isAcknowledged = () => (isFirst ? this.acknowledged.isOfEach : this.acknowledged.count > before);
      await waitFor(isAcknowledged, { what: 'it takes a review', detail: () => shiplog.log() });
    }
    await killAtRandom(shiplog, this.place, async () => {
      over.abort();
      await reviewing;
    });
  }

  close(): void {
    for (const folder of [this.#folder, this.#witnessDir]) rmSync(folder, { recursive: true, force: true });
  }
}

describe.each(engines)('on $engine', ({ createDatabase: makePlace }) => {
  test(
    'killed at any moment it loses nothing that it acknowledged, and has the records of a process that observes all the time',
    { timeout: ROUNDS_TIMEOUT_MS },
    async () => {
      const cluster = await startControlPlane();
      const killTest = new KillTest(cluster, await makePlace());
      let rollouts: ReadRollouts | undefined;
      let witness: Shiplog | undefined;
      try {
        await seedNamespace(cluster, NAMESPACE);
        witness = await killTest.startWitness();
        await untilRecorder(witness, 'recording');
        rollouts = await startRollouts(cluster, NAMESPACE, { pauseMs: PAUSE_MS });
        for (let round = 0; round < ROUNDS; round += 1) await killTest.kill(rollouts.names, round === 0);
        await rollouts.stop();
        for (const name of rollouts.names)
          await untilSettled(cluster, 'Deployment', { namespace: NAMESPACE, name });
        const last = await killTest.start(true);
        await untilRecorder(last, 'recording');
        await expectAcknowledgedStored(last, killTest.acknowledged);
        await allEnded(last);
        await allEnded(witness);
        const { id } = (await last.get('/api/cluster')) as ClusterInfo;
        await last.stop();
        await witness.stop();
        await expectSameRecords(killTest, id);
      } finally {
        await rollouts?.stop();
        await witness?.stop();
        await cluster.stop();
        await killTest.place.remove();
        killTest.close();
      }
    },
  );
});

async function allEnded(shiplog: Shiplog): Promise<void> {
  await waitFor(
    async () => ((await shiplog.get('/api/records?outcome=open')) as RecordList).items.length === 0,
    {
      what: 'no rollout is open any more',
    },
  );
}

async function expectAcknowledgedStored(
  shiplog: Shiplog,
  { reviews, comments, actions }: Acknowledged,
): Promise<void> {
  for (const [id, version] of reviews) {
    const { review } = (await shiplog.get(`/api/records/${id}`)) as RecordAnswer;
    expect(review.version).toBeGreaterThanOrEqual(version);
    const storedBodies = review.comments.map(({ body }) => body);
    for (const text of comments.get(id) ?? []) expect(storedBodies).toContain(text);
  }
  for (const id of actions) {
    const action = (await shiplog.get(`/api/actions/${id}`)) as Action;
    expect(action.id).toBe(id);
  }
}

/** Each once, and the same, except for what is recorded as not observed. */
async function expectSameRecords(killTest: KillTest, clusterId: string): Promise<void> {
  const [archive, witness] = await Promise.all([openArchive(killTest.place), killTest.openWitness()]);
  for (const incarnation of await witness.workloads.currentIncarnations(clusterId)) {
    const [records, truths] = await Promise.all([
      recordsOf(archive, incarnation),
      recordsOf(witness, incarnation),
    ]);
    expect(records.map(numberOf)).toEqual(truths.map(numberOf));
    for (const [index, record] of records.entries()) {
      const truth = truths[index];
      if (truth === undefined) continue;
      const isClose = isCutShort(truth, truths[index + 1]);
      const outcomes = isClose ? ['completed', 'superseded'] : [truth.outcome];
      if (record.unwatched.length === 0) {
        expect(factsOf(record, isClose)).toEqual(factsOf(truth, isClose));
        expect(Math.abs(endOf(record) - endOf(truth))).toBeLessThan(OBSERVATION_LAG_MS_MAX);
      } else outcomes.push('unknown');
      expect(outcomes).toContain(record.outcome);
    }
    expect((await archive.workloads.activations(incarnation)).map(({ revision }) => plain(revision))).toEqual(
      (await witness.workloads.activations(incarnation)).map(({ revision }) => plain(revision)),
    );
  }
  await Promise.all([archive.close(), witness.close()]);
}

async function recordsOf(archive: Archive, incarnation: IncarnationKey): Promise<RolloutRecord[]> {
  const listed = await archive.rollouts.of(incarnation);
  return listed.map(({ record }) => record).toSorted((a, b) => a.activation - b.activation);
}

function numberOf({ activation, to }: RolloutRecord) {
  return { activation, ...plain(to) };
}

/** The meaning of a template is recorded for a rollout whose start was observed, not for one that is found later. */
function plain({ meaning: _meaning, ...revision }: RevisionRef): RevisionRef {
  return revision;
}

/**
 * Whether the next rollout began in the second in which this one ended. Two watches may deliver the last status of
 * one and the template of the other in either order, so that one process records a completed rollout and the other a
 * superseded one that lacks its last pods.
 */
function isCutShort({ endedAt }: RolloutRecord, next: RolloutRecord | undefined): boolean {
  if (endedAt === null || next?.startedAt == null) return false;
  return Date.parse(next.startedAt) - Date.parse(endedAt) <= 1_000;
}

function endOf({ endedAt }: RolloutRecord): number {
  return endedAt === null ? 0 : Date.parse(endedAt);
}

/**
 * What does not depend on the moment of a read, unlike the end of the last step; the author is known only to the
 * process that was notified.
 */
function factsOf({ from, to, startedAt, endedAt, summary, restart, steps }: RolloutRecord, isClose: boolean) {
  const pods = isClose ? null : steps.flatMap((step) => step.pods.map(({ uid }) => uid)).sort();
  return { from, to, startedAt, isOver: endedAt !== null, summary, restart, pods };
}
