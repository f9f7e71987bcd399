import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { isAlreadyExists } from '@/sandbox/controllers/runtime/resource';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { KubeNode, NodeSpec } from '@/sandbox/controllers/objects/node';
import { timeText } from '@/sandbox/controllers/objects/time';

/** A node that should exist. */
export interface SandboxNode {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: NodeSpec;
  readonly capacity?: Readonly<Record<string, string>>;
}

const CAPACITY = { cpu: '16', memory: '64Gi', pods: '110' };
const NODE_INFO = {
  osImage: 'Simulated',
  kernelVersion: '6.12',
  containerRuntimeVersion: 'containerd://2.1.4',
  kubeletVersion: 'v1.36.3',
};

/** Creates missing nodes and makes each node ready that has never reported a status. */
export function runNodes(manager: ControllerManager, wanted: readonly SandboxNode[]): void {
  const work = manager.register((key) => syncNode(manager, wanted, key));
  for (const { name } of wanted) work.add(`-/${name}`);
  manager.nodes.store.onChange(({ object }) => {
    if (object !== undefined) work.add(keyOf(object));
  });
}

async function syncNode(
  manager: ControllerManager,
  wanted: readonly SandboxNode[],
  key: ObjectKey,
): Promise<void> {
  const present = manager.nodes.store.get(key);
  const draft = wanted.find(({ name }) => key === `-/${name}`);
  const node = present ?? (draft === undefined ? undefined : await create(manager, draft));
  if (node === undefined || node.status.conditions?.some(({ type }) => type === 'Ready')) return;
  await manager.nodes.as('kubelet').replaceStatus({ ...node, status: readyStatus(manager, node) });
}

async function create(
  manager: ControllerManager,
  { name, labels, spec, capacity = CAPACITY }: SandboxNode,
): Promise<KubeNode | undefined> {
  const own = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
  };
  const amounts = { ...capacity };
  try {
    return await manager.nodes.as('kubelet').create(undefined, {
      metadata: { name, labels: { ...own, ...labels } },
      spec,
      status: { capacity: amounts, allocatable: amounts },
    });
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}

function readyStatus(manager: ControllerManager, node: KubeNode): KubeNode['status'] {
  const time = timeText(manager.now());
  const number =
    1 + manager.nodes.store.all().findIndex(({ metadata }) => metadata.name === node.metadata.name);
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    message: 'kubelet is posting ready status',
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  };
  return {
    ...node.status,
    addresses: [
      { type: 'InternalIP', address: `10.0.${number >> 8}.${number & 0xff}` },
      { type: 'Hostname', address: node.metadata.name },
    ],
    conditions: [ready],
    nodeInfo: NODE_INFO,
  };
}
