// @vitest-environment jsdom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { Kbd } from '@/components/ui/kbd';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64)', '⌘K', 'Ctrl K'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64)', '⌘↵', 'Ctrl ↵'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', '⌘K', '⌘K'],
  ['Mozilla/5.0 (X11; Linux x86_64)', 'r', 'r'],
])('shows a key as on the keyboard of %s', (agent, key, printed) => {
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(agent);
  expect(render(<Kbd>{key}</Kbd>).container.textContent).toBe(printed);
});
