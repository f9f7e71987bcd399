import { expect, test } from 'vitest';
import { groupAttempts } from '@/components/activity/group-attempts';
import { sampleActivityItem } from '@/components/activity/testing/sample-activity-item';
import type { ActivityItem } from '@/lib/api/activity';

const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 9, minute)).toISOString();

function idsOf(...pages: ActivityItem[][]) {
  return groupAttempts(pages.map((items) => ({ items }))).map(({ items }) =>
    items.map(({ id, attempts }) => [id, ...attempts.map((attempt) => attempt.id)].join(' ')),
  );
}

test('puts rejected attempts under the action that followed, across pages', () => {
  const pages = [
    [
      sampleActivityItem({ id: 'done', startedAt: at(30) }),
      sampleActivityItem({ id: 'other', name: 'pay', startedAt: at(29), state: 'refused' }),
      sampleActivityItem({ id: 'second', startedAt: at(28), state: 'refused' }),
    ],
    [sampleActivityItem({ id: 'first', startedAt: at(27), state: 'refused' })],
  ];
  expect(idsOf(...pages)).toEqual([['done second first', 'other'], []]);
});

test('leaves an attempt alone that nothing followed, or that another person, kind or hour separates', () => {
  const done = sampleActivityItem({ id: 'done', startedAt: at(59) });
  const refused = (change: Partial<ActivityItem>) =>
    sampleActivityItem({ id: 'attempt', startedAt: at(50), state: 'refused', ...change });
  for (const change of [
    { actor: 'ben' },
    { action: 'restart' as const },
    { namespace: 'staging' },
    { startedAt: at(-2) },
  ])
    expect(idsOf([done, refused(change)])).toEqual([['done', 'attempt']]);
  expect(idsOf([refused({ startedAt: at(58) }), { ...done, startedAt: at(50) }])).toEqual([
    ['attempt', 'done'],
  ]);
});

test('gives an attempt to the nearest later action', () => {
  const items = [
    sampleActivityItem({ id: 'b', startedAt: at(40) }),
    sampleActivityItem({ id: 'a', startedAt: at(30), state: 'failed' }),
    sampleActivityItem({ id: 'attempt', startedAt: at(29), state: 'refused' }),
  ];
  expect(idsOf(items)).toEqual([['b', 'a attempt']]);
});
