import { type LogRequest } from '@/sandbox/api/pod-log';
import { listOrEmptyAt, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';

/** The last log lines of a seeded container. */
export function seedLog({ pod, container }: LogRequest): string | undefined {
  const found = listOrEmptyAt(pod, 'spec', 'containers').find(
    (entry) => textOrEmptyAt(entry, 'name') === container,
  );
  const status = listOrEmptyAt(pod, 'status', 'containerStatuses').find(
    (entry) => textOrEmptyAt(entry, 'name') === container,
  );
  const imageMissing = /Image/.test(textOrEmptyAt(status, 'state', 'waiting', 'reason'));
  if (found === undefined || imageMissing) return undefined;
  const image = textOrEmptyAt(found, 'image');
  const hello = `level=info msg="starting ${container}" version=${image.slice(image.lastIndexOf(':') + 1)}`;
  return [hello, ...(WORDS[container] ?? DEFAULT_WORDS), ''].join('\n');
}

const DEFAULT_WORDS = [
  'level=info msg="configuration read" file=/etc/app/app.yaml',
  'level=info msg="listening" port=8080',
];

const WORDS: Readonly<Record<string, readonly string[]>> = {
  checkout: [
    'level=info msg="configuration read" file=/etc/app/app.yaml',
    'level=fatal msg="config: PAYMENTS_URL is not set"',
  ],
  account: [
    'level=info msg="listening" port=8080',
    'level=warn msg="session store: connect valkeys://sessions:6380: connection refused, retry in 5s"',
    'level=warn msg="not ready: session store unavailable"',
  ],
};
