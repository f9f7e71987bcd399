// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { at, pod, rollout, step } from '@/components/rollouts/testing/fixtures';
import { placeActions } from '@/components/rollouts/rollout-choices';
import { groupPodsByStep, groupStablePods } from '@/components/rollouts/rollout-pod-groups';
import { RolloutHead } from '@/components/rollouts/rollout-head';
import { recordOf, RolloutStart } from '@/components/rollouts/rollout-head';
import { describeRolloutState } from '@/components/rollouts/rollout-sentence';
import { filtersOf } from '@/components/rollouts/rollouts';
import { StepDots } from '@/components/rollouts/step-dots';
import { StepTrack } from '@/components/rollouts/step-track';
import type { RolloutDetail, RolloutItem } from '@/lib/api/rollouts';
import type { PodItem } from '@/lib/api/pods';
import type { StepState } from '@/lib/api/rollout-values';

vi.mock('next/navigation', () => import('@/test/router'));

afterEach(cleanup);

test.each<[string, Partial<RolloutItem>]>([
  [
    'Waiting for approval at step 2 of 3. 5 of 10 pods run revision 2, all ready; it receives 50% of traffic. Next: step 3, +5 pods.',
    {},
  ],
  [
    'Waiting for approval at step 2 of 3. 5 canary pods (revision 2) and 10 stable pods, 3 ready; the canary receives 50% of traffic. Next: step 3, +5 pods.',
    { style: 'canary', replicas: { desired: 10, updated: 5, ready: 3 } },
  ],
  [
    'Waiting for approval at step 2 of 3. 5 of 10 pods run revision 2, all ready; it receives 50% of traffic. Next: step 3, +5 pods.',
    { style: 'canary', replacesPods: true },
  ],
  [
    'Waiting for approval. Preview (rev 2): 10 pods, all ready, no traffic. Active (rev 1): 10 pods.',
    {
      ...{ style: 'blueGreen', replicas: { desired: 10, updated: 10, ready: 10 } },
      ...{ step: { index: 1, total: 1, state: 'waiting', next: null } },
      steps: [
        {
          ...step(1, 'waiting', 10),
          traffic: { planned: null, actual: { kind: 'weight', percent: 0 }, evidence: null },
        },
      ],
    },
  ],
  [
    'Paused in step 2 of 3. Nothing goes on. 5 of 10 pods run revision 2, all ready; it receives 50% of traffic.',
    { state: 'paused', message: 'Paused in step 2 of 3: nothing goes on.' },
  ],
  [
    'Completed. All 3 steps are done. 10 of 10 pods run revision 2, all ready.',
    {
      ...{
        state: 'completed',
        message: 'All 3 steps are done.',
        replicas: { desired: 10, updated: 10, ready: 10 },
      },
      step: { index: 3, total: 3, state: 'done', next: null },
    },
  ],
  [
    'No rollout yet.',
    {
      ...{ state: 'idle', message: 'No rollout yet.' },
      step: { index: 0, total: 3, state: null, next: null },
    },
  ],
])('says: %s', (sentence, given) => {
  const steps = given.state === 'completed' ? [step(1, 'done', 2), step(2, 'done', 5)] : rollout().steps;
  const { lead, rest } = describeRolloutState(rollout({ steps, ...given }));
  expect([lead, rest].filter((part) => part !== '').join(' ')).toBe(sentence);
});

test('draws four different pictures before the first step, in the middle, at the last and after it', () => {
  const pictures: [Partial<RolloutItem>, StepState[]][] = [
    [
      { state: 'starting', step: { index: 0, total: 3, state: null, next: null } },
      ['planned', 'planned', 'planned'],
    ],
    [{}, ['done', 'waiting', 'planned']],
    [{ step: { index: 3, total: 3, state: 'waiting', next: null } }, ['done', 'done', 'waiting']],
    [
      { state: 'completed', step: { index: 3, total: 3, state: 'done', next: null } },
      ['done', 'done', 'done'],
    ],
  ];
  const drawn = pictures.map(([given, states]) => {
    const steps = states.map((state, index) => step(index + 1, state, [2, 5, 10][index] ?? 0));
    const shown = rollout({ ...given, steps });
    const { container, unmount } = render(
      <>
        <StepTrack rollout={shown} chosen={null} />
        <StepDots rollout={shown} />
      </>,
    );
    const words = [...container.querySelectorAll('li')].map(
      (card) =>
        `${card.getAttribute('aria-current') ?? ''}${/(?<=Step \d)[A-Z][a-z]+/.exec(card.textContent ?? '')?.[0]}`,
    );
    const label = screen.getByRole('img').getAttribute('aria-label');
    unmount();
    return [...words, label];
  });
  expect(drawn).toEqual([
    ['Next', 'Pending', 'Pending', 'Step 0 of 3: 1 pending, 2 pending, 3 pending'],
    ['Done', 'stepWaiting', 'Next', 'Step 2 of 3: 1 done, 2 waiting, 3 pending'],
    ['Done', 'Done', 'stepWaiting', 'Step 3 of 3: 1 done, 2 done, 3 waiting'],
    ['Done', 'Done', 'Done', 'Step 3 of 3: 1 done, 2 done, 3 done'],
  ]);
});

