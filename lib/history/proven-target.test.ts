import { describe, expect, test } from 'vitest';
import { findProvenTarget, type ActivationOutcome } from '@/lib/history/proven-target';

const NOW = Date.parse('2026-11-20T12:00:00Z');

function run(number: number, given: Partial<ActivationOutcome> = {}): ActivationOutcome {
  return {
    id: `rs-${number}`,
    number,
    template: `template-${number}`,
    completed: true,
    hadNoPods: false,
    failed: false,
    endedAt: '2026-11-12T08:00:00Z',
    to: '2026-11-15T09:00:00Z',
    isUsable: true,
    ...given,
  };
}

const offer = (...runs: ActivationOutcome[]) => findProvenTarget(runs, NOW);
const stuck = { completed: false, failed: true };

describe('the target that the record proves', () => {
  test('is the newest that completed and was not reverted', () => {
    const present = run(5, { isUsable: false });
    expect(offer(run(2), run(3), run(4, { failed: true }), present)).toMatchObject({ id: 'rs-3', number: 3 });
    expect(offer(run(2), run(3, stuck), run(4, { completed: false }), present)).toMatchObject({ number: 2 });
  });

  test('is not one that failed in its latest run', () => {
    const again = run(4, { ...stuck, id: 'rs-2', template: 'template-2' });
    expect(offer(run(1), run(2), run(3, { isUsable: false }), again)).toMatchObject({ number: 1 });
  });

  test('is the newest that ran for more than an hour, else the newest that completed', () => {
    const short = run(4, { to: '2026-11-12T08:59:00Z' });
    expect(offer(run(2), run(3), short)).toMatchObject({ number: 3 });
    expect(offer(run(3, { to: null }), short)).toMatchObject({ number: 4 });
    expect(offer(run(3, { ...stuck }), run(4, { to: null }))).toMatchObject({ number: 4 });
  });

  test('is nothing where no record proves a healthy run', () => {
    expect(offer()).toBeNull();
    expect(offer(run(1, { isUsable: false }), run(2, stuck))).toBeNull();
  });

  test.each([
    [{}, 'completed on 12 Nov, ran 3 days'],
    [{ to: '2026-11-12T09:30:00Z' }, 'completed on 12 Nov, ran 90 minutes'],
    [{ to: '2026-11-12T08:01:59Z' }, 'completed on 12 Nov, ran 1 minute'],
    [{ to: '2026-11-12T08:00:20Z' }, 'completed on 12 Nov, ran less than a minute'],
    [{ to: '2026-11-13T09:00:00Z' }, 'completed on 12 Nov, ran 25 hours'],
    [{ to: null }, 'completed on 12 Nov'],
    [{ endedAt: '2025-12-31T23:00:00Z', to: null }, 'completed on 31 Dec 2025'],
    [{ endedAt: null }, 'completed'],
  ])('states when it completed and how long it ran: %o', (given, why) => {
    expect(offer(run(1, given))?.why).toBe(why);
  });
});
