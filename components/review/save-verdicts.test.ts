import { expect, test, vi } from 'vitest';
import type { sendVerdicts } from '@/components/queries/review';
import { saveVerdicts } from '@/components/review/save-verdicts';
import { AppError } from '@/lib/errors';
import { sampleRecordAnswer } from '@/test/record-samples';

const verdict = { verdict: 'good' as const, comment: '', followUp: null };
const { review } = sampleRecordAnswer();

function queued(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const record = sampleRecordAnswer({ id: `r${index}` });
    return { ...record, review: { ...record.review, version: index % 3 } };
  });
}

function answering(errorOf: (id: string) => string | null = () => null) {
  return vi.fn<typeof sendVerdicts>(({ records }) =>
    Promise.resolve({ items: records.map(({ id }) => ({ id, error: errorOf(id), review })) }),
  );
}

const keyOf = ({ records }: { records: readonly { id: string }[] }) => `key-${records[0]?.id}`;

test('saves all with one request, each for the version that was shown', async () => {
  const send = answering();
  const records = queued(30);
  expect(await saveVerdicts(records, verdict, keyOf, send)).toEqual([]);
  expect(send.mock.calls).toEqual([
    [{ ...verdict, records: records.map(({ id, review }) => ({ id, ifVersion: review.version })) }, 'key-r0'],
  ]);
});

test('returns what was not saved, with the reason', async () => {
  const send = answering((id) => (id === 'r7' ? 'Changed.' : null));
  const unsaved = await saveVerdicts(queued(30), verdict, keyOf, send);
  expect(unsaved.map(({ record, message }) => [record.id, message])).toEqual([['r7', 'Changed.']]);
});

test('returns the rest once Shiplog cannot be reached', async () => {
  const send = answering();
  send.mockImplementationOnce(answering()).mockRejectedValueOnce(new AppError('internal', 'No answer.'));
  const unsaved = await saveVerdicts(queued(1_200), verdict, keyOf, send);
  expect(unsaved.map(({ record }) => record.id)).toEqual(
    queued(1_200)
      .slice(500)
      .map(({ id }) => id),
  );
  expect(send).toHaveBeenCalledTimes(2);
});
