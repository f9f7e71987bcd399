import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { matchesSelector, parseLabelSelector, parseSelector } from '@/lib/kube/selector';

const matches = (selector: string, labels: Record<string, string>) =>
  matchesSelector(parseSelector(selector), labels);

describe('a selector as kubectl -l parses it', () => {
  test.each([
    ['', {}, true],
    [' \t', { a: 'b' }, true],
    ['a=b', { a: 'b' }, true],
    ['a==b', { a: 'c' }, false],
    [' a = b , c != d ', { a: 'b' }, true],
    ['a=b,c!=d', { a: 'b', c: 'd' }, false],
    ['a=', { a: '' }, true],
    ['a=', {}, false],
    ['a!=', {}, true],
    ['a in (b, c)', { a: 'c' }, true],
    ['a in (b,)', { a: '' }, true],
    ['a in(b)', {}, false],
    ['a notin (b)', {}, true],
    ['a notin (b,c)', { a: 'c' }, false],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['!a,b', { b: 'x' }, true],
    ['in in (in)', { in: 'in' }, true],
    ['in', { in: 'x' }, true],
    ['a>9', { a: '10' }, true],
    ['a>9', { a: 'ten' }, false],
    ['a<-1', { a: '-2' }, true],
    ['a<10', {}, false],
    ['app.kubernetes.io/name=web', { 'app.kubernetes.io/name': 'web' }, true],
    ['constructor', {}, false],
    ['__proto__', {}, false],
  ])('%j on %j is %s', (selector, labels, result) => {
    if (selector === '__proto__') return expect(() => parseSelector(selector)).toThrow(AppError);
    expect(matches(selector, labels)).toBe(result);
  });

  test.each([
    'a,',
    ',a',
    'a=b=c',
    'a in b',
    'a in (b',
    'a b',
    'a=b c',
    '=b',
    'a>x',
    '!',
    '-a=b',
    'a=b/c',
    'A_B/c=d',
    'a in ()x',
  ])('%j is rejected with a sentence', (selector) => {
    expect(() => parseSelector(selector)).toThrow(
      /^“.*” is not a valid label selector: found .*, expected .*\.$/,
    );
  });

  test('throws nothing but a rejection', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '=',
      '==',
      '!=',
      '!',
      ',',
      '(',
      ')',
      ' in ',
      ' notin ',
      '>',
      '<',
      '1',
      '/',
      '.',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          matches(pieces.join(''), { a: 'b' });
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      }),
    );
  });

  test('in and notin are opposites', () => {
    const value = fc.constantFrom('x', 'y', 'z');
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1 }),
        fc.option(value, { nil: undefined }),
        (values, label) => {
          const labels: Record<string, string> = label === undefined ? {} : { a: label };
          expect(matches(`a in (${values.join(',')})`, labels)).toBe(
            !matches(`a notin (${values.join(',')})`, labels),
          );
        },
      ),
    );
  });
});

describe('a LabelSelector object', () => {
  test.each([
    [{}, true],
    [undefined, false],
    [null, false],
    [{ matchLabels: { a: 'b' } }, true],
    [{ matchLabels: { a: 'b', c: 'd' } }, false],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'c'] }] }, true],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] }, false],
    [{ matchExpressions: [{ key: 'z', operator: 'NotIn', values: ['b'] }] }, true],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, true],
    [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, false],
    [{ matchExpressions: [{ key: 'a', operator: 'Like' }] }, false],
    [{ matchLabels: { a: 'b' }, matchExpressions: [{ key: 'x', operator: 'Exists' }] }, false],
  ])('%j is %s', (selector, result) => {
    expect(matchesSelector(parseLabelSelector(selector), { a: 'b' })).toBe(result);
  });
});
