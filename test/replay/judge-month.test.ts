import { expect, test } from 'vitest';
import { faultsOf } from '@/test/replay/judged-inputs';
import { readRecording } from '@/test/replay/recording';

const MONTH = 'sandbox/month';
/** A viewer sees the moments that last. */
const REST_MS = 5_000;

test('Shiplog says what it always said of a month in the sandbox, whenever its clusters rest', async () => {
  const input = { name: MONTH, recording: readRecording(MONTH), restMs: REST_MS, recorder: 'whole' } as const;
  expect(await faultsOf('month', [input])).toEqual([]);
}, 300_000);
