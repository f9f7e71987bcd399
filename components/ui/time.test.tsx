// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react';
import { hydrateRoot, type Root } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AbsoluteTime, Elapsed, RelativeTime, TimeOrigin } from '@/components/ui/time';

const iso = '2026-09-17T12:06:00Z';
const serverMs = Date.parse('2026-09-17T12:32:00Z');

beforeEach(() => {
  vi.useFakeTimers({ now: serverMs + 90_000 });
});
afterEach(() => {
  cleanup();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const page = (
  <TimeOrigin frame={{ nowMs: serverMs, timeZone: 'Pacific/Auckland' }}>
    <RelativeTime iso={iso} suffix="ago" /> <AbsoluteTime iso={iso} /> <Elapsed from={iso} />
  </TimeOrigin>
);

test('renders the first paint in the browser as the server did; its own clock and zone follow', () => {
  const html = renderToString(page);
  expect(html).toContain('26 min ago');
  expect(html).toContain('>00:06<');

  const element = document.createElement('div');
  element.innerHTML = html;
  document.body.append(element);
  const complaints: unknown[] = [];
  let root: Root | undefined;
  act(() => {
    root = hydrateRoot(element, page, { onRecoverableError: (error) => complaints.push(error) });
  });
  expect(complaints).toEqual([]);
  expect(element.textContent).toContain('27 min ago');
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  expect(element.querySelector('time')?.title).toContain(zone);
  act(() => root?.unmount());
});

test('switches all times and their titles to UTC and back, and keeps the choice', async () => {
  vi.stubEnv('TZ', 'Pacific/Auckland');
  // The zone is cached.
  vi.resetModules();
  const { AbsoluteTime } = await import('@/components/ui/time');
  const { ZoneNote } = await import('@/components/ui/zone-note');
  render(
    <>
      <AbsoluteTime iso={iso} /> <ZoneNote />
    </>,
  );
  const shown = () => [document.querySelector('time')?.textContent, screen.getByRole('button').textContent];
  expect(shown()).toEqual(['00:06', 'Times in Pacific/Auckland']);
  act(() => screen.getByRole('button').click());
  expect(shown()).toEqual(['12:06', 'Times in UTC']);
  expect(document.querySelector('time')?.title).toContain('12:06:00, UTC');
  expect(localStorage.getItem('shiplog.zone')).toBe('utc');
  act(() => screen.getByRole('button').click());
  expect(shown()).toEqual(['00:06', 'Times in Pacific/Auckland']);
  expect(localStorage.getItem('shiplog.zone')).toBeNull();
});

test('updates a running time as the clock ticks, and not a fixed one', () => {
  render(
    <>
      <p>
        <Elapsed from={iso} />
      </p>
      <p>
        <Elapsed from={iso} to="2026-09-17T12:08:05Z" />
      </p>
    </>,
  );
  const texts = () => [...document.querySelectorAll('time')].map((time) => time.textContent);
  expect(texts()).toEqual(['27 min', '2 min 05 s']);
  act(() => void vi.advanceTimersByTime(60_000));
  expect(texts()).toEqual(['28 min', '2 min 05 s']);
});

test('renders a time element with the exact instant and the full local form', () => {
  render(<AbsoluteTime iso={iso} form="clock" />);
  const time = screen.getByText(/:06:00/);
  expect(time.tagName).toBe('TIME');
  expect(time.getAttribute('datetime')).toBe(iso);
  expect(time.title).toContain('Thursday 17 September 2026');
});

test('stops the clock without listeners', () => {
  const { unmount } = render(<RelativeTime iso={iso} />);
  expect(vi.getTimerCount()).toBe(1);
  unmount();
  expect(vi.getTimerCount()).toBe(0);
});
