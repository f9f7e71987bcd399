// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { apiFetch } from '@/components/queries/client';
import { SignInFlow } from '@/components/shell/sign-in-flow';
import { renderWith } from '@/test/render';

vi.mock('@/components/queries/client', () => ({ apiFetch: vi.fn() }));

const { dataset } = document.documentElement;
const reload = vi.fn();

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  reload.mockClear();
  delete dataset.viewer;
});

/** Resolves when the sign-in is complete; true where the page was loaded anew. */
async function signInAs(id: string): Promise<boolean> {
  vi.stubGlobal('location', { hash: '#key=k', pathname: '/', search: '', reload });
  vi.mocked(apiFetch).mockResolvedValue({ viewer: { id, name: id } });
  const client = new QueryClient();
  const reset = vi.spyOn(client, 'resetQueries');
  renderWith(client, <SignInFlow />);
  await waitFor(() => expect(reload.mock.calls.length + reset.mock.calls.length).toBe(1));
  return reload.mock.calls.length === 1;
}

test('a page without a viewer becomes that of the person who signs in', async () => {
  expect(await signInAs('user:maja/lind')).toBe(false);
  expect(dataset.viewer).toBe('user%3Amaja%2Flind');
});

test('a page keeps what was typed when its viewer signs in again', async () => {
  dataset.viewer = 'maja';
  expect(await signInAs('maja')).toBe(false);
});

test('a page is loaded anew when another person signs in', async () => {
  dataset.viewer = 'maja';
  expect(await signInAs('tom')).toBe(true);
  expect(dataset.viewer).toBe('maja');
});
