import { describe, expect, test } from 'vitest';
import { versionOf, versionsOf } from '@/lib/view/image-name';
import { momentOf, formatDurationRange, formatMoment } from '@/lib/format/moment';
import { isController, toolOf } from '@/lib/view/tool';

test.each([
  ['kubectl-client-side-apply', 'kubectl'],
  ['argocd-controller', 'Argo CD'],
  ['helm-controller', 'Flux'],
  ['Helm', 'Helm'],
  ['my-own-tool', 'my-own-tool'],
])('%s is formatted with %s', (manager, tool) => {
  expect(toolOf(manager)).toBe(tool);
});

test('a name of any length stays short', () => {
  expect(toolOf('x'.repeat(500))).toHaveLength(40);
  expect(versionOf([{ image: '?'.repeat(500) }])).toHaveLength(80);
});

test('the controller that records revisions is not shown as their author', () => {
  expect(isController('kube-controller-manager')).toBe(true);
});

test('a revision is named by its first image', () => {
  expect(versionOf([{ image: 'a:1.2' }, { image: 'b:9' }])).toBe('1.2');
  expect(versionOf([{ image: 'nginx' }])).toBe('nginx');
  expect(versionOf([])).toBe('');
});

test('revisions that differ in another image than the first are named by that one too', () => {
  const group = (leader: string, worker: string) => ({
    images: [{ image: `vllm:${leader}` }, { image: 'proxy:7' }, { image: `worker:${worker}` }],
  });
  expect(versionsOf([group('1.0', '2.1'), group('1.0', '2.2'), group('1.1', '2.2')])).toEqual([
    '1.0, 2.1',
    '1.0, 2.2',
    '1.1, 2.2',
  ]);
  expect(versionsOf([group('1.0', '2.1'), group('1.1', '2.2')])).toEqual(['1.0', '1.1']);
  expect(versionsOf([group('1.0', '2.1'), group('1.0', '2.1')])).toEqual(['1.0', '1.0']);
  expect(versionsOf([{ images: [] }])).toEqual(['']);
});

test('revisions that differ by digest alone are named by tag and digest, others by their tags', () => {
  const pinned = (tag: string, digest: string) => ({
    images: [{ image: `app:${tag}@sha256:${digest.repeat(8)}` }],
  });
  expect(versionsOf([pinned('stable', 'aaaa1111'), pinned('stable', 'bbbb2222')])).toEqual([
    'stable@aaaa1111',
    'stable@bbbb2222',
  ]);
  expect(versionsOf([pinned('1.0', 'aaaa1111'), pinned('1.1', 'bbbb2222')])).toEqual(['1.0', '1.1']);
  expect(versionOf(pinned('stable', 'aaaa1111').images)).toBe('stable@aaaa1111');
});

describe('a time', () => {
  const frame = { nowMs: Date.parse('2026-09-17T12:32:00Z'), timeZone: 'UTC' };
  test.each([
    ['2026-09-17T12:06:00Z', null, null, '12:06'],
    [null, '2026-08-29T01:00:00Z', '2026-08-31T01:00:00Z', '29–31 Aug'],
    [null, null, '2026-09-17T12:06:00Z', 'by 12:06'],
    [null, '2026-09-07T12:06:00Z', null, 'after 7 Sep, 12:06'],
    [null, null, null, 'unknown'],
  ])('known as %s, between %s and %s, reads "%s"', (at, notBefore, notAfter, text) => {
    expect(formatMoment(momentOf(at, notBefore, notAfter), frame)).toBe(text);
  });
});

test.each([
  [1, 1, '6 d 4 h'],
  [0, 1, 'up to 6 d'],
  [0.5, 1, '3 to 6 d'],
  [0.001, 1, '8 min to 6 d'],
])('a duration between %s and %s of 148 hours reads "%s"', (min, max, text) => {
  expect(formatDurationRange(min * 148 * 3_600_000, max * 148 * 3_600_000)).toBe(text);
});
