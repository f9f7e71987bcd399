// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { apiFetch } from '@/components/queries/client';
import { signOut } from '@/components/shell/sign-out';
import { store } from '@/components/ui/browser-storage';

vi.mock('@/components/queries/client', () => ({ apiFetch: vi.fn() }));

const { dataset } = document.documentElement;
const replace = vi.fn();
const storedNames = () => [...Object.keys(localStorage), ...Object.keys(sessionStorage)].toSorted();

beforeEach(() => {
  // Other files of this process may have left something.
  localStorage.clear();
  sessionStorage.clear();
  vi.stubGlobal('location', { replace });
  dataset.viewer = 'maja2';
  store('draft.r1', 'hers');
  dataset.viewer = 'maja';
  store('draft.r1', 'mine');
  store('draft.r2', 'mine');
  store('verdicts', '{}', 'session');
  store('zone', 'utc', 'browser');
});

afterEach(() => {
  vi.unstubAllGlobals();
  replace.mockClear();
  delete dataset.viewer;
});

test('signing out removes what the browser stores for the viewer, and nothing else', async () => {
  vi.mocked(apiFetch).mockResolvedValue({ signOutUrl: null });
  await signOut();
  expect(storedNames()).toEqual(['shiplog/maja2/draft.r1', 'zone']);
  expect(replace).toHaveBeenCalledExactlyOnceWith('/');
});

test('a sign-out that fails loses no draft', async () => {
  vi.mocked(apiFetch).mockRejectedValue(new Error('offline'));
  await signOut();
  expect(storedNames()).toHaveLength(5);
  expect(replace).not.toHaveBeenCalled();
});
