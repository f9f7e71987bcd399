import { afterAll, beforeAll, expect, test } from 'vitest';
import { day, type ExpectedRecord, kinds } from '@/e2e/records/script-steps';
import { runScripts, type ScriptedRollout, type ScriptedIncarnation } from '@/e2e/records/run-scripts';
import { HOUR, MONTH_START, VirtualSandbox } from '@/e2e/records/virtual-sandbox';
import { workloadScripts } from '@/e2e/records/workload-scripts';
import type { GroundTruth } from '@/e2e/records/ground-truth';
import { RestartableRecorder } from '@/e2e/records/restartable-recorder';
import type { RolloutRecord } from '@/lib/api/record';
import type { WorkloadIncarnation } from '@/lib/api/incarnation';

let sandbox: VirtualSandbox;
let recorder: RestartableRecorder;
/** Stopped, killed and started again. */
let interruptedRecorder: RestartableRecorder;
let scriptedIncarnations: readonly ScriptedIncarnation[];
let truth: GroundTruth;

beforeAll(async () => {
  sandbox = await VirtualSandbox.open();
  recorder = new RestartableRecorder(sandbox);
  interruptedRecorder = new RestartableRecorder(sandbox);
  await recorder.start();
  await interruptedRecorder.start();
  const asides = downtimes.flatMap(([way, from, to]) => [
    { at: from, happen: () => (way === 'stopped' ? interruptedRecorder.stop() : interruptedRecorder.kill()) },
    { at: to, happen: () => interruptedRecorder.start() },
  ]);
  ({ incarnations: scriptedIncarnations, truth } = await runScripts(
    sandbox,
    workloadScripts,
    asides,
    day(31, 0),
  ));
});

afterAll(async () => {
  await Promise.all([recorder.close(), interruptedRecorder.close()]);
  await sandbox.close();
});

/** When the other recorder is down: between rollouts, over some, from the middle of one to that of another. */
const downtimes: readonly (readonly ['stopped' | 'killed', from: number, to: number])[] = [
  ['stopped', day(2, 20), day(2, 22)],
  ['killed', day(3, 10) + 8 / 3600, day(3, 10) + 20 / 3600],
  ['killed', day(4, 9), day(5, 12) + 30 / 3600],
  ['stopped', day(6, 9) + 5 / 3600, day(6, 9) + 15 / 3600],
  ['killed', day(8, 17), day(8, 20)],
  ['stopped', day(9, 9.5), day(9, 10.05)],
  ['killed', day(11, 11.5), day(15, 12)],
  ['killed', day(16, 9), day(21, 0)],
];

const hours = (time: string | number | null) =>
  time === null ? null : (Number(new Date(time)) - MONTH_START) / HOUR;
const tenth = (time: string | null) => {
  const value = hours(time);
  return value === null ? null : Math.round(value * 10) / 10;
};
const moment = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

/** The expected records of an incarnation, in the format of the archive. */
function scripted({ script, rollouts, endedAt }: ScriptedIncarnation) {
  return rollouts.map(({ step, observed }, index) => {
    const { rollout, by } = step;
    const next = rollouts[index + 1];
    const nextBegins = next === undefined ? endedAt : targetChosenAt(next);
    const outcome = rollout?.outcome ?? null;
    const end = outcome === null ? null : outcome === 'completed' ? observed.complete : nextBegins;
    return {
      number: index + 1,
      from: index === 0 ? null : index,
      startedAt: hours(observed.begun),
      endedAt: hours(end),
      outcome,
      actor: rollout?.by === undefined ? (by ?? null) : rollout.by,
      cause: rollout?.cause ?? null,
      restart: rollout?.restart === true,
      spans: rollout?.spans?.map(([kind, from, to]) => [
        kind,
        Math.round(from * 10) / 10,
        to === null ? tenth(moment(end)) : Math.round(to * 10) / 10,
      ]),
      pods: [...observed.pods].sort(),
      steps: rollout?.steps,
      workload: script.name,
    };
  });
}

/** When its revision became the target. */
function targetChosenAt({ step: { rollout }, observed }: ScriptedRollout): number {
  return rollout?.chosen === undefined ? observed.begun : MONTH_START + rollout.chosen * HOUR;
}

function recorded(record: RolloutRecord, expected: ExpectedRecord | null | undefined) {
  return {
    number: record.to.number,
    from: record.from?.number ?? null,
    startedAt: hours(record.startedAt),
    endedAt: hours(record.endedAt),
    outcome: record.outcome,
    actor: record.actor?.name ?? null,
    cause: record.cause,
    restart: record.restart,
    spans: expected?.spans && record.spans.map(({ kind, from, to }) => [kind, tenth(from), tenth(to)]),
    pods: record.steps.flatMap(({ pods }) => pods.map(({ uid }) => uid)).sort(),
    steps:
      expected?.steps && record.steps.map(({ name, pods, removed }) => [name, pods.length, removed.length]),
    workload: record.workload.name,
  };
}

