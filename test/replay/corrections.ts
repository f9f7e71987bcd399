import { adopted } from '@/test/replay/corrections/adopted';
import { laterPods, noPods } from '@/test/replay/corrections/no-pods';
import { records } from '@/test/replay/corrections/records';
import { restarts } from '@/test/replay/corrections/restarts';
import { rowsOfStreams } from '@/test/replay/corrections/rows';
import { states } from '@/test/replay/corrections/states';
import { stormService } from '@/test/replay/corrections/storm-service';
import { unreadTemplate } from '@/test/replay/corrections/unread-template';
import { secondsAt } from '@/test/replay/facts/facts';
import type { Correction, Row, RowScene } from '@/test/replay/judge';

/** Of a record, before and after: each abort is a period without progress, up to the retry or the end. */
const spansWithAborts = new Map([
  ['held approval 32-37', 'held approval 32-37, stuck failed 36-36'],
  ['held approval 31-37', 'held approval 31-36, stuck failed 36-36'],
  ['held approval 1886410-1888200', 'held approval 1886410-1888200, stuck failed 1888200-1888200'],
  ['held approval 12-18', 'held approval 12-18, stuck failed 17-17'],
  ['held approval 12-18, held approval 23-', 'held approval 12-18, stuck failed 17-23, held approval 23-'],
  [
    'held approval 12-18, held approval 23-28, held approval 30-',
    'held approval 12-18, stuck failed 17-23, held approval 23-28, held approval 30-',
  ],
  [
    'held approval 12-18, held approval 23-28, held approval 30-35',
    'held approval 12-18, stuck failed 17-23, held approval 23-28, held approval 30-35, stuck failed 34-34',
  ],
]);

/** Records of promoted rollouts, with the second in which Argo wrote that the revision is stable. */
const promotions: Readonly<Record<string, string>> = {
  'argo/19-blue-green argo-19/pay 2': '11',
  'argo/27-blue-green-scale-down-delay a-bgwindow/guest 2': '15',
  'argo/27-blue-green-scale-down-delay a-bgwindow/guest 3': '35',
  'argo/27-blue-green-scale-down-delay a-bgwindow/guest 4': '39',
};

/** When a promoted rollout that is not told as completed was over: not before its step was observed to be. */
function promotedAt({ input, of, facts }: Row): string | undefined {
  const { steps = '', outcome } = facts ?? {};
  const promoted = promotions[`${input} ${of.replace('record rollouts.argoproj.io ', '')}`];
  if (promoted === undefined || outcome === 'completed' || steps === '' || steps.includes('running')) return;
  return /\d*$/.exec(steps)?.[0] || promoted;
}

/** The steps of stream 37, before and after; `removed`: pods that the first one replaced. */
function stepsOfShare(removed: number): [string, string][] {
  const five = `partition 1 completed 2 of 5 got 2 for ${removed} 6-7`;
  const ten = `${five}, partition 2 completed 4 of 10 got 2 for 0 16-16`;
  const four = `${ten}, partition 3 completed 1 of 4 got 0 for 3 24-24`;
  const held = `partition 1 completed 1 of 4 got 4 for ${removed + 3} 6-7`;
  const [paused, done] = ['running 4 of 4 got 0 for 0 33-', 'completed 4 of 4 got 3 for 3 33-36'];
  return [
    [ten, `partition 1 completed 4 of 10 got 4 for ${removed} 6-7`],
    [four, held],
    [`${four}, partition 4 ${paused}`, `${held}, partition 2 ${paused}`],
    [`${four}, partition 4 ${done}`, `${held}, partition 2 ${done}`],
  ];
}
const share = 'kruise/37-percent-partition-and-scale';
const sharedSteps = new Map([...stepsOfShare(2), ...stepsOfShare(0)]);

