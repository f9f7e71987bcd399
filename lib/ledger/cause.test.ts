import { expect, test } from 'vitest';
import { type Observation } from '@/lib/ledger/observation';
import { Kept } from '@/lib/ledger/testing/kept';
import { life, type Rules, World } from '@/lib/ledger/testing/world';

const rules: Rules = { keepsNumbers: true, historyLimit: 10, pods: 3 };

/**
 * A workload that its annotation is written to, by looks of ten seconds. Its controller copies the annotation to what it makes
 * of a template; that of a Deployment also to the newest ReplicaSet, whenever it is written.
 */
class Annotated {
  readonly kept = new Kept();
  readonly #world = new World(rules);
  readonly #copies = new Map<string, string>();
  readonly #copiesLater: boolean;
  #cause: string | null = null;

  constructor(copiesLater = true) {
    this.#copiesLater = copiesLater;
  }

  annotate(cause: string): this {
    this.#cause = cause;
    return this.look();
  }

  /** Its controller has copied a cause that nothing has told of the Deployment yet. */
  copy(cause: string): this {
    const newest = this.#world.look(life.createdAt).target?.id;
    if (newest != null) this.#copies.set(newest, cause);
    return this.look();
  }

  deploy(template: string, cause = this.#cause): this {
    this.#cause = cause;
    this.#world.do({ kind: 'deploy', template });
    return this.look();
  }

  pass(looks: number): this {
    for (let look = 0; look < looks; look += 1) {
      this.#world.do({ kind: 'step' });
      this.look();
    }
    return this;
  }

  look(): this {
    const seen = this.#world.look(life.createdAt);
    const newest = seen.target?.id;
    const isCopied = newest != null && (this.#copiesLater || !this.#copies.has(newest));
    if (isCopied && this.#cause !== null) this.#copies.set(newest, this.#cause);
    const revisions = seen.revisions.map((each) => {
      const changeCause = this.#copies.get(each.id) ?? null;
      return { ...each, changeCause, cause: changeCause };
    });
    const borneCause = { raw: this.#cause, text: this.#cause };
    this.kept.see({ ...seen, revisions, borneCause } satisfies Observation);
    return this;
  }

  get causes(): (string | null)[] {
    return this.kept.list.map(({ cause }) => cause);
  }

  get ofRevisions(): (string | null)[] {
    return [...this.kept.revisions.values()].map(({ changeCause }) => changeCause);
  }
}

test('a cause in the write of the template, or in the middle of the rollout, is that of the rollout', () => {
  const play = new Annotated().deploy('a', 'first').pass(9).deploy('b', 'second').pass(3).deploy('c').pass(2);
  expect(play.annotate('third').pass(2).causes).toEqual(['first', 'second', 'third']);
});

test('a cause between two changes is of the nearer one, though the first rollout still goes on', () => {
  const begun = () => new Annotated().deploy('a').pass(9).deploy('b');
  const next = begun().pass(3).annotate('to c').pass(1).deploy('c').pass(9);
  expect(next.causes).toEqual([null, null, 'to c']);
  expect(next.ofRevisions).toEqual([null, null, 'to c']);
  const before = begun().annotate('to b').pass(2).deploy('c').pass(9);
  expect(before.causes).toEqual([null, 'to b', null]);
});

test('an open rollout takes nothing from its revision, which may have the cause of the next one before its workload', () => {
  const play = new Annotated().deploy('a', 'first').pass(9).deploy('b', 'second').pass(3);
  expect(play.copy('to c').annotate('to c').deploy('c').pass(9).causes).toEqual(['first', 'second', 'to c']);
});

test('a cause that its revision never gets replaces the one that came with the template', () => {
  const play = new Annotated(false).deploy('a', 'first').pass(9).deploy('b', 'second').pass(3);
  expect(play.annotate('better said').pass(9).causes).toEqual(['first', 'better said']);
});

test('a cause that comes shortly before the change is of that, and of no revision before', () => {
  const play = new Annotated().pass(9).annotate('to b').pass(1).deploy('b').pass(9);
  expect(play.causes).toEqual([null, 'to b']);
  expect(play.ofRevisions).toEqual([null, 'to b']);
  play.annotate('to c').deploy('c').pass(9);
  expect(play.causes).toEqual([null, 'to b', 'to c']);
  expect(play.ofRevisions).toEqual([null, 'to b', 'to c']);
});

test('a cause that no change follows is that of the rollout before', () => {
  const play = new Annotated().pass(9).deploy('b').pass(9).annotate('late').pass(1);
  expect(play.causes).toEqual([null, null]);
  expect(play.pass(3).causes).toEqual([null, 'late']);
  expect(play.deploy('c').pass(9).causes).toEqual([null, 'late', null]);
});

test('a cause that is given once the rollout is over is still its cause, and the first one stays', () => {
  const play = new Annotated().deploy('a').pass(9).deploy('b').pass(9);
  expect(play.annotate('Promotion of the week').pass(9).causes).toEqual([null, 'Promotion of the week']);
  expect(play.annotate('Another one').pass(9).causes).toEqual([null, 'Promotion of the week']);
});

test('a revision that is seen with the cause of the next rollout before its workload is keeps none of it', () => {
  const play = new Annotated().deploy('a').pass(9).deploy('b').pass(9);
  expect(play.copy('to c').causes).toEqual([null, null]);
  expect(play.annotate('to c').deploy('c').pass(9).causes).toEqual([null, null, 'to c']);
});

test('a return does not take the old cause of what it returns to, nor that of what it leaves', () => {
  const play = new Annotated().deploy('a', 'first').pass(9).deploy('b', 'second').pass(9);
  expect(play.deploy('a', 'first').pass(9).causes).toEqual(['first', 'second', null]);
  const left = new Annotated().deploy('a', 'first').pass(9).deploy('b', 'second').pass(9);
  expect(left.deploy('a').pass(9).causes).toEqual(['first', 'second', null]);
});
