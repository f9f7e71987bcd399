import { describe, expect, test } from 'vitest';
import {
  changedImages,
  effectiveTag,
  imageVersion,
  isMutableImage,
  parseImage,
  shortenImage,
  shortImage,
  withoutNeedlessDigests,
} from '@/lib/kube/image';

const DIGEST = `sha256:${'8c1f0a2b'.repeat(8)}`;

describe('an image reference', () => {
  test.each([
    ['nginx', undefined, 'nginx', undefined, undefined],
    ['shop/checkout:2.19.0', undefined, 'shop/checkout', '2.19.0', undefined],
    ['localhost/app', 'localhost', 'app', undefined, undefined],
    ['registry.example:5000/a/b', 'registry.example:5000', 'a/b', undefined, undefined],
    ['[::1]:5000/a:1', '[::1]:5000', 'a', '1', undefined],
    [`ghcr.io/shop/cart:1.0@${DIGEST}`, 'ghcr.io', 'shop/cart', '1.0', DIGEST],
    [`cart@${DIGEST}`, undefined, 'cart', undefined, DIGEST],
  ])('%s is parsed', (image, registry, repository, tag, digest) => {
    expect(parseImage(image)).toEqual({ registry, repository, tag, digest });
  });

  test.each([
    '',
    'Nginx',
    'nginx:',
    'nginx:-x',
    'a//b',
    'nginx@sha256:12',
    '-bad.example/a',
    'a'.repeat(600),
    '0a'.repeat(32),
  ])('%s is not parsed', (image) => {
    expect(parseImage(image)).toBeUndefined();
    expect(shortImage(image)).toBe(image.slice(0, 80));
    expect(effectiveTag(image)).toBe('');
  });
});

test.each([
  ['nginx', 'latest', true],
  ['nginx:latest', 'latest', true],
  [`nginx:latest@${DIGEST}`, 'latest', false],
  [`nginx@${DIGEST}`, '', false],
  ['nginx:1.27', '1.27', false],
])('%s pulls tag "%s"; may change unnoticed: %s', (image, tag, mutable) => {
  expect(effectiveTag(image)).toBe(tag);
  expect(isMutableImage(image)).toBe(mutable);
});

const OTHER = `sha256:${'aaaa1111'.repeat(8)}`;

test.each([
  ['registry.example/shop/checkout:2.19.0', 'checkout', ':2.19.0', '2.19.0'],
  ['registry.example:5000/shop/checkout', 'checkout', '', ''],
  [`shop/checkout@${DIGEST}`, 'checkout', '@8c1f0a2b', '@8c1f0a2b'],
  [`shop/checkout:stable@${OTHER}`, 'checkout', ':stable@aaaa1111', 'stable@aaaa1111'],
  ['<img src=x>', '<img src=x>', '', ''],
])('%s is %s in version %s', (image, name, version, text) => {
  expect(shortenImage(image)).toEqual({ name, version });
  expect(shortImage(image)).toBe(`${name}${version}`);
  expect(imageVersion(image)).toBe(text);
});

test('a digest is left out only where tags tell apart all that differ', () => {
  expect(withoutNeedlessDigests([`a:1@${DIGEST}`, `a:2@${OTHER}`, `b@${OTHER}`])).toEqual([
    'a:1',
    'a:2',
    `b@${OTHER}`,
  ]);
  const sameTag = [`a:1@${DIGEST}`, `a:1@${OTHER}`];
  expect(withoutNeedlessDigests(sameTag)).toEqual(sameTag);
  const unpinned = [`a:1@${DIGEST}`, 'a:1'];
  expect(withoutNeedlessDigests(unpinned)).toEqual(unpinned);
  expect(withoutNeedlessDigests([`localhost:5000/a:1@${DIGEST}`])).toEqual(['localhost:5000/a:1']);
  expect(changedImages(`a:1@${DIGEST}`, `a:2@${OTHER}`)).toEqual(['a:1', 'a:2']);
  expect(changedImages(`a:1@${DIGEST}`, 'a:2')).toEqual([`a:1@${DIGEST}`, 'a:2']);
});
