import { listOrEmptyAt, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';
import type { LogRequest } from '@/sandbox/api/pod-log';
import { behaviourByImage, jitterMs, type PodBehaviour } from '@/sandbox/controllers/kubelet/behaviour';
import type { Pod } from '@/sandbox/controllers/objects/pod';

/** The causes of failures of the seeded apps. */
interface Trouble extends Partial<Omit<PodBehaviour, 'outcome'>> {
  readonly outcome: PodBehaviour['outcome'];
}

/** By image, and by a value in the container's environment where one is given after a space. */
// prettier-ignore
const TROUBLES: Readonly<Record<string, Trouble>> = {
  'shop/checkout:2.19.0': { outcome: 'crash' },
  'shop/account:3.12.0 valkeys://sessions:6380': { outcome: 'hang', probe: 'HTTP probe failed with statuscode: 503' },
  'search/query-api:4.11.0': { outcome: 'hang', probe: 'Get "http://10.244.2.17:8080/healthz": context deadline exceeded' },
  'payments/invoices:2.8.O': { outcome: 'broken' },
  'shop/media:4.6.0': { outcome: 'crash' },
  'payments/refunds:1.11.0': { outcome: 'hang', probe: 'HTTP probe failed with statuscode: 503' },
  'search/suggest:1.16.0': { outcome: 'hang', probe: 'HTTP probe failed with statuscode: 500' },
  'shop/frontend:5.31.0': { outcome: 'ready', readyAfterMs: 35_000 },
  // It loads its weights for minutes, one group after the other.
  'ml/model-server:0.12.0': { outcome: 'ready', readyAfterMs: 540_000 },
};

/** Behavior of the seeded pods: most become ready after a few seconds, some fail as their seed requires. */
export function seedBehaviour(pod: Pod): PodBehaviour {
  const [container] = pod.spec.containers;
  const [, trouble] =
    Object.entries(TROUBLES).find(([place]) => {
      const [image = '', value = ''] = place.split(' ');
      const isImage = container?.image === `registry.example.com/${image}`;
      return isImage && JSON.stringify(container).includes(value);
    }) ?? [];
  if (trouble === undefined) return behaviourByImage(pod);
  const readyAfterMs = 3_000 + jitterMs(pod, 1, 2);
  return { startsAfterMs: 2_000, readyAfterMs, stopsAfterMs: 2_000, ...trouble };
}

const CONFIGURED = 'level=info msg="configuration read" file=/etc/app/app.yaml';
const LISTENING = 'level=info msg="listening" port=8080';

const LOGS: Readonly<Record<string, readonly string[]>> = {
  checkout: [CONFIGURED, 'level=fatal msg="config: PAYMENTS_URL is not set"'],
  account: [
    LISTENING,
    'level=warn msg="session store: connect valkeys://sessions:6380: connection refused, retry in 5s"',
    'level=warn msg="not ready: session store unavailable"',
  ],
};

/** The last log lines of a seeded container. */
export function seedLog({ pod, container }: LogRequest): string | undefined {
  const named = (part: string, list: string) =>
    listOrEmptyAt(pod, part, list).find((entry) => textOrEmptyAt(entry, 'name') === container);
  const found = named('spec', 'containers');
  const status = named('status', 'containerStatuses');
  const imageMissing = /Image/.test(textOrEmptyAt(status, 'state', 'waiting', 'reason'));
  if (found === undefined || imageMissing) return undefined;
  const version = textOrEmptyAt(found, 'image').split(':').at(-1);
  const hello = `level=info msg="starting ${container}" version=${version}`;
  return [hello, ...(LOGS[container] ?? [CONFIGURED, LISTENING]), ''].join('\n');
}

/** Error rates in percent, by the workload in the query. */
const ERROR_RATES: Readonly<Record<string, number>> = { ranker: 7.4 };
const USUAL_ERROR_RATE = 0.2;

/** The answers of Prometheus: a query that is a number has that value. */
export function seedMetrics(query: string): number {
  const number = query.trim() === '' ? NaN : Number(query);
  if (Number.isFinite(number)) return number;
  const [, workload = ''] = /workload="([^"]*)"/.exec(query) ?? [];
  return ERROR_RATES[workload] ?? USUAL_ERROR_RATE;
}
