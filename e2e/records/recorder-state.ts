import { waitFor } from '@/e2e/controlplane/wait';
import type { Shiplog } from '@/e2e/support/shiplog';
import type { ClusterInfo } from '@/lib/api/cluster';

type RecorderAnswer = NonNullable<ClusterInfo['recorder']>;

/** The recorder's state as Shiplog reports it. */
export async function recorderOf(shiplog: Shiplog): Promise<RecorderAnswer> {
  const { recorder } = (await shiplog.get('/api/cluster')) as ClusterInfo;
  if (recorder === null) throw new Error('Nothing is recorded by this process at all.');
  return recorder;
}

export async function untilRecorder(
  shiplog: Shiplog,
  state: RecorderAnswer['state'],
  timeoutMs = 100_000,
): Promise<RecorderAnswer> {
  let last: RecorderAnswer | undefined;
  return waitFor(
    async () => {
      last = await recorderOf(shiplog);
      return last.state === state && last;
    },
    { what: `the recorder is ${state}`, timeoutMs, detail: () => JSON.stringify(last) + shiplog.log() },
  );
}
