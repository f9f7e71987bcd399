import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ana, openShop, ref } from '@/server/actions/testing/shop';

let shop: ReturnType<typeof openShop>;

beforeEach(() => {
  vi.useFakeTimers();
  shop = openShop();
});
afterEach(() => vi.useRealTimers());

const refused = async (viewer = ana) => {
  const asked = shop.actions.rollback(viewer, ref, shop.request({ to: 99 }));
  const error = (await asked.catch((thrown: unknown) => thrown)) as { details: { actionId?: string } };
  return error.details.actionId;
};
const lines = () => shop.lines().map(({ action, attempts = 1 }) => `${action.actor} ${attempts}`);

test('of each viewer, ten attempts a minute have lines of their own, and the others one together', async () => {
  for (let count = 0; count < 25; count += 1) {
    expect((await refused()) !== undefined).toBe(count < 10);
  }
  await refused({ ...ana, id: 'ben', name: 'ben' });
  expect(lines()).toEqual([...Array<string>(10).fill('ana 1'), 'ben 1']);
  vi.advanceTimersByTime(60_000);
  expect(lines().at(-1)).toBe('ana 15');
  expect(shop.lines().at(-1)).toMatchObject({
    action: { message: expect.stringMatching(/^15 attempts were rejected within a minute/) as string },
  });
  await refused();
  expect(lines().at(-1)).toBe('ana 1');
});

test('an attempt without a line gets one when the process ends', async () => {
  for (let count = 0; count < 12; count += 1) await refused();
  shop.actions.stop();
  expect(lines().at(-1)).toBe('ana 2');
});

test('executed actions have their lines, however many were rejected', async () => {
  for (let count = 0; count < 12; count += 1) await refused();
  await shop.rollback();
  expect(shop.events().slice(-2)).toEqual(['attempted', 'accepted']);
});
