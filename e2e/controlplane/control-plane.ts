import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ApiAuditEntry,
  type AuditPosition,
  auditPolicy,
  auditPosition,
  openWatches,
  readAudit,
} from '@/e2e/controlplane/audit';
import { type Binaries, ensureBinaries } from '@/e2e/controlplane/build';
import { isAlive } from '@/e2e/controlplane/cached-build';
import { compactEtcd } from '@/e2e/controlplane/etcd';
import { chartAccessManifests } from '@/e2e/controlplane/chart-account';
import { openExistingCluster } from '@/e2e/controlplane/existing-cluster';
import { type KubeClient, kubeClient } from '@/e2e/controlplane/kube-client';
import { type KubectlResult, runKubectl } from '@/e2e/controlplane/kubectl';
import { writeKubeconfig } from '@/e2e/controlplane/kubeconfig';
import { type LogServer, startLogServer } from '@/e2e/controlplane/kubelet';
import { type ComponentProcess, startComponent } from '@/e2e/controlplane/component-process';
import { freePort } from '@/e2e/controlplane/ports';
import { startSandboxCluster } from '@/e2e/controlplane/sandbox-cluster';
import { stageFile } from '@/e2e/controlplane/stages';
import { capabilitiesOf, NODE_CAPACITY, testCluster } from '@/e2e/controlplane/test-cluster';
import {
  accessManifests,
  chartAccount,
  SYSTEM_USERS,
  type SystemUser,
  tokenFile,
  tokenOf,
  UNAUDITED,
  USERS,
  type User,
} from '@/e2e/controlplane/users';
import { waitFor } from '@/e2e/controlplane/wait';
import type { ControlPlane, ControlPlaneOptions } from '@/e2e/controlplane/running-cluster';

const DATA_PREFIX = 'shiplog-controlplane-';
const CONTROLLERS = [
  'deployment',
  'replicaset',
  'statefulset',
  'daemonset',
  'garbagecollector',
  'namespace',
  'disruption',
  'root-ca-cert-publisher',
  'resourcequota',
  'persistentvolume-binder',
];

