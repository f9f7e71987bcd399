import { expect, test } from 'vitest';
import { faultsOf, lateInput } from '@/test/replay/judged-inputs';
import { readRecording, recordingNames } from '@/test/replay/recording';

const recordings = recordingNames()
  .filter((name) => name !== 'sandbox/month')
  .map((name) => ({ name, recording: readRecording(name) }));

test('Shiplog says what it always said of every recording, after each change', async () => {
  const inputs = recordings.map((each) => ({ ...each, restMs: 0, recorder: 'whole' as const }));
  expect(await faultsOf('recordings', inputs)).toEqual([]);
}, 300_000);

test('Shiplog says what it always said without pods, and in records that began late', async () => {
  const inputs = recordings.map(({ name, recording }) => lateInput(name, recording));
  expect(await faultsOf('late', inputs)).toEqual([]);
}, 300_000);
