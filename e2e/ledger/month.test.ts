import { afterAll, beforeAll, expect, test } from 'vitest';
import { day, type Expected, kinds } from '@/e2e/ledger/acts';
import { play, type Played, type PlayedLife } from '@/e2e/ledger/play';
import { HOUR, MONTH_START, Stage } from '@/e2e/ledger/stage';
import { stories } from '@/e2e/ledger/stories';
import { type Truth } from '@/e2e/ledger/truth';
import { Watcher } from '@/e2e/ledger/watcher';
import { type RolloutRecord, type WorkloadLife } from '@/lib/ledger/record';

let stage: Stage;
let watcher: Watcher;
/** Stopped, killed and started again. */
let absent: Watcher;
let lives: readonly PlayedLife[];
let truth: Truth;

beforeAll(async () => {
  stage = await Stage.open();
  watcher = new Watcher(stage);
  absent = new Watcher(stage);
  await watcher.start();
  await absent.start();
  const asides = absences.flatMap(([way, from, to]) => [
    { at: from, happen: () => (way === 'stopped' ? absent.stop() : absent.kill()) },
    { at: to, happen: () => absent.start() },
  ]);
  ({ lives, truth } = await play(stage, stories, asides, day(31, 0)));
});

afterAll(async () => {
  await Promise.all([watcher.close(), absent.close()]);
  await stage.close();
});

/** When the other one does not watch: between rollouts, over some, from the middle of one to that of another. */
const absences: readonly (readonly ['stopped' | 'killed', from: number, to: number])[] = [
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

/** What the script says of the rollouts of a life, in the words of the ledger. */
function scripted({ story, rollouts, endedAt }: PlayedLife) {
  return rollouts.map(({ scene, course }, index) => {
    const { rollout, by } = scene;
    const next = rollouts[index + 1];
    const nextBegins = next === undefined ? endedAt : begunAt(next);
    const outcome = rollout?.outcome ?? null;
    const end = outcome === null ? null : outcome === 'completed' ? course.complete : nextBegins;
    return {
      number: index + 1,
      from: index === 0 ? null : index,
      startedAt: hours(course.begun),
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
      pods: [...course.pods].sort(),
      steps: rollout?.steps,
      story: story.name,
    };
  });
}

/** When its revision became the target. */
function begunAt({ scene: { rollout }, course }: Played): number {
  return rollout?.chosen === undefined ? course.begun : MONTH_START + rollout.chosen * HOUR;
}

function recorded(record: RolloutRecord, expected: Expected | null | undefined) {
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
    story: record.workload.name,
  };
}

test.each(stories.map((story) => [story.name, story] as const))(
  '%s: the records are the script',
  async (name, story) => {
    const played = lives.filter((life) => life.story === story);
    const kept: WorkloadLife[] = await watcher.lives(`${kinds[story.kind]}.apps`, name);
    expect(kept.map(({ deletedAt }) => deletedAt)).toEqual(played.map(({ endedAt }) => moment(endedAt)));
    for (const [index, life] of kept.entries()) {
      const script = played[index];
      if (script === undefined) throw new Error('It has more lives than were played.');
      const records = await watcher.records(life);
      expect(records.map((record, at) => recorded(record, script.rollouts[at]?.scene.rollout))).toEqual(
        scripted(script),
      );
      expect(records.flatMap(({ unwatched }) => unwatched)).toEqual([]);
    }
  },
);

/** Without the samples, of which one who comes back has others. */
function told({ samples: _samples, activation: _activation, id: _id, ...rest }: RolloutRecord) {
  return rest;
}

function podsOf({ steps }: RolloutRecord): string[] {
  return steps.flatMap(({ pods }) => pods.map(({ uid }) => uid));
}

function numberKey({ to }: RolloutRecord): string {
  return `${to.number} ${to.hash}`;
}

test.each(stories.map((story) => [story.name, story] as const))(
  '%s: absence costs nothing but what is marked',
  async (name, { kind }) => {
    const resource = `${kinds[kind]}.apps`;
    const [all, some] = await Promise.all([watcher.lives(resource, name), absent.lives(resource, name)]);
    const places = some.map(({ uid }) => all.findIndex((life) => life.uid === uid));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(some.at(-1)?.deletedAt ?? null).toEqual(all.at(-1)?.deletedAt ?? null);
    for (const life of some) {
      const records = new Map((await absent.records(life)).map((record) => [numberKey(record), record]));
      const activations = await watcher.archive.activations(life.uid);
      for (const truth of await watcher.records(life)) {
        // A target that was held is part of it.
        const begun = hours(activations[truth.activation - 1]?.from ?? truth.startedAt) ?? 0;
        const record = records.get(numberKey(truth));
        records.delete(numberKey(truth));
        const missed = absences.filter(
          ([, from, to]) => begun < to && (hours(truth.endedAt) ?? Infinity) > from,
        );
        const isMissed = missed.some(
          ([, from, to]) => begun >= from && (hours(truth.endedAt) ?? Infinity) <= to,
        );
        // Of one that began and ended while nobody watched the cluster may have lost every trace.
        if (record === undefined) expect([truth.to.number, isMissed]).toEqual([truth.to.number, true]);
        else if (missed.length === 0) expect(told(record)).toEqual(told(truth));
        else expectNothingInvented(record, truth);
      }
      expect([...records.keys()]).toEqual([]);
    }
  },
);

function expectNothingInvented(record: RolloutRecord, truth: RolloutRecord): void {
  expect([record.to.number, record.unwatched.length]).not.toEqual([record.to.number, 0]);
  expect([truth.outcome, 'unknown']).toContain(record.outcome);
  for (const key of ['startedAt', 'actor', 'cause'] as const)
    if (record[key] !== null) expect([key, record[key]]).toEqual([key, truth[key]]);
  if (record.outcome === 'unknown')
    expect(hours(record.endedAt) ?? Infinity).toBeGreaterThanOrEqual(hours(truth.endedAt) ?? 0);
  else if (record.endedAt !== null) expect(record.endedAt).toBe(truth.endedAt);
  const known = new Set(podsOf(truth));
  expect(podsOf(record).filter((uid) => !known.has(uid))).toEqual([]);
}

test('nothing went wrong on the way', () => {
  expect([...watcher.problems, ...absent.problems]).toEqual([]);
});

test('revisions are kept with their bodies, and it is known when the cluster lost them', async () => {
  for (const story of stories) {
    for (const life of await watcher.lives(`${kinds[story.kind]}.apps`, story.name)) {
      for (const { id, hash, prunedAt, name } of await watcher.archive.revisions(life.uid)) {
        expect([name, prunedAt]).toEqual([name, moment(truth.goneAt(id) ?? null)]);
        expect(await watcher.archive.body(hash)).not.toBeNull();
      }
    }
  }
});
