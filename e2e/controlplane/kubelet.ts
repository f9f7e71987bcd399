import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type KubeClient, KubeError } from '@/e2e/controlplane/kube-client';
import { logTextOf } from '@/e2e/controlplane/pod-logs';
import type { BehaviourImages } from '@/e2e/controlplane/stages';

/** The kubelet API from which the API server reads container logs. */
export interface LogServer {
  readonly port: number;
  /** Gives a container its own log; the last call for a container wins. */
  setLog(namespace: string, pod: string, container: string, text: string): void;
  close(): Promise<void>;
}

interface LogQuery {
  namespace: string;
  pod: string;
  container: string;
  previous: boolean;
}

/**
 * Serves `/containerLogs/...` for every simulated node. Without a log set for a container, its image decides the
 * text.
 * https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/server/server.go
 */
export async function startLogServer(
  certificate: { cert: string; key: string },
  client: () => KubeClient,
  images: BehaviourImages,
): Promise<LogServer> {
  const logs = new Map<string, string>();
  const server = createServer(certificate, (request, response) => {
    const url = new URL(request.url ?? '/', 'https://kubelet');
    const [, route, namespace, pod, container] = url.pathname.split('/').map(decodeURIComponent);
    if (
      route !== 'containerLogs' ||
      namespace === undefined ||
      pod === undefined ||
      container === undefined
    ) {
      response.writeHead(404).end();
      return;
    }
    const query = { namespace, pod, container, previous: url.searchParams.get('previous') === 'true' };
    const customLogs = logs.get(`${namespace}/${pod}/${container}`);
    const answer = customLogs === undefined ? logOf(query, client(), images) : Promise.resolve(customLogs);
    answer.then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain' }).end(tailOf(text, url.searchParams)),
      (error: unknown) => {
        const status = error instanceof KubeError ? error.status : 500;
        response.writeHead(status).end(error instanceof Error ? error.message : String(error));
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();

  return {
    port: (server.address() as AddressInfo).port,
    setLog: (namespace, pod, container, text) => void logs.set(`${namespace}/${pod}/${container}`, text),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface PodBody {
  spec: { containers: { name: string; image: string }[]; initContainers?: { name: string; image: string }[] };
}

async function logOf(query: LogQuery, client: KubeClient, images: BehaviourImages): Promise<string> {
  const { spec } = await client.get<PodBody>(`/api/v1/namespaces/${query.namespace}/pods/${query.pod}`);
  const found = [...spec.containers, ...(spec.initContainers ?? [])].find(
    ({ name }) => name === query.container,
  );
  const refuse = (message: string) => new KubeError(400, 'BadRequest', message);
  const text = logTextOf({ ...query, image: found?.image ?? '' }, images);
  if (text !== undefined) return text;
  if (query.previous)
    throw refuse(`previous terminated container "${query.container}" in pod "${query.pod}" not found`);

  throw refuse(
    `container "${query.container}" in pod "${query.pod}" is waiting to start: trying and failing to pull image`,
  );
}

function tailOf(text: string, parameters: URLSearchParams): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const wanted = Number(parameters.get('tailLines') ?? lines.length);
  const kept = wanted <= 0 ? '' : `${lines.slice(-wanted).join('\n')}\n`;
  const limit = Number(parameters.get('limitBytes') ?? 0);

  return limit > 0 ? Buffer.from(kept).subarray(0, limit).toString() : kept;
}
