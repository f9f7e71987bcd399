import { beforeAll, expect, test } from 'vitest';
import { type KubeObject } from '@/lib/kube/object';
import { numberAt, objectsAt, textAt } from '@/lib/kube/read';
import { ARGO } from '@/sandbox/seed/fleet/argo';
import { FLAGGER } from '@/sandbox/seed/fleet/flagger';
import { playedObjects } from '@/sandbox/seed/testing/saved-objects';

const END = Date.parse('2026-11-20T12:00:00Z');

let objects: KubeObject[];

beforeAll(async () => {
  objects = await playedObjects([...ARGO, ...FLAGGER], END);
}, 60_000);

const of = (kind: string, prefix: string) =>
  objects.filter((object) => object.kind === kind && object.metadata.name.startsWith(prefix));

function history(name: string): string[] {
  const note = ({ metadata }: KubeObject, key: string) =>
    metadata.annotations?.[`rollout.argoproj.io/${key}`] ?? '';
  return of('ReplicaSet', `${name}-`)
    .toSorted((a, b) => Number(note(a, 'revision')) - Number(note(b, 'revision')))
    .map((set) => {
      const [container] = objectsAt(set.spec, 'template', 'spec', 'containers');
      const tag = textAt(container, 'image')?.split(':')[1] ?? '';
      return `${note(set, 'revision')} ${tag}*${numberAt(set.spec, 'replicas')} ${set.metadata.annotations?.['kubernetes.io/change-cause']?.split(':')[0]}`;
    });
}

test('a canary waits at its first step after a month, with one rolled back attempt', () => {
  const [rollout] = of('Rollout', 'price-engine');
  expect(rollout?.status).toMatchObject({ phase: 'Paused', message: 'CanaryPauseStep', currentStepIndex: 1 });
  expect(history('price-engine')).toEqual([
    '1 7.0.0*0 Price engine 7.0.0',
    '2 7.1.0*0 Price engine 7.1.0',
    '4 7.3.0*0 Price engine 7.3.0',
    // The kubectl plugin leaves the change cause of what it rolls back.
    '5 7.2.0*0 Price engine 7.3.0',
    '6 7.3.1*4 Price engine 7.3.1',
    '7 7.4.0*1 Price engine 7.4.0',
  ]);
  const runs = of('AnalysisRun', 'price-engine').map(({ status }) => textAt(status, 'phase'));
  expect(new Set(runs)).toEqual(new Set(['Successful']));
});

test('a blue-green waits for its promotion, with all new pods next to the old ones', () => {
  const [rollout] = of('Rollout', 'payouts');
  expect(rollout?.status).toMatchObject({ phase: 'Paused', message: 'BlueGreenPause' });
  expect(history('payouts').map((line) => line.split(' ')[1])).toEqual([
    '2.1.0*0',
    '2.2.0*0',
    '2.3.0*0',
    '2.3.1*3',
    '2.4.0*3',
  ]);
});

test('a rollout of Flagger waits for an approval that only its webhook can give', () => {
  expect(of('Canary', 'spellcheck').map(({ status }) => textAt(status, 'phase'))).toEqual([
    'WaitingPromotion',
  ]);
  const [primary] = of('Deployment', 'spellcheck-primary');
  expect(textAt(objectsAt(primary?.spec, 'template', 'spec', 'containers')[0], 'image')).toMatch(/:1\.5\.0$/);
});
