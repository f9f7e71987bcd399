import { expect, test } from 'vitest';
import { diffTemplates } from '@/lib/diff/testing/diff-templates';
import type { Json } from '@/lib/kube/json';
import { recordedData } from '@/lib/kube/recorded-data';

const pods = (image: string, cpu: Json) => ({
  spec: { containers: [{ name: 'app', image, resources: { limits: { cpu } } }] },
});

function describeDiff(before: Json, after: Json) {
  const { changes, summary, noise, explanation } = diffTemplates(recordedData(before), recordedData(after));
  const lines = changes.map(({ container, concern, label, beforeText, afterText }) =>
    [container, concern, label, beforeText, '→', afterText].filter((word) => word !== null).join(' '),
  );
  return { lines, summary, noise: noise.map(({ reason }) => reason), explanation };
}

test('pod templates in recorded data are described as pod templates, by their purpose', () => {
  const of = (image: string, cpu: Json) => ({
    spec: {
      roles: [
        { $patch: 'replace' },
        { name: 'prefill', template: pods(`llm:${image}`, cpu) },
        { name: 'decode', template: pods('llm:1', '1') },
      ],
    },
  });
  expect(describeDiff(of('1', '1'), of('2', '500m'))).toMatchObject({
    lines: ['prefill/app image image llm:1 → llm:2', 'prefill/app resources cpu limit 1 → 500m'],
    summary: 'prefill/app image 1 → 2; prefill/app cpu limit 1 → 500m',
  });
  expect(
    describeDiff({ spec: { template: pods('a:1', 1) } }, { spec: { template: pods('a:2', 1) } }).summary,
  ).toBe('image 1 → 2');
});

test('unknown members are described by their own names', () => {
  const before = {
    resource: { count: 2 },
    inference: { preset: { name: 'phi' }, adapters: [{ name: 'x', weight: 1 }] },
  };
  const after = {
    resource: { count: 3 },
    inference: { preset: { name: 'phi' }, adapters: [{ name: 'x', weight: 2 }] },
    tuning: {},
  };
  expect(describeDiff(before, after).lines).toEqual([
    'other resource count 2 → 3',
    'other adapter x weight 1 → 2',
  ]);
});

test('values that mean the same are no change, and are listed as noise', () => {
  const before = { spec: { maxUnavailable: '1', pools: [], resources: { limits: { cpu: '1000m' } } } };
  const after = { spec: { maxUnavailable: 1, resources: { limits: { cpu: 1 } }, note: null } };
  const { lines, noise, explanation } = describeDiff(before, after);
  expect(lines).toEqual([]);
  expect(noise).toEqual([
    'maxUnavailable 1 = 1',
    'empty pools is the same as none',
    'cpu 1000m = 1',
    'empty note is the same as none',
  ]);
  expect(explanation).toMatch(/How its controller compares templates is unknown\.$/);
});

test('patch directives, and the object that wraps a bare list, do not belong to what is recorded', () => {
  const roles = [{ name: 'a', image: '1' }];
  expect(describeDiff({ data: [{ $patch: 'replace' }, ...roles] }, roles)).toMatchObject({
    lines: [],
    noise: [],
  });
});
