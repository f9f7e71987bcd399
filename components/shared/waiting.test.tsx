// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { type QueryAnswer, Waiting } from '@/components/shared/waiting';
import { AppError } from '@/lib/errors';

afterEach(cleanup);

interface Pods {
  items: readonly string[];
  partial: readonly { resource: string; reason: string }[];
}

const empty: Pods = { items: [], partial: [] };
const failure = new AppError('timeout', 'The API server did not answer in time.');

function show(answer: QueryAnswer<Pods>): string {
  const { container, unmount } = render(
    <Waiting
      answer={answer}
      loading={<p>Loading pods</p>}
      onRetry={vi.fn()}
      title="The pods could not be loaded"
      missing="Without pods."
      none={({ items }) => items.length === 0 && <p>No pods.</p>}
    >
      {({ items }) => <p>Pods: {items.join(' ')}</p>}
    </Waiting>,
  );
  const text = container.textContent;
  unmount();
  return text;
}

test('says “none” of an empty answer alone, whatever fails before or after it', () => {
  const answers = fc.record({
    data: fc.option(
      fc.record({ items: fc.array(fc.constantFrom('a', 'b')), partial: fc.constant([] as const) }),
      {
        nil: undefined,
      },
    ),
    error: fc.option(fc.constant(failure)),
  });
  fc.assert(
    fc.property(answers, (answer) => {
      const text = show(answer);
      expect(text.includes('No pods.')).toBe(answer.data?.items.length === 0);
      expect(text.includes('Pods:')).toBe((answer.data?.items.length ?? 0) > 0);
      expect(text.includes('Loading pods')).toBe(answer.data === undefined && answer.error === null);
      expect(text.includes(failure.message)).toBe(answer.error !== null);
    }),
  );
});

test('names what failed, and says of an older answer that there is no newer one', () => {
  expect(show({ data: undefined, error: failure })).toContain('The pods could not be loaded');
  const stale = show({ data: empty, error: failure });
  expect(stale).toContain(
    'Could not refresh; showing the last result. The API server did not answer in time.Try againNo pods.',
  );
  expect(stale).not.toContain('could not be loaded');
});

test('names the parts that could not be read above what there is', () => {
  const partial = [{ resource: 'pods', reason: 'Listing answered 403.' }];
  expect(show({ data: { items: ['a'], partial }, error: null })).toBe(
    'Without pods. Listing answered 403.Pods: a',
  );
});

test('offers to try again where no answer came', () => {
  render(
    <Waiting answer={{ data: undefined, error: failure }} loading={null} onRetry={vi.fn()}>
      {() => null}
    </Waiting>,
  );
  expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined();
});
