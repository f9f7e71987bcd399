import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffTemplates } from '@/lib/diff/testing/diff-templates';
import { normalizeTemplate, semanticText } from '@/lib/diff/normalize';
import type { JsonObject } from '@/lib/kube/json';
import { describeRelatedChange } from '@/lib/records/related-change-text';
import { type RelatedChange, findRelatedChanges, type EarlierRollout } from '@/lib/records/related-changes';
import type { RelatedRollout } from '@/lib/api/diff';
import { fingerprintOf, fingerprintsBetween } from '@/lib/records/change-fingerprint';

const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

interface Shape {
  image?: string;
  memory?: string;
  env?: Record<string, string>;
  order?: readonly string[];
  restartedAt?: string;
  period?: number;
}

function template({ image = 'cart:1', memory, env = {}, order, restartedAt, period }: Shape): JsonObject {
  const names = order ?? Object.keys(env).sort();
  return {
    metadata: { annotations: restartedAt === undefined ? {} : { [RESTARTED_AT]: restartedAt } },
    spec: {
      containers: [
        {
          name: 'app',
          image,
          env: names.map((name) => ({ name, value: env[name] ?? 'x' })),
          resources: memory === undefined ? {} : { limits: { memory } },
          ...(period !== undefined && { livenessProbe: { tcpSocket: { port: 80 }, periodSeconds: period } }),
        },
      ],
    },
  };
}

function rollout(number: number, cause: string | null = `reason ${number}`): RelatedRollout {
  return { id: `r${number}`, number, cause, actor: null, at: null };
}

/** What each step of a history changed; the first template has number 1. */
function rolloutsOf(templates: readonly JsonObject[]): EarlierRollout[] {
  return templates.slice(1).map((after, index) => ({
    rollout: rollout(index + 2),
    fingerprints: fingerprintsBetween(normalizeTemplate(templates[index] ?? {}), normalizeTemplate(after)),
  }));
}

/** Related changes of the step from the last shape but one to the last, by label. */
function relatedChangesOf(...shapes: Shape[]): Record<string, RelatedChange | null> {
  const templates = shapes.map(template);
  const after = templates.pop() ?? {};
  const { changes } = diffTemplates(templates.at(-1) ?? {}, after);
  const echoes = findRelatedChanges(changes, rolloutsOf(templates));
  return Object.fromEntries(changes.map(({ label }, index) => [label, echoes[index] ?? null]));
}

const memories = (...texts: string[]) => texts.map((memory) => ({ memory }));

describe('a change', () => {
  it('reverts the rollout that made the opposite one, by value and not by spelling', () => {
    const { 'memory limit': echo } = relatedChangesOf(...memories('768Mi', '1Gi', '805306368'));
    expect(echo).toEqual({ kind: 'reverts', rollout: rollout(2), deed: 'raised', repeats: null });
  });

  it('reverts it whatever else has changed since', () => {
    const { 'memory limit': echo } = relatedChangesOf(
      { memory: '768Mi' },
      { memory: '1Gi' },
      { memory: '1Gi', image: 'cart:2' },
      { memory: '1Gi', image: 'cart:3', env: { A: '1' } },
      { memory: '768Mi', image: 'cart:3' },
    );
    expect(echo).toMatchObject({ kind: 'reverts', rollout: { number: 2 } });
  });

  it('that is repeated names the rollout that made it first and the one that reverted it', () => {
    expect(relatedChangesOf(...memories('512Mi', '768Mi', '512Mi', '768Mi'))['memory limit']).toEqual({
      kind: 'reverts',
      rollout: rollout(3),
      deed: 'lowered',
      repeats: rollout(2),
    });
    const images = ['cart:1', 'cart:2', 'cart:1', 'cart:3', 'cart:2'].map((image) => ({ image }));
    expect(relatedChangesOf(...images).image).toEqual({
      kind: 'repeats',
      rollout: rollout(2),
      deed: 'changed',
      revertedBy: rollout(3),
    });
  });

  it('counters the rollout that set an amount when it changes the amount in the other direction, by any difference', () => {
    const countered = {
      kind: 'counters',
      rollout: rollout(3),
      deed: 'raised',
      before: '512Mi',
      after: '1Gi',
    };
    expect(relatedChangesOf(...memories('768Mi', '512Mi', '1Gi', '768Mi'))['memory limit']).toEqual(
      countered,
    );
    expect(relatedChangesOf(...memories('768Mi', '512Mi', '1Gi', '256Mi'))['memory limit']).toEqual(
      countered,
    );
    expect(relatedChangesOf(...memories('768Mi', '512Mi', '1Gi', '2Gi'))['memory limit']).toBeNull();
    expect(relatedChangesOf({ period: 5 }, { period: 20 }, { period: 10 })['liveness period']).toMatchObject({
      kind: 'counters',
      deed: 'raised',
    });
  });

  it('counters the removal of what it adds in another form', () => {
    const { 'env A': echo } = relatedChangesOf({ env: { A: '1' } }, {}, { env: { A: '2' } });
    expect(echo).toMatchObject({ kind: 'counters', rollout: { number: 2 }, deed: 'removed' });
  });

  it('to an earlier value with others in between returns to the state before the rollout that replaced it', () => {
    const images = ['cart:1', 'cart:2', 'cart:3', 'cart:1'].map((image) => ({ image }));
    expect(relatedChangesOf(...images).image).toEqual({
      kind: 'returns',
      rollout: rollout(2),
      deed: 'changed',
    });
  });

  it('of the order of a list reverts the rollout that moved its entries', () => {
    const order = (...names: string[]) => ({ order: names });
    const echoes = relatedChangesOf(order('A', 'B', 'C'), order('C', 'A', 'B'), order('A', 'B', 'C'));
    expect(Object.values(echoes)).toEqual([
      { kind: 'reverts', rollout: rollout(2), deed: 'moved', repeats: null },
    ]);
  });

  it('that is new, or only a restart, has no related change', () => {
    expect(relatedChangesOf({ image: 'cart:1' }, { image: 'cart:2' }, { image: 'cart:3' })).toEqual({
      image: null,
    });
    const restarts = ['a', 'b', 'a'].map((restartedAt) => ({ restartedAt }));
    expect(Object.values(relatedChangesOf(...restarts))).toEqual([null]);
  });

  it('relates only to its own place, whatever names occur there', () => {
    const odd = 'A].value';
    const echoes = relatedChangesOf(
      { env: { A: '1', [odd]: '1' } },
      { env: { A: '1', [odd]: '2' } },
      { env: { A: '2', [odd]: '1' } },
    );
    expect(echoes['env A']).toBeNull();
    expect(echoes[`env ${odd}`]).toMatchObject({ kind: 'reverts' });
  });
});

