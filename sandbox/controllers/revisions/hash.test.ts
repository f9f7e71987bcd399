import { describe, expect, test } from 'vitest';
import { parseJson } from '@/lib/kube/json';
import { dataText } from '@/sandbox/controllers/revisions/data';
import { fnv1, fnv1a, revisionHash, safeEncode, templateHash } from '@/sandbox/controllers/revisions/hash';

const SPEC =
  '{"containers":[{"image":"test","imagePullPolicy":"Always","name":"test","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}';
const data = (created: string) =>
  `{"spec":{"template":{"$patch":"replace","metadata":{"annotations":{"test":"value"},${created}"labels":{"app":"foo"}},"spec":${SPEC}}}}`;
const WITH_TIME = data('"creationTimestamp":null,');
const WITHOUT_TIME = data('');

describe('hashes of ControllerRevisions', () => {
  test.each([
    [WITH_TIME, 0, 733928534, 'c77f6d978'],
    [WITHOUT_TIME, 0, 3325552446, '776999688b'],
    [WITH_TIME, 1, 733928535, 'c77f6d979'],
  ])('are those that Kubernetes recorded for the same bytes (%#)', (text, count, number, encoded) => {
    expect(fnv1(Buffer.from(`${text}${count}`))).toBe(number);
    expect(revisionHash(text, count)).toBe(encoded);
  });

  test('are computed over sorted keys with the characters escaped that Go escapes', () => {
    const template = parseJson('{"10":"a<b && c>d","9":"\\u2028\\u2029"}');
    expect(dataText({ z: template, a: 1 })).toBe(
      '{"a":1,"z":{"10":"a\\u003cb \\u0026\\u0026 c\\u003ed","9":"\\u2028\\u2029"}}',
    );
    expect(dataText(parseJson(WITHOUT_TIME) as never)).toBe(WITHOUT_TIME);
  });
});

test('FNV-1 and FNV-1a give the published values', () => {
  // https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
  expect(fnv1(Buffer.from(''))).toBe(0x811c9dc5);
  expect(fnv1a(Buffer.from(''))).toBe(0x811c9dc5);
  expect(fnv1(Buffer.from('foobar'))).toBe(0x31f0b262);
  expect(fnv1a(Buffer.from('foobar'))).toBe(0xbf9cf968);
});

test('digits are encoded as Kubernetes encodes them', () => {
  expect(safeEncode('0123456789')).toBe('456789bcdf');
});

test('a template hash depends on template and collision count alone', () => {
  const template = parseJson(
    '{"spec":{"containers":[{"name":"a","image":"a:1"}]},"metadata":{"labels":{"b":"1"}}}',
  );
  const reordered = parseJson(
    '{"metadata":{"labels":{"b":"1"}},"spec":{"containers":[{"image":"a:1","name":"a"}]}}',
  );
  const hash = (value: unknown, count?: number) => templateHash(value as never, count);
  expect(hash(template)).toMatch(/^[456789bcdf]{1,10}$/);
  expect(hash(template)).toBe(hash(reordered));
  expect(new Set([hash(template), hash(template, 0), hash(template, 1), hash({ spec: {} })]).size).toBe(4);
});
