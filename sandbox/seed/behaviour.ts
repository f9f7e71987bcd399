import { behaviourByImage, jitterMs, type PodBehaviour } from '@/sandbox/controllers/kubelet/behaviour';
import { type Pod } from '@/sandbox/controllers/objects/pod';

/** The causes of failures of the seeded apps. */
interface Trouble extends Partial<Omit<PodBehaviour, 'outcome'>> {
  readonly outcome: PodBehaviour['outcome'];
  readonly image: string;
  /** A value in the container's environment; any value if none is given. */
  readonly value?: string;
}

// prettier-ignore
const TROUBLES: readonly Trouble[] = [
  { image: 'registry.example.com/shop/checkout:2.19.0', outcome: 'crash', exit: { code: 1, reason: 'Error' } },
  { image: 'registry.example.com/shop/account:3.12.0', value: 'valkeys://sessions:6380', outcome: 'hang', probe: 'HTTP probe failed with statuscode: 503' },
  { image: 'registry.example.com/search/query-api:4.11.0', outcome: 'hang', probe: 'Get "http://10.244.2.17:8080/healthz": context deadline exceeded' },
  { image: 'registry.example.com/payments/invoices:2.8.O', outcome: 'broken' },
  { image: 'registry.example.com/shop/frontend:5.31.0', outcome: 'ready', readyAfterMs: 35_000 },
  // It loads its weights for minutes, one group after the other.
  { image: 'registry.example.com/ml/model-server:0.12.0', outcome: 'ready', readyAfterMs: 540_000 },
];

/** Behavior of the seeded pods: most become ready after a few seconds, some fail as their seed requires. */
export function seedBehaviour(pod: Pod): PodBehaviour {
  const [container] = pod.spec.containers;
  const trouble = TROUBLES.find(
    ({ image, value }) =>
      container?.image === image && (value === undefined || JSON.stringify(container).includes(value)),
  );
  if (trouble === undefined) return behaviourByImage(pod);
  const { image: _image, value: _value, ...own } = trouble;
  return {
    startsAfterMs: 2_000,
    readyAfterMs: 3_000 + jitterMs(pod, 1, 2),
    stopsAfterMs: 2_000,
    ...own,
  };
}
