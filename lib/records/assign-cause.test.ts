import { expect, test } from 'vitest';
import type { Observation } from '@/lib/records/observation';
import { FakeArchive } from '@/lib/records/testing/fake-archive';
import {
  incarnation,
  type SimulationOptions,
  SimulatedWorkload,
} from '@/lib/records/testing/simulated-workload';
import { masked } from '@/test/masked';

const secondsBefore = (at: string | null, seconds: number) =>
  at === null ? null : new Date(Date.parse(at) - seconds * 1_000).toISOString();

const rules: SimulationOptions = { keepsNumbers: true, historyLimit: 10, pods: 3 };

/**
 * A workload whose annotation is written, observed every ten seconds. Its controller copies the annotation to
 * what it creates from a template; a Deployment’s controller also to the newest ReplicaSet at every write.
 */
class AnnotatedWorkload {
  readonly kept = new FakeArchive();
  readonly #world = new SimulatedWorkload(rules);
  readonly #copies = new Map<string, string>();
  readonly #copiesLater: boolean;
  readonly #roundsDown = new Set<number>();
  #cause: string | null = null;

  constructor(copiesLater = true) {
    this.#copiesLater = copiesLater;
  }

  annotate(cause: string): this {
    this.#cause = cause;
    return this.look();
  }

  /** Its controller has copied a cause that was not yet observed on the Deployment. */
  copy(cause: string): this {
    const newest = this.#world.observe(incarnation.createdAt).target?.id;
    if (newest != null) this.#copies.set(newest, cause);
    return this.look();
  }

  deploy(template: string, cause = this.#cause): this {
    this.#cause = cause;
    this.#world.apply({ kind: 'deploy', template });
    return this.look();
  }

  /** Its status names the revision before for one more look, and the creation of the new one is in whole seconds. */
  deployUnreported(template: string, cause: string): this {
    const { target } = this.#world.observe(incarnation.createdAt);
    this.#cause = cause;
    this.#world.apply({ kind: 'deploy', template });
    this.#roundsDown.add(this.#world.observe(incarnation.createdAt).activations.length);
    return this.look({ target });
  }

  pass(looks: number): this {
    for (let look = 0; look < looks; look += 1) {
      this.#world.apply({ kind: 'step' });
      this.look();
    }
    return this;
  }

  look(changed: Partial<Observation> = {}): this {
    const observed = this.#world.observe(incarnation.createdAt);
    const activations = observed.activations.map((each, index) => ({
      ...each,
      from: this.#roundsDown.has(index + 1) ? secondsBefore(each.from, 15) : each.from,
    }));
    const seen = { ...observed, activations, ...changed };
    const newest = seen.target?.id;
    const isCopied = newest != null && (this.#copiesLater || !this.#copies.has(newest));
    if (isCopied && this.#cause !== null) this.#copies.set(newest, this.#cause);
    const revisions = seen.revisions.map((each) => {
      const copied = this.#copies.get(each.id);
      const changeCause = copied === undefined ? null : masked(copied);
      return { ...each, changeCause, cause: changeCause };
    });
    const workloadCause = this.#cause === null ? null : masked(this.#cause);
    this.kept.observe({ ...seen, revisions, workloadCause } satisfies Observation);
    return this;
  }

  get causes(): (string | null)[] {
    return this.kept.recordList.map(({ cause }) => cause);
  }

  get ofRevisions(): (string | null)[] {
    return [...this.kept.revisions.values()].map(({ changeCause }) => changeCause);
  }
}

test('a cause in the write of the template, or in the middle of the rollout, belongs to that rollout', () => {
  const play = new AnnotatedWorkload()
    .deploy('a', 'first')
    .pass(9)
    .deploy('b', 'second')
    .pass(3)
    .deploy('c')
    .pass(2);
  expect(play.annotate('third').pass(2).causes).toEqual(['first', 'second', 'third']);
});

test('a cause in the write of the template belongs to its rollout, though the controller reports the target later', () => {
  const play = new AnnotatedWorkload().deploy('a', 'first').pass(9).deployUnreported('b', 'second').look();
  expect(play.causes).toEqual(['first', 'second']);
  expect(play.deploy('c', 'third').pass(9).causes).toEqual(['first', 'second', 'third']);
});

test('a cause between two changes belongs to the nearer one, even while the first rollout is in progress', () => {
  const begun = () => new AnnotatedWorkload().deploy('a').pass(9).deploy('b');
  const next = begun().pass(3).annotate('to c').pass(1).deploy('c').pass(9);
  expect(next.causes).toEqual([null, null, 'to c']);
  expect(next.ofRevisions).toEqual([null, null, 'to c']);
  const before = begun().annotate('to b').pass(2).deploy('c').pass(9);
  expect(before.causes).toEqual([null, 'to b', null]);
});

test('an open rollout takes no cause from its revision, which may have that of the next rollout before its workload has', () => {
  const play = new AnnotatedWorkload().deploy('a', 'first').pass(9).deploy('b', 'second').pass(3);
  expect(play.copy('to c').annotate('to c').deploy('c').pass(9).causes).toEqual(['first', 'second', 'to c']);
});

test('a cause that its revision never gets replaces the one that came with the template', () => {
  const play = new AnnotatedWorkload(false).deploy('a', 'first').pass(9).deploy('b', 'second').pass(3);
  expect(play.annotate('better said').pass(9).causes).toEqual(['first', 'better said']);
});

test('a cause written shortly before a change belongs to that change, and to no earlier revision', () => {
  const play = new AnnotatedWorkload().pass(9).annotate('to b').pass(1).deploy('b').pass(9);
  expect(play.causes).toEqual([null, 'to b']);
  expect(play.ofRevisions).toEqual([null, 'to b']);
  play.annotate('to c').deploy('c').pass(9);
  expect(play.causes).toEqual([null, 'to b', 'to c']);
  expect(play.ofRevisions).toEqual([null, 'to b', 'to c']);
});

test('a cause that no change follows belongs to the rollout before', () => {
  const play = new AnnotatedWorkload().pass(9).deploy('b').pass(9).annotate('late').pass(1);
  expect(play.causes).toEqual([null, null]);
  expect(play.pass(3).causes).toEqual([null, 'late']);
  expect(play.deploy('c').pass(9).causes).toEqual([null, 'late', null]);
});

test('a cause given after the end of a rollout is still its cause, and the first one stays', () => {
  const play = new AnnotatedWorkload().deploy('a').pass(9).deploy('b').pass(9);
  expect(play.annotate('Promotion of the week').pass(9).causes).toEqual([null, 'Promotion of the week']);
  expect(play.annotate('Another one').pass(9).causes).toEqual([null, 'Promotion of the week']);
});

test('a revision observed with the cause of the next rollout before its workload has it does not keep that cause', () => {
  const play = new AnnotatedWorkload().deploy('a').pass(9).deploy('b').pass(9);
  expect(play.copy('to c').causes).toEqual([null, null]);
  expect(play.annotate('to c').deploy('c').pass(9).causes).toEqual([null, null, 'to c']);
});

test('a rollback takes neither the old cause of its target nor that of the revision it leaves', () => {
  const play = new AnnotatedWorkload().deploy('a', 'first').pass(9).deploy('b', 'second').pass(9);
  expect(play.deploy('a', 'first').pass(9).causes).toEqual(['first', 'second', null]);
  const left = new AnnotatedWorkload().deploy('a', 'first').pass(9).deploy('b', 'second').pass(9);
  expect(left.deploy('a').pass(9).causes).toEqual(['first', 'second', null]);
});
