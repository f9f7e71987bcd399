// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readStored, store } from '@/components/ui/browser-storage';

const { dataset } = document.documentElement;

beforeEach(() => {
  dataset.viewer = 'maja';
});

afterEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  delete dataset.viewer;
});

test.each(['local', 'session'] as const)('a viewer never reads what another one stored (%s)', (area) => {
  store('draft.r1', 'mine', area);
  dataset.viewer = 'tom';
  expect(readStored('draft.r1', area)).toBeNull();
  store('draft.r1', 'his', area);
  dataset.viewer = 'maja';
  expect(readStored('draft.r1', area)).toBe('mine');
});

test('the choices of the browser are those of every viewer', () => {
  store('zone', 'utc', 'browser');
  dataset.viewer = 'tom';
  expect(readStored('zone', 'browser')).toBe('utc');
});
