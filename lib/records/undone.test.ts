import { expect, test } from 'vitest';
import { FakeArchive } from '@/lib/records/testing/fake-archive';
import { incarnation, SimulatedWorkload } from '@/lib/records/testing/simulated-workload';
import { masked } from '@/test/masked';

const options = { keepsNumbers: true, historyLimit: 10, pods: 3 };

/** What the records say when these managers write these templates, each while the pods of the one before still start. */
function endsOf(...deployments: readonly (readonly [manager: string, template: string])[]) {
  const archive = new FakeArchive();
  const workload = new SimulatedWorkload(options);
  const times = new Map<string, string>();
  const observe = () =>
    archive.observe({
      ...workload.observe(incarnation.createdAt),
      writes: [...times].map(([manager, time]) => ({
        manager: masked(manager),
        time,
        isShiplog: manager === 'shiplog',
      })),
    });
  for (const [manager, template] of deployments) {
    workload.apply({ kind: 'deploy', template });
    times.set(manager, workload.now);
    observe();
    workload.apply({ kind: 'step' });
    observe();
  }
  return archive.recordList.slice(2).map(({ outcome, undoneBy }) => undoneBy ?? outcome);
}

const argo = 'argocd-controller';

test.each([
  ['of a rollback through Shiplog', 'shiplog'],
  ['of a change with kubectl', 'kubectl-set'],
])('the record %s ends as undone by the owner that puts the template before back', (_, byHand) => {
  expect(endsOf([argo, 'b'], [byHand, 'a'], [argo, 'b'])).toEqual([argo, null]);
});

test.each([
  ['its owner has another template', [argo, 'c'], 'superseded'],
  ['its owner writes an older template', [argo, 'z'], 'rolledBack'],
  ['a person puts the template before back', ['kubectl-edit', 'b'], 'rolledBack'],
  ['a person runs helm', ['helm', 'b'], 'rolledBack'],
] as const)('nothing is undone where %s', (_, next, outcome) => {
  expect(endsOf([argo, 'z'], [argo, 'b'], ['kubectl-set', 'a'], next).slice(1)).toEqual([outcome, null]);
});

test('a revert of a commit undoes nothing: the owner follows its source', () => {
  expect(endsOf([argo, 'b'], [argo, 'c'], [argo, 'b'])).toEqual(['rolledBack', null]);
});
