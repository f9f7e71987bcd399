// @vitest-environment jsdom
import { cleanup, render } from '@testing-library/react';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { YamlLine } from '@/components/diff/text-diff';

afterEach(cleanup);

function keyOf(text: string): string | null {
  const { container } = render(<YamlLine text={text} />);
  return container.querySelector('span')?.textContent ?? null;
}

it('dims the key and nothing else', () => {
  expect(keyOf('image: shop/cart:1.2')).toBe('image:');
  expect(keyOf('- name: app')).toBe('name:');
  expect(keyOf('resources:')).toBe('resources:');
  expect(keyOf('"odd key": 1')).toBe('"odd key":');
  expect(keyOf('- http://payments:8080')).toBeNull();
  expect(keyOf('# note: none')).toBeNull();
});

it('shows every line exactly as it is, including markup', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.constantFrom('<img src=x onerror=alert(1)>: y', '- - a: <b>')),
      (text) => {
        const { container } = render(<YamlLine text={text} />);
        expect(container.textContent).toBe(text);
        expect(container.querySelector('img, b')).toBeNull();
        cleanup();
      },
    ),
  );
});
