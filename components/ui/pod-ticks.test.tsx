// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { describePods, PodFigures, type PodTickGroup, PodTicks } from '@/components/ui/pod-ticks';

afterEach(cleanup);

const rolling: PodTickGroup[] = [
  { revision: 43, target: true, pods: 6, ready: 0 },
  { revision: 42, target: false, pods: 9, ready: 9 },
];

test('has the content of the ticks in its accessible name', () => {
  render(<PodTicks groups={rolling} stuck />);
  const picture = screen.getByRole('img', {
    name: 'revision 43, the target: 0 of 6 ready; revision 42: 9 of 9 ready',
  });
  expect(picture.title).toBe(picture.getAttribute('aria-label'));
});

test.each([
  [[], 'No pods'],
  [[{ revision: 7, target: true, pods: 0, ready: 0 }], 'No pods'],
  [[{ revision: null, target: false, pods: 2, ready: 1 }], 'unknown revision: 1 of 2 ready'],
])('%j reads %s', (groups, words) => expect(describePods(groups)).toBe(words));

test('shows ready pods in figures only where some are not ready', () => {
  const { container } = render(<PodFigures groups={rolling} />);
  expect(container.textContent.replaceAll('\u2009', '')).toBe('43×0/642×9');
});

test('draws each pod up to 16, and a bar in proportion above', () => {
  const group = fc
    .record({ pods: fc.integer({ min: 1, max: 40 }), part: fc.double({ min: 0, max: 1, noNaN: true }) })
    .map(({ pods, part }) => ({ revision: 1, target: true, pods, ready: Math.floor(pods * part) }));
  fc.assert(
    fc.property(fc.array(group, { minLength: 1, maxLength: 4 }), (groups) => {
      const { container, unmount } = render(<PodTicks groups={groups} />);
      const total = groups.reduce((sum, { pods }) => sum + pods, 0);
      const drawn = [...container.querySelectorAll('path')].flatMap(
        (path) => path.getAttribute('d')?.match(/M/g) ?? [],
      );
      const shares = [...container.querySelectorAll<HTMLElement>('[style]')].map((part) =>
        Number(part.style.flexGrow),
      );
      if (total <= 16) expect(drawn).toHaveLength(total);
      else expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
      unmount();
    }),
    { numRuns: 30 },
  );
});
