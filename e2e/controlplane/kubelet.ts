import { createServer } from 'node:https';
import { type AddressInfo } from 'node:net';
import { type KubeClient, KubeError } from '@/e2e/controlplane/kube-client';
import { type Behaviour, type BehaviourImages, behaviourPattern } from '@/e2e/controlplane/stages';

/** The part of a kubelet that the API server asks for container logs. */
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
 * Serves `/containerLogs/...` for every simulated node. Without a log set for a container, the text follows from
 * what its image does. https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/server/server.go
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
    const given = logs.get(`${namespace}/${pod}/${container}`);
    const answer = given === undefined ? logOf(query, client(), images) : Promise.resolve(given);
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
  const image = found?.image ?? '';
  const does = (behaviour: Behaviour) => new RegExp(behaviourPattern(behaviour, images)).test(image);
  const refuse = (message: string) => new KubeError(400, 'BadRequest', message);

  if (does('broken')) {
    throw refuse(
      `container "${query.container}" in pod "${query.pod}" is waiting to start: trying and failing to pull image`,
    );
  }
  if (does('crash')) return crashLog(query.container);
  if (query.previous)
    throw refuse(`previous terminated container "${query.container}" in pod "${query.pod}" not found`);
  if (does('hang')) return hangLog(query.container);

  return servingLog(query.container);
}

function tailOf(text: string, parameters: URLSearchParams): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const wanted = Number(parameters.get('tailLines') ?? lines.length);
  const kept = wanted <= 0 ? '' : `${lines.slice(-wanted).join('\n')}\n`;
  const limit = Number(parameters.get('limitBytes') ?? 0);

  return limit > 0 ? Buffer.from(kept).subarray(0, limit).toString() : kept;
}

function servingLog(container: string): string {
  const paths = ['/healthz', '/v1/items?limit=50', '/v1/items/4711', '/metrics', '/v1/quote'];
  const line = (index: number) =>
    `level=info component=${container} msg="request served" method=GET path=${paths[index % paths.length]} ` +
    `status=200 duration_ms=${3 + ((index * 7) % 41)}`;

  return Array.from({ length: 120 }, (_, index) => line(index)).join('\n');
}

function crashLog(container: string): string {
  return [
    `level=info component=${container} msg="starting"`,
    `level=info component=${container} msg="configuration loaded" source=environment`,
    ...Array.from(
      { length: 60 },
      (_, index) => `level=debug component=${container} msg="migration checked" number=${index + 1}`,
    ),
    `level=error component=${container} msg="cannot reach the database" error="dial tcp 10.0.0.40:5432: connect: connection refused"`,
    'panic: no database after 5 attempts',
    '',
    'goroutine 1 [running]:',
    'main.mustConnect(...)',
    '\t/src/cmd/server/main.go:88',
    'main.main()',
    '\t/src/cmd/server/main.go:41 +0x1d4',
    'exit status 1',
  ].join('\n');
}

function hangLog(container: string): string {
  return [
    `level=info component=${container} msg="starting"`,
    ...Array.from(
      { length: 30 },
      (_, index) =>
        `level=warn component=${container} msg="not ready yet" reason="waiting for the leader" attempt=${index + 1}`,
    ),
  ].join('\n');
}
