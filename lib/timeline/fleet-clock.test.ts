import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromWallText, wallText } from '@/lib/timeline/fleet-clock';

test('a minute of the wall clock is read as it was written, in every zone and on both sides of a changed hour', () => {
  const minutes = fc.integer({ min: Date.UTC(2020, 0) / 60_000, max: Date.UTC(2030, 0) / 60_000 });
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Chatham');
  fc.assert(
    fc.property(minutes, zone, (minute, timeZone) => {
      const text = wallText(minute * 60_000, timeZone);
      expect(wallText(fromWallText(text, timeZone) ?? NaN, timeZone)).toBe(text);
    }),
  );
  expect(fromWallText('2026-09-17T14:00', 'Europe/Berlin')).toBe(Date.parse('2026-09-17T12:00:00Z'));
  expect(['', '14:00', '2026-13-01T00:00'].map((text) => fromWallText(text, 'UTC'))).toEqual([
    null,
    null,
    null,
  ]);
});
