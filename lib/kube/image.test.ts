import { describe, expect, test } from 'vitest';
import { effectiveTag, imageVersion, isMutableImage, parseImage, shortImage } from '@/lib/kube/image';

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
    expect(shortImage(image)).toBe(image);
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

test('the short name keeps the part that people use', () => {
  expect(shortImage('registry.example/shop/checkout:2.19.0')).toBe('checkout:2.19.0');
  expect(shortImage('registry.example/shop/checkout')).toBe('checkout');
  expect(shortImage(`shop/checkout@${DIGEST}`)).toBe('checkout@sha256:8c1f0a2b8c1f');
  expect(imageVersion('shop/checkout:2.19.0')).toBe('2.19.0');
});