const shape: fc.Arbitrary<Shape> = fc.record({
  image: fc.constantFrom('cart:1', 'cart:2', 'cart:3'),
  memory: fc.constantFrom('512Mi', '0.5Gi', '1Gi', '2Gi'),
  env: fc.dictionary(
    fc.constantFrom('A', 'B', '__proto__', 'A].value', 'x y'),
    fc.constantFrom('1', '2', ''),
    {
      maxKeys: 4,
      noNullPrototype: true,
    },
  ),
  order: fc.option(fc.shuffledSubarray(['A', 'B', 'C', 'D'], { minLength: 2 }), { nil: undefined }),
  period: fc.option(fc.constantFrom(5, 10, 20), { nil: undefined }),
  restartedAt: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
});
const history = fc.array(shape.map(template), { minLength: 2, maxLength: 7 });

describe('in any history', () => {
  it('the inverse of the last rollout reverts that one in every change', () => {
    fc.assert(
      fc.property(history, (templates) => {
        const [before, after] = [templates.at(-2) ?? {}, templates.at(-1) ?? {}];
        const { changes } = diffTemplates(after, before);
        const echoes = findRelatedChanges(changes, rolloutsOf(templates));
        changes.forEach((change, index) => {
          if (fingerprintOf(change) === null) expect(echoes[index]).toBeNull();
          else
            expect(echoes[index]).toMatchObject({ kind: 'reverts', rollout: { number: templates.length } });
        });
      }),
    );
  });

  it('only earlier rollouts are named, the same ones each time, and a sentence describes them', () => {
    fc.assert(
      fc.property(history, shape.map(template), (templates, next) => {
        const { changes } = diffTemplates(templates.at(-1) ?? {}, next);
        const earlier = rolloutsOf(templates);
        const echoes = findRelatedChanges(changes, earlier);
        expect(echoes).toHaveLength(changes.length);
        expect(findRelatedChanges(changes, structuredClone(earlier))).toEqual(echoes);
        const known = new Set(earlier.map((past) => past.rollout));
        for (const echo of echoes) {
          if (echo === null) continue;
          const named = [
            echo.rollout,
            ...(echo.kind === 'reverts' && echo.repeats !== null ? [echo.repeats] : []),
            ...(echo.kind === 'repeats' ? [echo.revertedBy] : []),
          ];
          expect(named.every((one) => known.has(one))).toBe(true);
          for (const { number } of named) expect(describeRelatedChange(echo)).toContain(`evision ${number}`);
        }
      }),
    );
  });

  it('one change has the same related change whatever else changes with it', () => {
    fc.assert(
      fc.property(history, shape.map(template), (templates, next) => {
        const { changes } = diffTemplates(templates.at(-1) ?? {}, next);
        const earlier = rolloutsOf(templates);
        const together = findRelatedChanges(changes, earlier);
        const alone = new Set(changes.map(({ place }) => place)).size === changes.length;
        if (alone)
          expect(changes.flatMap((change) => findRelatedChanges([change], earlier))).toEqual(together);
      }),
    );
  });

  it('a value that an earlier template had always has a related change', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('1', '2', '3', '4'), { minLength: 3, maxLength: 9 }), (tags) => {
        const templates = tags.map((tag) => template({ image: `cart:${tag}` }));
        const last = templates.pop() ?? {};
        const { changes } = diffTemplates(templates.at(-1) ?? {}, last);
        const isBack = templates.some((one) => semanticText(one) === semanticText(last));
        for (const echo of findRelatedChanges(changes, rolloutsOf(templates)))
          expect(echo !== null).toBe(isBack);
      }),
    );
  });

  it('the stored fingerprints of two templates are those of their diff', () => {
    fc.assert(
      fc.property(shape.map(template), shape.map(template), (before, after) => {
        const { changes } = diffTemplates(before, after);
        const told = [...new Set(changes.flatMap((change) => fingerprintOf(change) ?? []))];
        const kept = fingerprintsBetween(normalizeTemplate(before), normalizeTemplate(after));
        expect(kept).toHaveLength(told.length);
        expect(kept).toEqual(expect.arrayContaining(told));
      }),
    );
  });

  it('no change has no related change', () => {
    fc.assert(
      fc.property(history, (templates) => {
        const last = templates.at(-1) ?? {};
        expect(
          findRelatedChanges(diffTemplates(last, structuredClone(last)).changes, rolloutsOf(templates)),
        ).toEqual([]);
      }),
    );
  });
});
