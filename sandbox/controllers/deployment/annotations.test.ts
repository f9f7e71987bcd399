import { describe, expect, test } from 'vitest';
import {
  newestAnnotations,
  restoredAnnotations,
  REVISION,
  REVISION_HISTORY,
  revisionOf,
} from '@/sandbox/controllers/deployment/annotations';
import { deployment } from '@/sandbox/controllers/testing/objects';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const source = deployment({}, { cause: 'new', [LAST_APPLIED]: '{}', [REVISION]: '3' });

describe('annotations of the newest ReplicaSet', () => {
  test('are those of the Deployment except its bookkeeping; removed ones stay', () => {
    expect(newestAnnotations({ cause: 'old', gone: '1' }, source, 1)).toEqual({
      cause: 'new',
      gone: '1',
      [REVISION]: '1',
    });
  });

  test('record every former number of the ReplicaSet', () => {
    const first = newestAnnotations({ [REVISION]: '1' }, deployment(), 3);
    expect(first).toEqual({ [REVISION]: '3', [REVISION_HISTORY]: '1' });
    expect(newestAnnotations(first, deployment(), 10)).toEqual({
      [REVISION]: '10',
      [REVISION_HISTORY]: '1,3',
    });
  });

  test('keep a number that is higher than the desired one, and do not change where it is no number', () => {
    expect(newestAnnotations({ [REVISION]: '9' }, deployment(), 4)).toEqual({ [REVISION]: '9' });
    expect(newestAnnotations({ [REVISION]: 'nine' }, source, 4)).toEqual({ [REVISION]: 'nine' });
  });

  test('drop the oldest numbers when the list gets too long', () => {
    const numbers = Array.from({ length: 600 }, (_, index) => String(index + 100));
    const long = { [REVISION]: '700', [REVISION_HISTORY]: numbers.join(',').slice(0, 1999) };
    const history = newestAnnotations(long, deployment(), 701)[REVISION_HISTORY] ?? '';
    expect(history.length).toBeLessThanOrEqual(2000);
    expect(history).toMatch(/^101,.*,700$/);
  });
});

test('are restored from the ReplicaSet by a rollback, except the bookkeeping', () => {
  const present = { cause: 'new', team: 'a', [LAST_APPLIED]: '{}', [REVISION]: '3' };
  const restored = restoredAnnotations(present, { cause: 'old', [REVISION]: '1', [REVISION_HISTORY]: '0' });
  expect(restored).toEqual({ cause: 'old', [LAST_APPLIED]: '{}', [REVISION]: '3' });
});

test.each([
  [undefined, 0],
  [{ [REVISION]: '12' }, 12],
  [{ [REVISION]: 'abc' }, undefined],
])('the revision of %j is %s', (annotations, number) => {
  expect(revisionOf(annotations)).toBe(number);
});
