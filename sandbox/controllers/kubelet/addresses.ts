import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type Pod } from '@/sandbox/controllers/objects/pod';
import { fnv1a } from '@/sandbox/controllers/revisions/hash';

const LOOPBACK = '127.0.0.1';
/** Addresses of pods lie in 10.1.0.0/16. */
const POD_ADDRESSES = 2 ** 16 - 2;

export function hostIpOf(manager: ControllerManager, { spec }: Pod): string {
  const node = manager.nodes.store.get(`-/${spec.nodeName ?? ''}`);
  return node?.status.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? LOOPBACK;
}

/** An address that no other pod has. Derived from the name, so that the same history gives the same addresses. */
export function freePodIp(manager: ControllerManager, pod: Pod): string {
  if (pod.spec.hostNetwork === true) return hostIpOf(manager, pod);
  const taken = new Set(manager.pods.store.all().map(({ status }) => status.podIP));
  const first = fnv1a(Buffer.from(`${pod.metadata.namespace}/${pod.metadata.name}`)) % POD_ADDRESSES;
  for (let offset = 0; offset < POD_ADDRESSES; offset += 1) {
    const ip = addressOf(1 + ((first + offset) % POD_ADDRESSES));
    if (!taken.has(ip)) return ip;
  }
  return addressOf(1 + first);
}

function addressOf(number: number): string {
  return `10.1.${number >> 8}.${number & 0xff}`;
}
