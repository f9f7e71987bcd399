// @vitest-environment jsdom
import { act, renderHook } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { useSend } from '@/components/action-dialog/use-send';
import { AppError } from '@/lib/errors';

function setUp(send: (body: { reason: string }, key: string) => Promise<string>) {
  let keys = 0;
  const onAnswer = vi.fn();
  const { result } = renderHook(() => useSend(send, onAnswer, () => `key ${++keys}`));
  return { result, onAnswer };
}
const noAnswer = () => Promise.reject(new AppError('internal', 'no answer', { offline: true }));
const refused = () => Promise.reject(new AppError('refused', 'no', { status: 422 }));

it('sends one request for two presses', async () => {
  let answer: (text: string) => void = () => undefined;
  const send = vi.fn(() => new Promise<string>((resolve) => (answer = resolve)));
  const { result, onAnswer } = setUp(send);
  await act(async () => {
    void result.current.run({ reason: '' });
    void result.current.run({ reason: '' });
    answer('done');
    await Promise.resolve();
  });
  expect(send).toHaveBeenCalledTimes(1);
  expect(onAnswer).toHaveBeenCalledExactlyOnceWith('done');
});

it('sends the same body again under the same key when no answer came', async () => {
  const send = vi.fn(noAnswer);
  const { result } = setUp(send);
  await act(() => result.current.run({ reason: 'a' }));
  await act(() => result.current.run({ reason: 'a' }));
  expect(send.mock.calls).toEqual([
    [{ reason: 'a' }, 'key 1'],
    [{ reason: 'a' }, 'key 1'],
  ]);
});

it('uses a new key for another body and after a refusal', async () => {
  const send = vi.fn(noAnswer);
  const { result } = setUp(send);
  await act(() => result.current.run({ reason: 'a' }));
  send.mockImplementation(refused);
  await act(() => result.current.run({ reason: 'b' }));
  await act(() => result.current.run({ reason: 'b' }));
  expect(send.mock.calls.map((call: unknown[]) => call[1])).toEqual(['key 1', 'key 2', 'key 3']);
});
