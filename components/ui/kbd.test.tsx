// @vitest-environment jsdom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { Kbd } from '@/components/ui/kbd';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64)', 'mod+k', 'Ctrl K'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64)', 'mod+enter', 'Ctrl ↵'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 'mod+k', '⌘K'],
  ['Mozilla/5.0 (X11; Linux x86_64)', 'r', 'r'],
  ['Mozilla/5.0 (X11; Linux x86_64)', '+', '+'],
  ['Mozilla/5.0 (X11; Linux x86_64)', 'arrowleft', '←'],
])('shows a key as on the keyboard of %s', (agent, key, printed) => {
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(agent);
  expect(render(<Kbd>{key}</Kbd>).container.textContent).toBe(printed);
});
