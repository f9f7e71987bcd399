// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { rollout } from '@/components/rollouts/testing/fixtures';
import { listChoices } from '@/components/rollouts/rollout-choices';
import { RolloutHead } from '@/components/rollouts/rollout-head';
import { useRolloutKeys } from '@/components/rollouts/use-rollout-keys';
import { useKeyHints } from '@/components/ui/shortcuts';
import type { RolloutItem } from '@/lib/api/rollouts';
import { rolloutActionNames } from '@/lib/api/action-values';
import { push } from '@/test/router';

vi.mock('next/navigation', () => import('@/test/router'));

afterEach(() => {
  cleanup();
  push.mockClear();
});

const over = 'The rollout is finished.';
const own = 'Roll back CloneSet cart instead: its own pod template decides.';
const toWorkload = '/workloads/clonesets.apps.kruise.io/shop/cart?rollback=default';

/** A rollout whose only action is the rollback of its workload. */
function ended(given: Partial<RolloutItem> = {}): RolloutItem {
  const refused = { allowed: false, consequence: null, steps: null };
  return rollout({
    state: 'failed',
    message: 'Failed in batch 1 of 3: the metric error-rate is 7.4.',
    actions: [
      { ...refused, name: 'approve', reason: over },
      { ...refused, name: 'pause', reason: over },
      { ...refused, name: 'rollback', reason: own, instead: 'workload' },
    ],
    ...given,
  });
}

function Page({ of, onAction }: { of: RolloutItem; onAction: (action: string) => void }) {
  const choices = listChoices(of, null);
  useRolloutKeys(of, { others: [], step: null, onStep: vi.fn(), choices, onAction });
  return (
    <>
      <RolloutHead rollout={of} record={null} choices={choices} onAction={onAction} />
      <Hints />
    </>
  );
}

function Hints() {
  return useKeyHints().map(({ combos, label }) => (
    <i key={label} data-hint={combos.join(' ')}>
      {label}
    </i>
  ));
}

test('links a failed rollout to the rollback of its workload where that is the remedy', () => {
  render(<Page of={ended()} onAction={vi.fn()} />);
  const link = screen.getByRole('link', { name: 'Roll back CloneSet cart…' });
  expect(link.getAttribute('href')).toBe(toWorkload);
  expect(screen.queryByRole('button', { name: /^Approve|^Pause/ })).toBeNull();
  fireEvent.keyDown(document.body, { key: 'x' });
  expect(push.mock.calls).toEqual([[toWorkload]]);
});

test('shows the reason of every disabled button, each once', () => {
  render(<Page of={ended({ state: 'waiting' })} onAction={vi.fn()} />);
  const [reason, ...others] = screen.getAllByRole('listitem');
  expect(reason?.textContent).toBe(`Approve step 2 and Pause: ${over}`);
  expect(others).toEqual([]);
});

test.each<[string, Partial<RolloutItem>]>([
  ['that waits', {}],
  ['that is paused', { paused: true, state: 'paused' }],
  ['that was aborted', { state: 'failed' }],
  ['without an abort', { actions: rollout().actions.filter(({ name }) => name !== 'abort') }],
])('of a rollout %s, a key does what the button that carries it does', (_, given) => {
  const onAction = vi.fn();
  const of = rollout(given);
  const choices = listChoices(of, null);
  render(<Page of={of} onAction={onAction} />);
  const keyed = choices.filter(({ key }) => key !== undefined);
  for (const { action, key = '', label } of keyed) {
    onAction.mockClear();
    fireEvent.keyDown(document.body, { key });
    if (choices.find(({ action: at }) => at === action)?.place !== 'more')
      fireEvent.click(screen.getByRole('button', { name: `${label}…` }));
    expect(new Set(onAction.mock.calls.flat())).toEqual(new Set([action]));
  }
  for (const { key, legend } of keyed)
    expect(document.querySelector(`[data-hint="${key}"]`)?.textContent).toBe(legend);
});

test('no two choices of a state share a key', () => {
  for (const [state, paused] of [
    ['waiting', false],
    ['paused', true],
    ['failed', false],
    ['failed', true],
    ['rollingBack', false],
  ] as const) {
    const actions = rollout().actions.filter(({ name }) => name !== (paused ? 'pause' : 'resume'));
    const keys = listChoices(rollout({ state, paused, actions }), null).flatMap(({ key }) => key ?? []);
    expect(keys).toEqual([...new Set(keys)]);
  }
});

test('offers after an abort first to align the spec with what is live, then a retry', () => {
  const choices = listChoices(rollout({ state: 'failed', message: 'Aborted: revision 1 serves.' }), null);
  expect(choices.slice(0, 2).map(({ place, label }) => [place, label])).toEqual([
    ['main', 'Roll back to rev 1'],
    ['beside', 'Retry'],
  ]);
});

test('does not call a revision without a name unknown', () => {
  const { revisions } = rollout();
  const labels = listChoices(rollout({ revisions: { ...revisions, stable: null } }), null).map(
    ({ label }) => label,
  );
  expect(labels).toContain('Roll back');
  expect(labels.join()).not.toContain('unknown');
  expect(labels.length).toBeLessThanOrEqual(rolloutActionNames.length);
});
