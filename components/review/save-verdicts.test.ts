import { expect, test, vi } from 'vitest';
import type { sendVerdict } from '@/components/queries/review';
import { saveVerdicts } from '@/components/review/save-verdicts';
import { AppError } from '@/lib/errors';
import { sampleRecordAnswer } from '@/test/record-samples';

const verdict = { verdict: 'good' as const, comment: '', followUp: null };
const records = Array.from({ length: 30 }, (_, index) => {
  const record = sampleRecordAnswer({ id: `r${index}` });
  return { ...record, review: { ...record.review, version: index % 3 } };
});
const { review } = sampleRecordAnswer();
const keyOf = (id: string) => `key-${id}`;

function save(send: typeof sendVerdict) {
  const saved: string[] = [];
  const answer = saveVerdicts(records, verdict, { keyOf, onSaved: ({ id }) => saved.push(id), send });
  return { answer, saved };
}

test('saves each record for the version that was shown, a few at a time', async () => {
  let open = 0;
  let most = 0;
  const send = vi.fn<typeof sendVerdict>(async () => {
    most = Math.max(most, (open += 1));
    await Promise.resolve();
    open -= 1;
    return { review };
  });
  const { answer, saved } = save(send);
  expect(await answer).toEqual([]);
  expect(saved).toHaveLength(30);
  expect(most).toBe(4);
  expect(send.mock.calls).toEqual(
    records.map(({ id, review }) => [id, { ...verdict, ifVersion: review.version }, `key-${id}`]),
  );
});

test('returns conflicts with the review of the other reviewer, and saves the rest', async () => {
  const theirs = { ...review, version: 1, verdict: 'bad' as const, by: 'ben' };
  const { answer, saved } = save((id) => {
    if (id === 'r7') return Promise.reject(new AppError('conflict', 'Changed.', { review: theirs }));
    if (id === 'r9') return Promise.reject(new AppError('internal', 'Disk full.'));
    return Promise.resolve({ review: theirs });
  });
  expect((await answer).map(({ record, review }) => [record.id, review?.by])).toEqual([
    ['r7', 'ben'],
    ['r9', undefined],
  ]);
  expect(saved).toHaveLength(28);
});

test('stops sending once Shiplog cannot be reached, and returns what was not saved', async () => {
  const send = vi.fn<typeof sendVerdict>((id) =>
    Number(id.slice(1)) < 10
      ? Promise.resolve({ review })
      : Promise.reject(new AppError('internal', 'No answer.', { offline: true })),
  );
  const { answer, saved } = save(send);
  expect((await answer).map(({ record }) => record.id)).toEqual(records.slice(10).map(({ id }) => id));
  expect(saved).toHaveLength(10);
  expect(send.mock.calls.length).toBeLessThan(15);
});
