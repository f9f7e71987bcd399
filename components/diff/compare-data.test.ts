import { expect, it } from 'vitest';
import { fieldName, fieldPath, groupChanges, sortForReading } from '@/components/diff/group-changes';
import { diffToMarkdown } from '@/components/diff/markdown';
import { findRevision, findRollbackTarget, parseSide, sideOf, stepSidePair } from '@/components/diff/sides';
import type { ChangeItem, Diff } from '@/lib/api/diff';
import type { RevisionItem } from '@/lib/api/revisions';
import { sampleChange, sampleDiff, sampleRevision } from '@/test/samples';

function diff(changes: ChangeItem[]): Diff {
  const side = (label: string) => ({ label, ref: label, revisionId: null, number: null });
  return sampleDiff({ changes, from: side('41'), to: side('42') });
}

function revision(number: number, partial: Partial<RevisionItem> = {}): RevisionItem {
  const own = { id: `id-${number}`, name: `rs-${number}`, images: [], activations: [], summary: null };
  return sampleRevision(number, { ...own, createdAt: '2026-09-17T12:00:00Z', ...partial });
}
const history = [revision(43, { target: true }), revision(42), revision(41)];

it('groups by container, the pod last, and shows every change once', () => {
  const changes = [
    sampleChange({ container: null, containerKind: null, concern: 'volumes' }),
    sampleChange({ concern: 'resources' }),
    sampleChange({ concern: 'image' }),
    sampleChange({ container: 'sidecar' }),
  ];
  const groups = groupChanges(changes);
  expect(groups.map((group) => group.container)).toEqual(['app', 'sidecar', null]);
  expect(groups[0]?.concerns.map((group) => group.concern)).toEqual(['image', 'resources']);
  expect(new Set(sortForReading(changes))).toEqual(new Set(changes));
  expect(sortForReading(changes)).toHaveLength(changes.length);
});

it('shortens a path to its familiar form', () => {
  expect(fieldPath('spec.containers[app].env[A].value')).toBe('app.env[A].value');
  expect(fieldPath('spec.initContainers[wait-db]')).toBe('initContainers[wait-db]');
  expect(fieldPath('spec.volumes[flags].configMap.name')).toBe('volumes[flags].configMap.name');
  expect(fieldName({ label: 'env LOG_LEVEL', concern: 'env' })).toBe('LOG_LEVEL');
  expect(fieldName({ label: 'image', concern: 'image' })).toBe('image');
});

it('leaves values from the cluster literal in Markdown and within their cell', () => {
  const evil = '`x` | [link](javascript:alert(1))\n# heading <img src=x>';
  const text = diffToMarkdown(
    diff([
      sampleChange({
        label: 'env <b>|',
        beforeText: evil,
        afterText: null,
        risk: { code: 'r', reason: 'a|b' },
      }),
    ]),
    { namespace: 'shop', name: 'checkout' },
    'http://localhost/x',
  );
  const row = text.split('\n').find((line) => line.startsWith('| ~')) ?? '';
  expect(row.replaceAll('\\|', '').split('|')).toHaveLength(7);
  expect(row).toContain('`` `x` \\| [link](javascript:alert(1)) ⏎ # heading <img src=x> ``');
  expect(row).toContain('env \\<b\\>\\|');
  expect(row).toContain('not set');
});

it('describes reverts in Markdown, of a change and of the whole comparison', () => {
  const rollout = { id: 'r41', number: 41, cause: 'OOM | kills', actor: null, at: null };
  const echo = {
    ...{ kind: 'reverts' as const, rollout, deed: 'raised' as const, repeats: null },
    sentence: 'Reverts revision 41, which raised it for “OOM | kills”',
  };
  const text = diffToMarkdown(
    {
      ...diff([sampleChange({ echo, risk: { code: 'r', reason: 'lowered' } })]),
      reverts: { rollout, others: 0, sentence: 'Reverts revision 41 (“OOM | kills”)' },
    },
    { namespace: 'shop', name: 'checkout' },
    'http://localhost/x',
  );
  expect(text).toContain('\n\nReverts revision 41 (“OOM \\| kills”).\n\n');
  expect(text).toContain('| ⚠ lowered; Reverts revision 41, which raised it for “OOM \\| kills” |');
});

it('finds a revision by id, and by number only where the number is unique', () => {
  expect(findRevision(history, 'id-42')?.number).toBe(42);
  expect(findRevision(history, '42')?.id).toBe('id-42');
  expect(findRevision([...history, revision(42, { id: 'twin' })], '42')).toBeUndefined();
});

it('steps through the history and stops at its ends', () => {
  expect(stepSidePair(history, { from: 'id-42', to: 'live' }, 1)).toEqual({ from: 'id-41', to: 'id-42' });
  expect(stepSidePair(history, { from: 'id-41', to: 'id-42' }, -1)).toEqual({ from: 'id-42', to: 'id-43' });
  expect(stepSidePair(history, { from: 'id-41', to: 'id-42' }, 1)).toBeNull();
  expect(stepSidePair(history, { from: 'id-42', to: 'pod:x' }, 1)).toBeNull();
});

it('offers a rollback to the side that is not the target, and none where both are', () => {
  expect(findRollbackTarget(history, { from: 'id-42', to: 'live' })?.number).toBe(42);
  expect(findRollbackTarget(history, { from: 'live', to: 'id-41' })?.number).toBe(41);
  expect(findRollbackTarget(history, { from: 'id-43', to: 'live' })).toBeNull();
});

it('reads a side of another cluster, and leaves it out of the history of this one', () => {
  expect(parseSide('staging:live')).toEqual({ cluster: 'staging', kind: 'live' });
  expect(parseSide('staging:pod:cart-1')).toEqual({ cluster: 'staging', kind: 'pod', pod: 'cart-1' });
  expect(parseSide('pod:cart-1')).toEqual({ cluster: null, kind: 'pod', pod: 'cart-1' });
  expect(sideOf('staging', '41')).toBe('staging:41');
  const revisions = [sampleRevision(5, { target: true }), sampleRevision(4)];
  expect(findRollbackTarget(revisions, { from: 'staging:4', to: 'live' })).toBeNull();
  expect(stepSidePair(revisions, { from: '4', to: 'staging:live' }, 1)).toBeNull();
});
