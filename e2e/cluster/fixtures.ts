import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { waitFor } from '@/e2e/controlplane/wait';

export const nativeKinds = ['deployment', 'statefulset', 'daemonset'] as const;
export type NativeKind = (typeof nativeKinds)[number];

/** Values that trip a careless client: Go's escapes, a line separator, and an integer that a double cannot hold. */
const AWKWARD_COMMAND = 'test 1 -lt 2 && echo "<ok>" \u2028 > /dev/null';
export const BIG_INTEGER = '9007199254740993';

/** Id of the resource in the HTTP API. */
export function resourceOf(kind: NativeKind): string {
  return `${kind}s.apps`;
}

/** A workload whose template is easily corrupted. */
export function manifestOf(kind: NativeKind, namespace: string, name: string, image: string): string {
  const spec = {
    ...(kind === 'daemonset' ? {} : { replicas: 3 }),
    ...(kind === 'statefulset' ? { serviceName: name } : {}),
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name, tier: 'test' }, annotations: { 'example.com/note': 'a & b' } },
      spec: {
        terminationGracePeriodSeconds: 'BIG_INTEGER',
        containers: [
          {
            name: 'app',
            image,
            command: ['sh', '-c', AWKWARD_COMMAND],
            env: [
              { name: 'LOG_LEVEL', value: 'info' },
              { name: 'DB_PASSWORD', value: 'correct horse' },
            ],
            ports: [
              { containerPort: 53, protocol: 'TCP' },
              { containerPort: 53, protocol: 'UDP', name: 'dns' },
            ],
            resources: { requests: { cpu: '0.1', memory: '64Mi' } },
          },
        ],
      },
    },
  };
  const kinds = { deployment: 'Deployment', statefulset: 'StatefulSet', daemonset: 'DaemonSet' };
  const object = {
    apiVersion: 'apps/v1',
    kind: kinds[kind],
    metadata: { name, namespace, annotations: { 'kubernetes.io/change-cause': 'first release' } },
    spec,
  };
  return JSON.stringify(object).replace('"BIG_INTEGER"', BIG_INTEGER);
}

/** Runs kubectl and throws if it fails. */
export async function kubectl(cluster: ControlPlane, args: string[], input?: string): Promise<string> {
  const { stdout, stderr, code } = await cluster.kubectl(args, input === undefined ? {} : { input });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

export async function rolledOut(cluster: ControlPlane, kind: NativeKind, namespace: string, name: string) {
  await kubectl(cluster, ['-n', namespace, 'rollout', 'status', `${kind}/${name}`, '--timeout=60s']);
}

/** Four rollouts: an image with a change cause, a change of the environment, a restart, and a return to the first. */
export async function makeHistory(cluster: ControlPlane, kind: NativeKind, namespace: string, name: string) {
  const target = `${kind}/${name}`;
  const here = ['-n', namespace];
  await kubectl(
    cluster,
    ['create', '-f', '-'],
    manifestOf(kind, namespace, name, 'registry.example.com/app:1.0'),
  );
  await rolledOut(cluster, kind, namespace, name);
  await kubectl(cluster, [...here, 'annotate', target, 'kubernetes.io/change-cause=second', '--overwrite']);
  await kubectl(cluster, [...here, 'set', 'image', target, 'app=registry.example.com/app:1.1']);
  await rolledOut(cluster, kind, namespace, name);
  await kubectl(cluster, [...here, 'set', 'env', target, 'LOG_LEVEL=debug', 'EXTRA=1']);
  await rolledOut(cluster, kind, namespace, name);
  await kubectl(cluster, [...here, 'rollout', 'restart', target]);
  await rolledOut(cluster, kind, namespace, name);
}

/** The object as text and parsed; the text preserves what a double cannot hold. */
export async function readObject(cluster: ControlPlane, kind: NativeKind, namespace: string, name: string) {
  const text = await kubectl(cluster, ['-n', namespace, 'get', kind, name, '-o', 'json']);
  return { text, object: JSON.parse(text) };
}

/** Waits until the condition holds for an answer of the HTTP API. */
export function until<T>(
  what: string,
  check: () => Promise<T | false | undefined>,
  timeoutMs = 60_000,
): Promise<T> {
  return waitFor(check, { what, timeoutMs });
}

/** As `kubectl apply`; throws if it fails. */
export async function apply(cluster: ControlPlane, objects: readonly object[]): Promise<void> {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  await kubectl(cluster, ['apply', '--server-side', '-f', '-'], input);
}