test('shows the pods of a step on a press, and all pods on a second one', async () => {
  const onChoose = vi.fn();
  const { rerender } = render(<StepTrack rollout={rollout()} chosen={null} onChoose={onChoose} />);
  await userEvent.click(screen.getByRole('button', { name: /^Step 2 ?Waiting/ }));
  rerender(<StepTrack rollout={rollout()} chosen={2} onChoose={onChoose} />);
  await userEvent.click(screen.getByRole('button', { pressed: true }));
  expect(onChoose.mock.calls).toEqual([[2], [null]]);
});

test('groups pods by the step that created them, and those of unknown step apart', () => {
  const groups = groupPodsByStep(rollout({ unassignedPods: [pod('z')], unassignedPodCount: 3 }));
  expect(
    groups.map(({ title, pods, count, ready }) => [title, pods.map(({ name }) => name), count, ready]),
  ).toEqual([
    ['Step 2', ['d', 'c', 'e'], 3, 2],
    ['Step 1', ['a', 'b'], 2, 2],
    ['Not assigned to a step', ['z'], 3, 3],
  ]);
});

test('treats as stable the pods of neither the new revision nor a step', () => {
  const all = [
    { ...pod('a'), revisionId: null },
    { ...pod('new'), revisionId: 'two' },
    { ...pod('old'), revisionId: 'one' },
  ] as unknown as PodItem[];
  expect(groupStablePods(rollout(), all).flatMap(({ pods }) => pods.map(({ name }) => name))).toEqual([
    'old',
  ]);
});

test('offers the primary action that fits the state', () => {
  const main = (given: Partial<RolloutItem>) => placeActions(rollout(given)).main;
  expect([
    main({}),
    main({ paused: true, state: 'paused' }),
    main({ disabled: true, state: 'disabled' }),
    main({ state: 'completed' }),
    main({ state: 'missing' }),
    main({ state: 'rollingBack' }),
    main({ state: 'terminating' }),
  ]).toEqual(['approve', 'resume', 'enable', null, null, null, null]);
});

test('requests a group of states as the states that it holds', () => {
  const filters = filtersOf({ namespace: 'shop', state: 'settled' });
  expect(filters).toEqual({ namespace: 'shop', state: 'idle,completed,rolledBack,disabled' });
});

const mark = { id: 'm', outcome: null, startedAt: at, endedAt: null, cause: null };
const writer = { manager: 'argocd-controller', operation: 'Update', time: at };

test.each<[string, RolloutDetail['record'], Partial<RolloutItem['run']>]>([
  [
    'by maja.lind via Shiplog',
    { ...mark, actor: { name: 'maja.lind', source: 'shiplog', manager: null } },
    { writer },
  ],
  ['Argo CD (field manager)', null, { writer }],
  ['Argo CD (field manager)', { ...mark, outcome: 'completed', actor: null }, { writer }],
  ['author unknown', { ...mark, actor: null }, {}],
])('who began it, and what says so: %s', (words, record, run) => {
  const held = rollout({ run: { ...rollout().run, ...run } });
  render(<RolloutStart rollout={held} record={recordOf(held, record)} />);
  expect(document.body.textContent).toContain(words);
});

test('links a rollout to its record, also once completed, and never to the previous one', () => {
  const record = { ...mark, actor: null };
  const head = (state: RolloutItem['state'], outcome: NonNullable<RolloutDetail['record']>['outcome']) => (
    <RolloutHead
      rollout={rollout({ state })}
      record={{ ...record, outcome }}
      choices={[]}
      onAction={vi.fn()}
    />
  );
  const link = () => screen.queryByRole('link', { name: 'Record' })?.getAttribute('href');
  const { rerender } = render(head('completed', 'completed'));
  expect(link()).toBe('/records/m');
  rerender(head('waiting', null));
  expect(link()).toBe('/records/m');
  rerender(head('waiting', 'completed'));
  expect(link()).toBeUndefined();
});
