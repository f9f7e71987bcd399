import { deepEqual } from '@/lib/kube/json';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import type { Worklist } from '@/server/controllers/engine/work-queue';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { PodBehaviour, PodBehaviours } from '@/sandbox/controllers/kubelet/behaviour';
import { nextStep, type StepEvent, stopEvents } from '@/sandbox/controllers/kubelet/pod-step';
import { isDeleting, isTerminal, type Pod, type PodStatus } from '@/sandbox/controllers/objects/pod';
import { timeOf } from '@/sandbox/controllers/objects/time';
import { fnv1a } from '@/sandbox/controllers/revisions/hash';

const LOOPBACK = '127.0.0.1';
/** Addresses of pods lie in 10.1.0.0/16. */
const POD_ADDRESSES = 2 ** 16 - 2;

function hostIpOf(manager: ControllerManager, { spec }: Pod): string {
  const node = manager.nodes.store.get(`-/${spec.nodeName ?? ''}`);
  return node?.status.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? LOOPBACK;
}

/** An address that no other pod has. Derived from the name, so that the same history gives the same addresses. */
function freePodIp(manager: ControllerManager, pod: Pod): string {
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

const COARSE_STEP_MS = 5_000;

/** Simulates the kubelets of all nodes: pods start, become ready or fail by their behavior, and end. */
export function runKubelets(manager: ControllerManager, behaviourOf: PodBehaviours): void {
  /** Uids of pods whose end was reported. */
  const stopping = new Set<string>();
  const work = manager.register((key) => syncPod(manager, work, behaviourOf, stopping, key));
  manager.pods.store.onChange(({ object, before }) => {
    if (object === undefined) stopping.delete(before.metadata.uid);
    else if (object.spec.nodeName) work.add(keyOf(object));
  });
}

async function syncPod(
  manager: ControllerManager,
  work: Worklist,
  behaviourOf: PodBehaviours,
  stopping: Set<string>,
  key: ObjectKey,
): Promise<void> {
  const pod = manager.pods.store.get(key);
  if (!pod?.spec.nodeName || manager.nodes.store.get(`-/${pod.spec.nodeName}`) === undefined) return;
  // Intermediate states of a pod are written only where events are.
  const isCoarse = !manager.events.isRecording;
  const behaviour = isCoarse ? coarsely(behaviourOf(pod)) : behaviourOf(pod);
  if (isDeleting(pod)) return end(manager, work, pod, behaviour.stopsAfterMs, stopping);
  if (isTerminal(pod)) return;
  const addresses = { hostIp: hostIpOf(manager, pod), podIp: pod.status.podIP ?? freePodIp(manager, pod) };
  const step = nextStep({ pod, behaviour, addresses, now: manager.now(), isCoarse });
  if (step.status !== undefined) await saveStatus(manager, pod, step.status);
  tell(manager, pod, step.events);
  if (step.lookAgainAt !== undefined) work.addAfter(key, step.lookAgainAt - manager.now());
}

/** Ready as soon as it runs, and in time steps that many pods share. */
function coarsely(behaviour: PodBehaviour): PodBehaviour {
  const { outcome, startsAfterMs, readyAfterMs, stopsAfterMs } = behaviour;
  const times =
    outcome === 'ready' ? { startsAfterMs: inSteps(startsAfterMs + readyAfterMs), readyAfterMs: 0 } : {};
  return { ...behaviour, ...times, stopsAfterMs: inSteps(stopsAfterMs) };
}

function inSteps(ms: number): number {
  return Math.ceil(ms / COARSE_STEP_MS) * COARSE_STEP_MS;
}

async function saveStatus(manager: ControllerManager, pod: Pod, status: PodStatus): Promise<void> {
  if (deepEqual(status, pod.status)) return;
  await manager.pods.as('kubelet').replaceStatus({ ...pod, status });
}

/** A pod ends when its containers have, at the latest when its grace period is over. */
async function end(
  manager: ControllerManager,
  work: Worklist,
  pod: Pod,
  stopsAfterMs: number,
  stopping: Set<string>,
): Promise<void> {
  const now = manager.now();
  const deadline = timeOf(pod.metadata.deletionTimestamp) ?? now;
  const { deletionGracePeriodSeconds = 0 } = pod.metadata as { deletionGracePeriodSeconds?: number };
  const endAt = Math.min(deadline, deadline - deletionGracePeriodSeconds * 1000 + stopsAfterMs);
  if (!stopping.has(pod.metadata.uid)) {
    stopping.add(pod.metadata.uid);
    tell(manager, pod, stopEvents(pod));
  }
  if (now < endAt) work.addAfter(keyOf(pod), endAt - now);
  else await manager.pods.as('kubelet').delete(pod, { gracePeriodSeconds: 0 });
}

function tell(manager: ControllerManager, pod: Pod, events: readonly StepEvent[]): void {
  const source = { component: 'kubelet', host: pod.spec.nodeName ?? '' };
  for (const { container, ...event } of events)
    manager.events.record({ about: pod, fieldPath: `spec.containers{${container}}`, source, ...event });
}