/**
 * Starts a real Kubernetes control plane on loopback, with simulated nodes, users of several rights and an audit
 * log; about five seconds once it is built. With SHIPLOG_TEST_CLUSTER=sandbox it is the embedded sandbox, in one
 * second; with SHIPLOG_TEST_KUBECONFIG that cluster is used instead.
 *
 * @throws ControlPlaneUnavailable when it cannot be built here.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const log = options.log ?? ((line: string) => void process.stderr.write(`${line}\n`));
  const kind = testCluster();
  if (kind === 'sandbox') return startSandboxCluster(options);
  if (kind === 'given') return openExistingCluster(process.env.SHIPLOG_TEST_KUBECONFIG ?? '');
  const binaries = await ensureBinaries(log);
  removeLeftovers();
  const cluster = new LocalCluster(binaries, options);
  try {
    await cluster.start();
  } catch (error) {
    await cluster.stop();
    throw error;
  }

  return cluster;
}

class LocalCluster implements ControlPlane {
  readonly capabilities = capabilitiesOf('real');
  readonly kubeconfigs = {} as Record<User, string>;
  readonly kubectlPath: string;
  server = '';
  ca = '';

  readonly #binaries: Binaries;
  readonly #options: ControlPlaneOptions;
  readonly #directory = mkdtempSync(join(tmpdir(), `${DATA_PREFIX}${process.pid}-`));
  readonly #clients = new Map<string, KubeClient>();
  /** In the order of their start. */
  readonly #parts: ComponentProcess[] = [];
  /** Those of them that read kubeconfigs at their start; kwok is the last. */
  #controllers: ComponentProcess[] = [];
  #apiServer: ComponentProcess | undefined;
  #apiServerArgs: string[] = [];
  #etcdUrl = '';
  #logServer: LogServer | undefined;
  /** The configuration of kwok; undefined without controllers. */
  #stages: string | undefined;
  #stopped: Promise<void> | undefined;

  constructor(binaries: Binaries, options: ControlPlaneOptions) {
    this.#binaries = binaries;
    this.#options = options;
    this.kubectlPath = binaries.kubectl;
    process.once('exit', this.#abandon);
  }

  async start(): Promise<void> {
    const [client, peer, secure] = [await freePort(), await freePort(), await freePort()];
    this.#etcdUrl = `http://127.0.0.1:${client}`;
    this.server = `https://127.0.0.1:${secure}`;
    this.#startEtcd(`http://127.0.0.1:${peer}`);
    this.#prepareApiServer(Number(secure));
    await this.startApiServer();
    this.#writeKubeconfigs();
    await Promise.all([
      this.#grantAccess(),
      this.#options.controllers === false ? undefined : this.#startNodes(),
    ]);
  }

  kubectl(
    args: string[],
    { user = chartAccount() === undefined ? 'admin' : 'seeder', input }: { user?: User; input?: string } = {},
  ): Promise<KubectlResult> {
    return runKubectl(this.kubectlPath, this.kubeconfigs[user], args, input);
  }

  client(user: User = 'seeder'): KubeClient {
    return this.#clientOf(user);
  }

  setLog(namespace: string, pod: string, container: string, text: string): void {
    this.#logServer?.setLog(namespace, pod, container, text);
  }

  async killApiServer(): Promise<void> {
    await this.#apiServer?.stop('SIGKILL');
  }

  async startApiServer(): Promise<void> {
    const part = startComponent(
      this.#binaries.kubeApiserver,
      this.#apiServerArgs,
      this.#file('kube-apiserver.log'),
    );
    const previous = this.#parts.findIndex(({ name }) => name === part.name);
    this.#parts.splice(previous < 0 ? this.#parts.length : previous, previous < 0 ? 0 : 1, part);
    this.#apiServer = part;
    // During its start the server writes first its certificate with its authority, then the key: once there is a key,
    // the certificate is complete.
    this.ca = await this.#whileRunning(part, 'has a certificate', () => {
      const hasKey = readFileSync(this.#file('certs/apiserver.key'), 'utf8').includes('END');
      return hasKey && readFileSync(this.#file('certs/apiserver.crt'), 'utf8');
    });
    await this.#whileRunning(
      part,
      'is ready',
      async () => (await this.#clientOf('kwok').text('/readyz')) === 'ok',
    );
  }

  freezeApiServer(): void {
    this.#apiServer?.signal('SIGSTOP');
  }

  thawApiServer(): void {
    this.#apiServer?.signal('SIGCONT');
  }

  async renewCertificates(): Promise<void> {
    await this.#stopControllers();
    await this.killApiServer();
    await this.#closeClients();
    for (const file of ['apiserver.crt', 'apiserver.key']) rmSync(join(this.#file('certs'), file));
    await this.startApiServer();
    this.#writeKubeconfigs();
    if (this.#stages !== undefined) this.#startControllers(this.#stages);
  }

  async compact(): Promise<void> {
    await compactEtcd(this.#etcdUrl, false);
  }

  async forgetHistory(): Promise<void> {
    await this.killApiServer();
    await compactEtcd(this.#etcdUrl, true);
    await this.startApiServer();
  }

  audit(since?: AuditPosition): Promise<ApiAuditEntry[]> {
    return readAudit(this.#file('audit.log'), since);
  }

  auditPosition(): Promise<AuditPosition> {
    return auditPosition(this.#file('audit.log'));
  }

  async openWatches(since?: AuditPosition): Promise<ApiAuditEntry[]> {
    return openWatches(await this.audit(since));
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();

    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.thawApiServer();
    await this.#closeClients();
    for (const part of this.#parts.toReversed()) await part.stop();
    await this.#logServer?.close();
    process.off('exit', this.#abandon);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #closeClients(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.all(clients.map((client) => client.close()));
  }

  /** The process ends without a call of stop: nothing asynchronous is possible any more. */
  #abandon = (): void => {
    for (const part of this.#parts) part.signal('SIGKILL');
    rmSync(this.#directory, { recursive: true, force: true });
  };

  #file(name: string): string {
    return join(this.#directory, name);
  }

  #clientOf(user: User | SystemUser): KubeClient {
    const known = this.#clients.get(user);
    if (known !== undefined) return known;
    const client = kubeClient(this.server, tokenOf(user), this.ca);
    this.#clients.set(user, client);

    return client;
  }

  #whileRunning<T>(
    part: ComponentProcess,
    state: string,
    ask: () => Promise<T | false> | T | false,
  ): Promise<T> {
    const ended = part.exited.then(() => {
      throw new Error(`${part.name} ended before it ${state}:\n${part.lastLines()}`);
    });
    const what = `${part.name} ${state}`;

    return Promise.race([ended, waitFor(ask, { what, detail: () => part.lastLines() })]);
  }

  #startEtcd(peer: string): void {
    const args = [
      `--data-dir=${this.#file('etcd')}`,
      `--listen-client-urls=${this.#etcdUrl}`,
      `--advertise-client-urls=${this.#etcdUrl}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
      `--quota-backend-bytes=${8 * 2 ** 30}`,
    ];
    this.#parts.push(startComponent(this.#binaries.etcd, args, this.#file('etcd.log')));
  }

  #prepareApiServer(port: number): void {
    mkdirSync(this.#file('certs'));
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = this.#write('service-account.key', privateKey.export({ type: 'pkcs1', format: 'pem' }));
    this.#apiServerArgs = [
      `--etcd-servers=${this.#etcdUrl}`,
      `--cert-dir=${this.#file('certs')}`,
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      '--endpoint-reconciler-type=none',
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      '--service-cluster-ip-range=10.0.0.0/24',
      '--authorization-mode=RBAC',
      `--token-auth-file=${this.#write('tokens.csv', tokenFile())}`,
      // No token controller runs, and no node controller that would remove the taints.
      '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition',
      '--kubelet-preferred-address-types=InternalIP',
      `--audit-policy-file=${this.#write('audit-policy.json', auditPolicy(UNAUDITED))}`,
      `--audit-log-path=${this.#file('audit.log')}`,
      '--audit-log-maxsize=10000',
      '--allow-privileged=true',
      '--profiling=false',
      ...(this.#options.apiServerArgs ?? []),
    ];
  }

  #write(name: string, content: string | Buffer): string {
    writeFileSync(this.#file(name), content, { mode: 0o600 });

    return this.#file(name);
  }

  #writeKubeconfigs(): void {
    const write = (user: User | SystemUser): string => {
      const file = this.#file(`${user.replaceAll(':', '-')}.kubeconfig`);
      writeKubeconfig(file, { server: this.server, ca: this.ca, user, token: tokenOf(user) });

      return file;
    };
    for (const user of USERS) this.kubeconfigs[user] = write(user);
    SYSTEM_USERS.forEach(write);
  }

  async #grantAccess(): Promise<void> {
    for (const input of [accessManifests(), await chartAccessManifests()]) {
      if (input === undefined) continue;
      const { code, stderr } = await this.kubectl(['create', '-f', '-'], { user: 'seeder', input });
      if (code !== 0) throw new Error(`The test users cannot be given their rights: ${stderr}`);
    }
  }

  async #startNodes(): Promise<void> {
    const certificate = { cert: this.ca, key: readFileSync(this.#file('certs/apiserver.key'), 'utf8') };
    const behaviours = this.#options.behaviours ?? {};
    this.#logServer = await startLogServer(certificate, () => this.#clientOf('kwok'), behaviours);
    this.#stages = this.#write('stages.yaml', stageFile(this.#logServer.port, behaviours));
    this.#startControllers(this.#stages);
    const names = Array.from({ length: this.#options.nodes ?? 3 }, (_, index) => `worker-${index + 1}`);
    await Promise.all(names.map((name) => this.#createNode(name)));
    await Promise.all(
      names.map((name) =>
        this.#whileRunning(this.#kwok(), `has made ${name} ready`, () => this.#isReady(name)),
      ),
    );
  }

  #startControllers(stages: string): void {
    this.#controllers = [
      startComponent(
        this.#binaries.kubeControllerManager,
        [
          this.#kubeconfigFlag('system:kube-controller-manager'),
          `--service-account-private-key-file=${this.#file('service-account.key')}`,
          '--leader-elect=false',
          '--secure-port=0',
          `--controllers=${CONTROLLERS.join(',')}`,
          '--kube-api-qps=500',
          '--kube-api-burst=1000',
        ],
        this.#file('kube-controller-manager.log'),
      ),
      startComponent(
        this.#binaries.kubeScheduler,
        [
          this.#kubeconfigFlag('system:kube-scheduler'),
          '--leader-elect=false',
          '--secure-port=0',
          '--kube-api-qps=500',
          '--kube-api-burst=1000',
        ],
        this.#file('kube-scheduler.log'),
      ),
      startComponent(
        this.#binaries.supervise,
        [this.#binaries.kwok, this.#kubeconfigFlag('kwok'), '--manage-all-nodes=true', `--config=${stages}`],
        this.#file('kwok.log'),
      ),
    ];
    this.#parts.push(...this.#controllers);
  }

  async #stopControllers(): Promise<void> {
    for (const part of this.#controllers.splice(0).toReversed()) {
      await part.stop();
      this.#parts.splice(this.#parts.indexOf(part), 1);
    }
  }

  #kubeconfigFlag(user: SystemUser): string {
    return `--kubeconfig=${this.#file(`${user.replaceAll(':', '-')}.kubeconfig`)}`;
  }

  #kwok(): ComponentProcess {
    const part = this.#controllers.at(-1);
    if (part === undefined) throw new Error('kwok was not started');

    return part;
  }

  async #createNode(name: string): Promise<void> {
    const capacity = this.#options.nodeCapacity ?? NODE_CAPACITY;
    await this.client().create('/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' } },
      status: { capacity, allocatable: capacity },
    });
  }

  async #isReady(name: string): Promise<boolean> {
    const { status } = await this.client().get<{
      status: { conditions?: { type: string; status: string }[] };
    }>(`/api/v1/nodes/${name}`);

    return status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
  }
}

/** A killed test run leaves its files; its processes have ended with it. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${DATA_PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}
