import { expect, test } from 'vitest';
import { parseImage } from '@/lib/kube/image';
import { marksOf, ownersOf } from '@/sandbox/seed/owners';
import { argo, flux, helmController } from '@/sandbox/seed/story';
import { FLEET } from '@/sandbox/seed/fleet/fleet';
import { msOf, seedWritesOf } from '@/sandbox/seed/seed-writes';

const END = Date.parse('2026-11-20T12:00:00Z');
const MONTH_MS = msOf('30d');

test('the fleet has more than fifty workloads of eight kinds in six namespaces', () => {
  expect(FLEET.length).toBeGreaterThan(50);
  expect(new Set(FLEET.map(({ app }) => app.namespace)).size).toBe(6);
  expect(new Set(FLEET.map(({ kind }) => kind)).size).toBe(8);
  const names = FLEET.map(({ app }) => `${app.namespace}/${app.name}`);
  expect(new Set(names).size).toBe(names.length);
});

test.each(FLEET.map((seed) => [seed.app.name, seed] as const))(
  'the history of %s runs forward, within a month, with images that a registry could hold',
  (_, seed) => {
    const writes = seedWritesOf(seed, END);
    const times = writes.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(END - MONTH_MS);
    expect(Math.max(...times)).toBeLessThan(END);
    const images = JSON.stringify(writes).match(/registry\.example\.com[^"]*/g) ?? [];
    expect(images.filter((image) => parseImage(image)?.tag === undefined)).toEqual([]);
  },
);

test('a rollback restores the template and the change cause of the version that it names', () => {
  const seed = FLEET.find(({ app }) => app.name === 'query-api');
  const writes = seed === undefined ? [] : seedWritesOf(seed, END);
  const [good, bad, undone] = writes
    .slice(-3)
    .map((write) => (write.do === 'patch' ? write.patch : undefined));
  expect(undone?.spec).toEqual(good?.spec);
  expect(undone?.spec).not.toEqual(bad?.spec);
  expect(undone?.metadata).toEqual({
    annotations: { 'kubernetes.io/change-cause': 'Double the query cache' },
  });
});

test('every workload of Argo CD and Flux names an owner that exists', () => {
  const owners = JSON.stringify(ownersOf(FLEET));
  const deployed = FLEET.filter(({ by }) => [argo, flux, helmController].includes(by));
  expect(deployed.length).toBeGreaterThan(15);
  for (const seed of deployed) {
    const { annotations, labels = {} } = marksOf(seed, { apiVersion: 'apps/v1', kind: 'Deployment' });
    const name = annotations?.['argocd.argoproj.io/tracking-id']?.split(':')[0];
    expect(owners).toContain(`"${name ?? Object.values(labels)[0] ?? 'no owner'}"`);
  }
});

test('times before the end are parsed with their units', () => {
  expect(msOf('1d2h3m4s')).toBe(93_784_000);
  expect(() => msOf('1 day')).toThrow(RangeError);
});
