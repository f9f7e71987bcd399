import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('cluster-process.ts', import.meta.url));
const loader = fileURLToPath(new URL('../../scripts/register.mjs', import.meta.url));

/** Sandboxes in processes of their own, and the file of SHIPLOG_CLUSTERS that names them. */
export class SandboxClusters {
  /** Of the first cluster. */
  readonly kubeconfig: string;
  readonly file: string;
  readonly #directory: string;
  readonly #processes: readonly ChildProcess[];

  /** As many workloads in each cluster. */
  static async start(names: readonly string[], workloads: number): Promise<SandboxClusters> {
    const processes = names.map(() =>
      fork(program, [String(workloads)], {
        execArgv: ['--import', loader],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      }),
    );
    const directory = mkdtempSync(join(tmpdir(), 'shiplog-clusters-'));
    const clusters = new SandboxClusters(names, directory, processes);
    try {
      await Promise.all(processes.map((child, index) => clusters.#saveKubeconfig(child, names[index] ?? '')));
    } catch (error) {
      await clusters.stop();
      throw error;
    }
    return clusters;
  }

  private constructor(names: readonly string[], directory: string, processes: readonly ChildProcess[]) {
    this.#directory = directory;
    this.#processes = processes;
    process.once('exit', this.#kill);
    this.kubeconfig = join(directory, names[0] ?? '');
    this.file = join(directory, 'clusters.yaml');
    const clusters = names.map((name) => ({ name, source: { kubeconfig: name } }));
    // JSON is YAML.
    writeFileSync(this.file, JSON.stringify({ apiVersion: 'shiplog.dev/v1', clusters }));
  }

  /** Each answer of that cluster takes so long; its watches are cut. */
  slowDown(index: number, ms: number): void {
    this.#processes[index]?.send(ms);
  }

  /** Nothing that is sent to that cluster is answered, and nothing arrives from it. */
  freeze(index: number): void {
    this.#processes[index]?.kill('SIGSTOP');
  }

  thaw(index: number): void {
    this.#processes[index]?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    const ended = this.#processes.filter((child) => !hasEnded(child)).map((child) => once(child, 'exit'));
    this.#kill();
    await Promise.all(ended);
    process.off('exit', this.#kill);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** One that is frozen does not notice that this process ends. */
  readonly #kill = (): void => {
    for (const child of this.#processes) child.kill('SIGKILL');
  };

  async #saveKubeconfig(child: ChildProcess, name: string): Promise<void> {
    const [message] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('A sandbox ended at its start.'))),
    ])) as [string];
    writeFileSync(join(this.#directory, name), message, { mode: 0o600 });
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