/** Of a record, before and after: each wait is a period of its own. */
const separateWaits = new Map([
  ['held 8-16, held 16-24, held resume 24-', 'held 8-16, held 16-24, held 24-33, held resume 33-'],
  ['held 8-16, held 16-24, held resume 24-37', 'held 8-16, held 16-24, held 24-33, held resume 33-37'],
  ['held 15-16, held resume 16-', 'held 15-16, held 16-33, held resume 33-'],
  ['held 15-16, held resume 16-37', 'held 15-16, held 16-33, held resume 33-37'],
  ['held 29-', 'held approval 29-33, held 33-'],
  ['held 29-47', 'held approval 29-33, held 33-47'],
]);

const secondsOf = ({ nowMs, startMs }: RowScene) => secondsAt(new Date(nowMs).toISOString(), startMs);

function isAhead({ facts }: Row, scene: () => RowScene): boolean {
  const since = facts?.since ?? '';
  return since !== '' && Number(since) > Number(secondsOf(scene()));
}

/** What the golden files say wrong. They are never written again: README.md. */
export const corrections: readonly Correction[] = [
  restarts,
  adopted,
  ...states,
  noPods,
  laterPods,
  stormService,
  ...records,
  unreadTemplate,
  {
    name: 'what is observed does not begin in the future',
    source: 'a state is observed after it began: a later time is that of a clock that is ahead',
    rows: rowsOfStreams({ 'applications.core.oam.dev': [12, 7, 12, 6, 6, 9, 8, 7] }),
    applies: (row, scene) => isAhead(row, scene),
    right: (_, __, scene) => ({ since: secondsOf(scene()) }),
  },
  {
    name: 'an abort stays in the record',
    source:
      'argo/25-abort-retry-new-image: aborted at 17 s and at 34 s, retried at 23 s; argo/19-blue-green: at 36 s',
    rows: { 'argo/19-blue-green': 1, 'argo/25-abort-retry-new-image': 4, 'sandbox/month': 1 },
    applies: ({ of, facts }) =>
      of.startsWith('record rollouts.argoproj.io ') && spansWithAborts.has(facts?.spans ?? ''),
    right: (facts) => ({ spans: spansWithAborts.get(facts?.spans ?? '') ?? null }),
  },
  {
    name: 'a promoted rollout is complete while former pods wait for their scale-down',
    source:
      'argo/27-blue-green-scale-down-delay, argo/19-blue-green: phase Healthy, condition Completed=True',
    rows: {
      'argo/19-blue-green': 1,
      'argo/27-blue-green-scale-down-delay': 5,
      'late argo/27-blue-green-scale-down-delay': 4,
    },
    applies: (row) => promotedAt(row) !== undefined,
    right: (facts, row) => ({
      outcome: 'completed',
      ended: promotedAt(row) ?? null,
      progressive: facts?.progressive?.replace(/ blueGreen \w+;/, ' blueGreen completed;') ?? null,
    }),
  },
  {
    name: 'a partition in percent is one step, however the workload is scaled',
    source: `${share}: the partition moves once, from 60% to 0`,
    rows: { [share]: 4 },
    applies: ({ input, of, facts }) =>
      input === share && of.startsWith('record ') && sharedSteps.has(facts?.steps ?? ''),
    right: (facts) => ({ steps: sharedSteps.get(facts?.steps ?? '') ?? null }),
  },
  {
    name: 'what a rollout waited for is kept when it waits for something else',
    source: `${share}: paused from 33 s on; rollouts/17-disable-enable: disabled at 33 s while it waits for approval`,
    rows: { [share]: 2, 'rollouts/17-disable-enable': 2 },
    applies: ({ input, of, facts }) =>
      (input === share || input === 'rollouts/17-disable-enable') &&
      of.startsWith('record ') &&
      separateWaits.has(facts?.spans ?? ''),
    right: (facts) => ({ spans: separateWaits.get(facts?.spans ?? '') ?? null }),
  },
  {
    name: 'a rollout after an abort begins at the revision that serves',
    source: 'argo/25-abort-retry-new-image: stableRS is revision 1 throughout, 2 was aborted',
    rows: { 'argo/25-abort-retry-new-image': 2 },
    applies: ({ input, of, facts }) =>
      input === 'argo/25-abort-retry-new-image' && of.startsWith('record ') && facts?.change === '2 → 3',
    right: () => ({ change: '1 → 3', others: null }),
  },
];
