import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type ApiAuditEntry,
  type AuditPosition,
  auditPosition,
  openWatches,
  parseOwnEntry,
  readAudit,
} from '@/e2e/controlplane/audit';
import { ControlPlaneUnavailable, findKubectl } from '@/e2e/controlplane/build';
import type { ControlPlane, ControlPlaneOptions } from '@/e2e/controlplane/running-cluster';
import { type KubeClient, kubeClient } from '@/e2e/controlplane/kube-client';
import { type KubectlResult, runKubectl } from '@/e2e/controlplane/kubectl';
import { writeKubeconfig } from '@/e2e/controlplane/kubeconfig';
import type { SandboxAddress, SandboxCommand, SandboxReply } from '@/e2e/controlplane/sandbox-commands';
import { capabilitiesOf, NODE_CAPACITY } from '@/e2e/controlplane/test-cluster';
import { READER_NAMESPACE, USERS, type User } from '@/e2e/controlplane/users';

const program = fileURLToPath(new URL('./sandbox-process.ts', import.meta.url));
const loader = fileURLToPath(new URL('../../scripts/register.mjs', import.meta.url));

/** Starts the embedded sandbox in a process of its own, with the users and the pods of the real control plane. */
export async function startSandboxCluster(options: ControlPlaneOptions): Promise<ControlPlane> {
  if (options.apiServerArgs !== undefined)
    throw new ControlPlaneUnavailable('The sandbox takes no arguments of the real API server.');
  const cluster = new SandboxCluster(await findKubectl());
  try {
    await cluster.start(options);
  } catch (error) {
    await cluster.stop();
    throw error;
  }

  return cluster;
}

class SandboxCluster implements ControlPlane {
  readonly capabilities = capabilitiesOf('sandbox');
  readonly kubeconfigs = {} as Record<User, string>;
  readonly kubectlPath: string;
  server = '';
  ca = '';

  readonly #directory = mkdtempSync(join(tmpdir(), 'shiplog-sandbox-cluster-'));
  readonly #process: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #clients = new Map<User, KubeClient>();
  readonly #replies = new Map<number, (reply: SandboxReply) => void>();
  #tokens: SandboxAddress['tokens'] = {};
  #sent = 0;
  #stopped: Promise<void> | undefined;

  constructor(kubectlPath: string) {
    this.kubectlPath = kubectlPath;
    this.#process = fork(program, [], {
      execArgv: ['--import', loader],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#exited = new Promise((resolve) => this.#process.once('exit', () => resolve()));
    this.#process.on('message', (reply: SandboxReply) => {
      this.#replies.get(reply.id)?.(reply);
      this.#replies.delete(reply.id);
    });
    void this.#exited.then(() => this.#failAll());
    process.once('exit', this.#abandon);
  }

  async start({
    nodes = 3,
    nodeCapacity = NODE_CAPACITY,
    behaviours = {},
    controllers = true,
  }: ControlPlaneOptions): Promise<void> {
    const { address } = await this.#send({
      ...{ do: 'start', nodes, nodeCapacity, behaviours, controllers, auditFile: this.#file('audit.log') },
    });
    this.#adopt(address);
    await this.client().create('/api/v1/namespaces', { metadata: { name: READER_NAMESPACE } });
  }

  kubectl(
    args: string[],
    { user = 'admin', input }: { user?: User; input?: string } = {},
  ): Promise<KubectlResult> {
    return runKubectl(this.kubectlPath, this.kubeconfigs[user], args, input);
  }

  client(user: User = 'seeder'): KubeClient {
    const known = this.#clients.get(user);
    if (known !== undefined) return known;
    const client = kubeClient(this.server, this.#tokenOf(user), this.ca);
    this.#clients.set(user, client);

    return client;
  }

  setLog(namespace: string, pod: string, container: string, text: string): void {
    void this.#send({ do: 'setLog', namespace, pod, container, text });
  }

  async killApiServer(): Promise<void> {
    await this.#send({ do: 'suspend' });
  }

  async startApiServer(): Promise<void> {
    await this.#send({ do: 'resume' });
  }

  freezeApiServer(): void {
    this.#process.kill('SIGSTOP');
  }

  thawApiServer(): void {
    this.#process.kill('SIGCONT');
  }

  async renewCertificates(): Promise<void> {
    await this.killApiServer();
    const { address } = await this.#send({ do: 'renewCertificate' });
    await this.#closeClients();
    this.#adopt(address);
    await this.startApiServer();
  }

  async compact(): Promise<void> {
    await this.#send({ do: 'forgetHistory' });
  }

  async forgetHistory(): Promise<void> {
    await this.killApiServer();
    await this.compact();
    await this.startApiServer();
  }

  audit(since?: AuditPosition): Promise<ApiAuditEntry[]> {
    return readAudit(this.#file('audit.log'), since, parseOwnEntry);
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
    await this.#closeClients();
    this.#process.kill('SIGKILL');
    await this.#exited;
    process.off('exit', this.#abandon);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #adopt(address: SandboxAddress | undefined): void {
    if (address === undefined) throw new Error('The sandbox did not say where it is.');
    this.server = address.url;
    this.ca = address.ca;
    this.#tokens = address.tokens;
    for (const user of USERS) {
      this.kubeconfigs[user] = this.#file(`${user}.kubeconfig`);
      writeKubeconfig(this.kubeconfigs[user], {
        server: this.server,
        ca: this.ca,
        user,
        token: this.#tokenOf(user),
      });
    }
  }

  async #closeClients(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.all(clients.map((client) => client.close()));
  }

  #abandon = (): void => {
    this.#process.kill('SIGKILL');
    rmSync(this.#directory, { recursive: true, force: true });
  };

  #file(name: string): string {
    return join(this.#directory, name);
  }

  #tokenOf(user: User): string {
    return this.#tokens[user] ?? '';
  }

  async #send(command: SandboxCommand): Promise<SandboxReply> {
    const id = ++this.#sent;
    const reply = await new Promise<SandboxReply>((resolve) => {
      this.#replies.set(id, resolve);
      this.#process.send({ id, command }, (error) => {
        if (error !== null) resolve({ id, error: error.message });
      });
    });
    if (reply.error !== undefined) throw new Error(`The sandbox fails to ${command.do}: ${reply.error}`);

    return reply;
  }

  #failAll(): void {
    for (const [id, answer] of this.#replies) answer({ id, error: 'its process has ended' });
    this.#replies.clear();
  }
}
