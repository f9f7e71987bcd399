import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partsOf, spansOf } from '@/lib/timeline/span';
import { activation } from '@/lib/timeline/testing/timeline-samples';

const at = (minute: number) => new Date(Date.UTC(2026, 8, 17, 12, minute)).toISOString();
const ms = (minute: number) => Date.parse(at(minute));
const now = ms(59);

test('a known start and end do not change', () => {
  const [first, second] = spansOf(
    [
      { id: 'a', createdAt: at(0), activations: [activation(1, { from: at(0), to: at(10) })] },
      { id: 'b', createdAt: at(10), activations: [activation(2, { from: at(10), open: true })] },
    ],
    now,
  );
  expect(first?.span).toEqual({ startMin: ms(0), startMax: ms(0), endMin: ms(10), endMax: ms(10) });
  expect(second?.span).toEqual({ startMin: ms(10), startMax: ms(10), endMin: now, endMax: now });
});

test('the second activation of a reused revision never begins at its creation', () => {
  const spans = spansOf(
    [
      {
        id: 'a',
        createdAt: at(0),
        activations: [
          activation(1, { from: at(0), to: at(10) }),
          activation(3, { fromNotBefore: at(10), fromNotAfter: at(40), open: true }),
        ],
      },
      { id: 'b', createdAt: at(10), activations: [activation(2, { from: at(10) })] },
    ],
    now,
  );
  expect(spans.map(({ number, revisionId }) => `${revisionId}${number}`)).toEqual(['a1', 'b2', 'a3']);
  expect(spans[2]?.span).toMatchObject({ startMin: ms(10), startMax: ms(40) });
  expect(spans[1]?.span).toMatchObject({ endMin: ms(10), endMax: ms(40) });
});

test('before a missing number the end may have come at any time', () => {
  const [first] = spansOf(
    [
      { id: 'a', createdAt: at(0), activations: [activation(1, { from: at(0) })] },
      { id: 'c', createdAt: at(30), activations: [activation(3, { from: at(30), open: true })] },
    ],
    now,
  );
  expect(first?.span).toMatchObject({ endMin: ms(0), endMax: ms(30) });
  expect(first && partsOf(first.span)).toEqual([{ certain: false, fromMs: ms(0), toMs: ms(30) }]);
});

test('a target without any known time is unknown up to now', () => {
  const [only] = spansOf([{ id: 'a', createdAt: at(5), activations: [activation(9, { open: true })] }], now);
  expect(only && partsOf(only.span)).toEqual([{ certain: false, fromMs: ms(5), toMs: now }]);
});

describe('partsOf', () => {
  test('covers the span without a gap or an overlap, and marks only the inner part as certain', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 4, maxLength: 4 }), (times) => {
        const [a = 0, b = 0, c = 0, d = 0] = times;
        const span = {
          startMin: Math.min(a, b),
          startMax: Math.max(a, b),
          endMin: Math.max(Math.min(a, b), Math.min(c, d)),
          endMax: Math.max(a, b, c, d),
        };
        const parts = partsOf(span);
        parts.reduce((end, part) => {
          expect(part.fromMs).toBe(end);
          if (part.certain) {
            expect(part.fromMs).toBeGreaterThanOrEqual(span.startMax);
            expect(part.toMs).toBeLessThanOrEqual(span.endMin);
          }
          return part.toMs;
        }, span.startMin);
        if (parts.length > 0) expect(parts.at(-1)?.toMs).toBe(span.endMax);
      }),
    );
  });
});
