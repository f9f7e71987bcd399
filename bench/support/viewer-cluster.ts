import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workloadObjects } from '@/bench/support/workload-objects';
import type { AccessRule } from '@/sandbox/api/access';
import { startSandboxApi, type SandboxApi } from '@/sandbox/api/sandbox-api';
import { DEFAULT_USERS } from '@/sandbox/api/access';

const DEPLOYMENTS = 'deployments.apps';
const REVIEWS = 'subjectaccessreviews.authorization.k8s.io';
const SECOND_MS = 1_000;
const READ: Pick<AccessRule, 'groups' | 'resources' | 'verbs'> = {
  groups: ['apps', ''],
  resources: ['deployments', 'statefulsets', 'daemonsets', 'replicasets', 'pods', 'events'],
  verbs: ['get', 'list', 'watch'],
};

interface ViewerClusterOptions {
  /** As many namespaces, each with one Deployment. */
  namespaces: number;
  /** May read every namespace. */
  viewers: readonly string[];
  narrow: { name: string; namespaces: number };
}

/** A sandbox in this process whose people may read all of it or a part, and which counts the access reviews. */
export class ViewerCluster {
  readonly kubeconfig: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'shiplog-viewers-'));
  readonly #api: SandboxApi;
  readonly #reviews: number[];
  #changes = 0;

  static async start({ namespaces, viewers, narrow }: ViewerClusterOptions): Promise<ViewerCluster> {
    const reviews: number[] = [];
    const step = Math.floor(namespaces / narrow.namespaces);
    const rules = Array.from({ length: narrow.namespaces }, (_, place) => ({
      ...READ,
      namespace: namespaceAt(place * step),
    }));
    const api = await startSandboxApi({
      users: [
        ...DEFAULT_USERS,
        ...viewers.map((name) => ({ name, groups: [], rules: [READ] })),
        { name: narrow.name, groups: [], rules },
      ],
      audit: ({ stage, resource }) => {
        if (stage === 'RequestReceived' && resource === REVIEWS) reviews.push(performance.now());
      },
    });
    for (let index = 0; index < namespaces; index += 1) putWorkload(api, index);
    return new ViewerCluster(api, reviews);
  }

  private constructor(api: SandboxApi, reviews: number[]) {
    this.#api = api;
    this.#reviews = reviews;
    this.kubeconfig = join(this.#folder, 'kubeconfig');
    writeFileSync(this.kubeconfig, api.kubeconfig('admin'), { mode: 0o600 });
  }

  /** Changes the first Deployments, each in a namespace of its own. */
  change(deployments: number): void {
    this.#changes += 1;
    for (let index = 0; index < deployments; index += 1) {
      const { object } = deploymentAt(index);
      const { annotations: own } = object.metadata as { annotations?: object };
      const annotations = { ...own, 'example.com/change': String(this.#changes) };
      const changed = { ...object, metadata: { ...object.metadata, annotations } };
      this.#api.control({ do: 'put', resource: DEPLOYMENTS, object: changed });
    }
  }

  /** Access reviews since that moment of `performance.now()`: all, and the most in any second. */
  reviewsSince(start: number): { count: number; inSecondMax: number } {
    const times = this.#reviews.filter((time) => time >= start);
    let [first, inSecondMax] = [0, 0];
    for (const [index, time] of times.entries()) {
      while ((times[first] ?? time) <= time - SECOND_MS) first += 1;
      inSecondMax = Math.max(inSecondMax, index - first + 1);
    }
    return { count: times.length, inSecondMax };
  }

  async stop(): Promise<void> {
    await this.#api.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function namespaceAt(index: number): string {
  return `team-${String(index).padStart(4, '0')}`;
}

function deploymentAt(index: number) {
  const [deployment] = objectsAt(index);
  if (deployment === undefined) throw new Error('A workload has a Deployment.');
  return deployment;
}

/** A Deployment with its current ReplicaSet and pods: earlier revisions change no list, and take minutes to record. */
function objectsAt(index: number) {
  const [deployment, ...rest] = workloadObjects(index);
  const current = rest.findLastIndex(({ resource }) => resource === 'replicasets.apps');
  return [...(deployment === undefined ? [] : [deployment]), ...rest.slice(current)].map(
    ({ resource, object }) => ({
      resource,
      object: { ...object, metadata: { ...object.metadata, namespace: namespaceAt(index) } },
    }),
  );
}

function putWorkload(api: SandboxApi, index: number): void {
  const name = namespaceAt(index);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, status: { phase: 'Active' } };
  api.control({ do: 'put', resource: 'namespaces', object: namespace });
  for (const { resource, object } of objectsAt(index)) api.control({ do: 'put', resource, object });
}
