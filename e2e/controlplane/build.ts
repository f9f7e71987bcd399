import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const goDirectory = fileURLToPath(new URL('./go/', import.meta.url));

const BINARY = 'shiplog-controlplane';
const PARTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'supervise'];

/** Without them the API server reports a version that kubectl cannot parse, and user agents contain v0.0.0. */
const LINKER_FLAGS = [
  '-s -w',
  ...['component-base/version', 'client-go/pkg/version'].flatMap((path) => [
    `-X k8s.io/${path}.gitVersion=v1.36.3`,
    `-X k8s.io/${path}.gitMajor=1`,
    `-X k8s.io/${path}.gitMinor=36`,
  ]),
].join(' ');

/** Builds of other branches are retained side by side; each takes 300 MB, so older ones are deleted. */
const KEPT_BUILDS = 3;

/** Paths of the programs, named as upstream names them. */
export interface Binaries {
  etcd: string;
  kubeApiserver: string;
  kubeControllerManager: string;
  kubeScheduler: string;
  kubectl: string;
  supervise: string;
  kwok: string;
}

/** The real control plane is not available on this machine; the message says what to install. */
export class ControlPlaneUnavailable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ControlPlaneUnavailable';
  }
}

/**
 * Builds the control plane unless this exact source was built before (about five minutes with an empty Go build
 * cache, seconds otherwise), and returns its programs. Concurrent processes share one build.
 *
 * @throws ControlPlaneUnavailable when Go is missing or the build fails.
 */
export async function ensureBinaries(log: (line: string) => void): Promise<Binaries> {
  const version = await goVersion();
  if (version === undefined) throw new ControlPlaneUnavailable(GO_MISSING);
  const root = join(cacheHome(), 'shiplog', 'controlplane');
  const directory = join(root, await sourceHash(version));

  if (!existsSync(directory)) {
    await mkdir(root, { recursive: true });
    await withLock(`${directory}.lock`, async () => {
      if (!existsSync(directory)) await build(directory, log);
    });
    await prune(root, directory);
  }
  const now = new Date();
  await utimes(directory, now, now);
  return binariesIn(directory);
}

export const GO_MISSING =
  'Go 1.26 or newer is needed to build the Kubernetes control plane of the tests, and `go` is not on the PATH. ' +
  'Install it from https://go.dev/dl/, or point SHIPLOG_TEST_KUBECONFIG at a cluster that may be changed.';

/** Path of kubectl: that of the control plane where it can be built, else that of this machine. */
export async function findKubectl(): Promise<string> {
  return (await hasGo()) ? (await ensureBinaries(() => undefined)).kubectl : 'kubectl';
}

/** True when `go` can be run here. */
export async function hasGo(): Promise<boolean> {
  return (await goVersion()) !== undefined;
}

async function goVersion(): Promise<string | undefined> {
  try {
    return (await run('go', ['env', 'GOVERSION'], { cwd: goDirectory })).stdout.trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const { stderr } = error as { stderr?: string };
    throw new ControlPlaneUnavailable(
      `\`go env\` fails in ${goDirectory}: ${stderr?.trim() ?? String(error)}`,
    );
  }
}

function cacheHome(): string {
  return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
}

async function sourceHash(version: string): Promise<string> {
  const hash = createHash('sha256').update(`${version} ${process.platform} ${process.arch} ${LINKER_FLAGS}`);
  for (const name of (await readdir(goDirectory, { recursive: true })).sort()) {
    if (/\.(go|mod|sum)$/.test(name))
      hash.update(`\n${name}\n`).update(await readFile(join(goDirectory, name)));
  }

  return hash.digest('hex').slice(0, 16);
}

async function build(directory: string, log: (line: string) => void): Promise<void> {
  const unfinished = `${directory}.${process.pid}.tmp`;
  await mkdir(unfinished);
  const started = Date.now();
  log('Building the Kubernetes control plane of the tests; the first time this takes about five minutes.');
  try {
    await goBuild(['-ldflags', LINKER_FLAGS, '-o', join(unfinished, BINARY), '.'], log);
    await goBuild(['-ldflags', LINKER_FLAGS, '-o', join(unfinished, 'kubectl'), './kubectl'], log);
    await goBuild(['-ldflags', '-s -w', '-o', join(unfinished, 'kwok'), 'sigs.k8s.io/kwok/cmd/kwok'], log);
    await Promise.all(PARTS.map((part) => symlink(BINARY, join(unfinished, part))));
    await rename(unfinished, directory);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  log(`Built the control plane in ${Math.round((Date.now() - started) / 1000)} s.`);
}

async function goBuild(args: string[], log: (line: string) => void): Promise<void> {
  const child = spawn('go', ['build', ...args], { cwd: goDirectory, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output.push(chunk);
      for (const line of chunk.split('\n')) if (/^go: downloading/.test(line)) log(line);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  if (code !== 0) {
    throw new ControlPlaneUnavailable(
      `\`go build\` of the control plane failed:\n${output.join('').slice(-4000)}`,
    );
  }
}

/** Exactly one process can create the directory; its pid distinguishes a live lock from an abandoned one. */
async function withLock(lock: string, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await mkdir(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (await isAbandoned(lock)) await rm(lock, { recursive: true, force: true });
      else await delay(500);
    }
  }
  try {
    await writeFile(join(lock, 'pid'), String(process.pid));
    await work();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function isAbandoned(lock: string): Promise<boolean> {
  try {
    return !isAlive(Number(await readFile(join(lock, 'pid'), 'utf8')));
  } catch {
    // The holder has not written its pid yet, or has just ended; a lock without a pid for long is abandoned.
    const made = await stat(lock).catch(() => undefined);
    return made !== undefined && Date.now() - made.mtimeMs > 10_000;
  }
}

/** Whether a process of this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function prune(root: string, keep: string): Promise<void> {
  const names = (await readdir(root)).filter(
    (name) => /^[0-9a-f]{16}$/.test(name) && join(root, name) !== keep,
  );
  const builds = await Promise.all(
    names.map(async (name) => ({ name, used: (await stat(join(root, name))).mtimeMs })),
  );
  const old = builds.sort((a, b) => b.used - a.used).slice(KEPT_BUILDS - 1);
  await Promise.all(old.map(({ name }) => rm(join(root, name), { recursive: true, force: true })));
}

function binariesIn(directory: string): Binaries {
  return {
    etcd: join(directory, 'etcd'),
    kubeApiserver: join(directory, 'kube-apiserver'),
    kubeControllerManager: join(directory, 'kube-controller-manager'),
    kubeScheduler: join(directory, 'kube-scheduler'),
    kubectl: join(directory, 'kubectl'),
    supervise: join(directory, 'supervise'),
    kwok: join(directory, 'kwok'),
  };
}