test.each(workloadScripts.map((script) => [script.name, script] as const))(
  '%s: the records are the script',
  async (name, script) => {
    const incarnations = scriptedIncarnations.filter((incarnation) => incarnation.script === script);
    const recordedIncarnations: WorkloadIncarnation[] = await recorder.incarnations(
      `${kinds[script.kind]}.apps`,
      name,
    );
    expect(recordedIncarnations.map(({ deletedAt }) => deletedAt)).toEqual(
      incarnations.map(({ endedAt }) => moment(endedAt)),
    );
    for (const [index, incarnation] of recordedIncarnations.entries()) {
      const expected = incarnations[index];
      if (expected === undefined) throw new Error('It has more incarnations than the script creates.');
      const records = await recorder.records(incarnation);
      expect(records.map((record, at) => recorded(record, expected.rollouts[at]?.step.rollout))).toEqual(
        scripted(expected),
      );
      expect(records.flatMap(({ unwatched }) => unwatched)).toEqual([]);
    }
  },
);

/** Without the samples, which differ after an absence. */
function withoutVolatile({ samples: _samples, activation: _activation, id: _id, ...rest }: RolloutRecord) {
  return rest;
}

function podsOf({ steps }: RolloutRecord): string[] {
  return steps.flatMap(({ pods }) => pods.map(({ uid }) => uid));
}

function numberKey({ to }: RolloutRecord): string {
  return `${to.number} ${to.hash}`;
}

test.each(workloadScripts.map((script) => [script.name, script] as const))(
  '%s: an absence costs nothing but what is recorded as not observed',
  async (name, { kind }) => {
    const resource = `${kinds[kind]}.apps`;
    const [all, some] = await Promise.all([
      recorder.incarnations(resource, name),
      interruptedRecorder.incarnations(resource, name),
    ]);
    const places = some.map(({ uid }) => all.findIndex((incarnation) => incarnation.uid === uid));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(some.at(-1)?.deletedAt ?? null).toEqual(all.at(-1)?.deletedAt ?? null);
    for (const incarnation of some) {
      const records = new Map(
        (await interruptedRecorder.records(incarnation)).map((record) => [numberKey(record), record]),
      );
      const activations = await recorder.archive.workloads.activations(incarnation);
      for (const truth of await recorder.records(incarnation)) {
        // Includes a target that was held. One without pods had ended until they were desired.
        const { from = null } = activations[truth.activation - 1] ?? {};
        const begun = hours(truth.resumedAt ?? from ?? truth.startedAt) ?? 0;
        const record = records.get(numberKey(truth));
        records.delete(numberKey(truth));
        const missed = downtimes.filter(
          ([, from, to]) => begun < to && (hours(truth.endedAt) ?? Infinity) > from,
        );
        const isMissed = missed.some(
          ([, from, to]) => begun >= from && (hours(truth.endedAt) ?? Infinity) <= to,
        );
        // A rollout that began and ended unobserved may have left no trace in the cluster.
        if (record === undefined) expect([truth.to.number, isMissed]).toEqual([truth.to.number, true]);
        else if (missed.length === 0) expect(withoutVolatile(record)).toEqual(withoutVolatile(truth));
        else expectNothingInvented(record, truth);
      }
      expect([...records.keys()]).toEqual([]);
    }
  },
);

function expectNothingInvented(record: RolloutRecord, truth: RolloutRecord): void {
  expect([record.to.number, record.unwatched.length]).not.toEqual([record.to.number, 0]);
  expect([truth.outcome, 'unknown']).toContain(record.outcome);
  // A recorder that missed the write knows only when the revision was created, which with Recreate is later.
  const isRevisionLater = record.strategy.startsWith('Recreate');
  if (isRevisionLater)
    expect(hours(record.startedAt) ?? Infinity).toBeGreaterThanOrEqual(hours(truth.startedAt) ?? 0);
  for (const key of ['startedAt', 'actor', 'cause'] as const)
    if (record[key] !== null && !(key === 'startedAt' && isRevisionLater))
      expect([key, record[key]]).toEqual([key, truth[key]]);
  if (record.outcome === 'unknown')
    expect(hours(record.endedAt) ?? Infinity).toBeGreaterThanOrEqual(hours(truth.endedAt) ?? 0);
  else if (record.endedAt !== null) expect(record.endedAt).toBe(truth.endedAt);
  const known = new Set(podsOf(truth));
  expect(podsOf(record).filter((uid) => !known.has(uid))).toEqual([]);
}

test('no error occurred meanwhile', () => {
  expect([...recorder.problems, ...interruptedRecorder.problems]).toEqual([]);
});

test('revisions are archived with their templates, and with the time when the cluster pruned them', async () => {
  for (const script of workloadScripts) {
    for (const incarnation of await recorder.incarnations(`${kinds[script.kind]}.apps`, script.name)) {
      for (const { id, hash, prunedAt, name } of await recorder.archive.revisions.of(incarnation)) {
        expect([name, prunedAt]).toEqual([name, moment(truth.deletedAt(id) ?? null)]);
        expect(await recorder.archive.revisions.body(hash)).not.toBeNull();
      }
    }
  }
});
