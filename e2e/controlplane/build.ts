import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cachedBuild } from '@/e2e/controlplane/cached-build';

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
  const started = Date.now();
  const directory = await cachedBuild('controlplane', await sourceHash(version), async (target) => {
    log('Building the Kubernetes control plane of the tests; the first time this takes about five minutes.');
    await build(target, log);
    log(`Built the control plane in ${Math.round((Date.now() - started) / 1000)} s.`);
  });
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

/** Undefined where `go` is not on the PATH. */
export async function goVersion(): Promise<string | undefined> {
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

async function sourceHash(version: string): Promise<string> {
  const hash = createHash('sha256').update(`${version} ${process.platform} ${process.arch} ${LINKER_FLAGS}`);
  for (const name of (await readdir(goDirectory, { recursive: true })).sort()) {
    if (/\.(go|mod|sum)$/.test(name))
      hash.update(`\n${name}\n`).update(await readFile(join(goDirectory, name)));
  }

  return hash.digest('hex').slice(0, 16);
}

async function build(directory: string, log: (line: string) => void): Promise<void> {
  await goBuild(['-ldflags', LINKER_FLAGS, '-o', join(directory, BINARY), '.'], log);
  await goBuild(['-ldflags', LINKER_FLAGS, '-o', join(directory, 'kubectl'), './kubectl'], log);
  await goBuild(['-ldflags', '-s -w', '-o', join(directory, 'kwok'), 'sigs.k8s.io/kwok/cmd/kwok'], log);
  await Promise.all(PARTS.map((part) => symlink(BINARY, join(directory, part))));
}

function goBuild(args: string[], log: (line: string) => void): Promise<void> {
  return runGo(['build', ...args], log);
}

/** Runs go with more variables; throws ControlPlaneUnavailable with its output when it fails. */
export async function runGo(
  args: string[],
  log: (line: string) => void,
  env: Record<string, string> = {},
): Promise<void> {
  const child = spawn('go', args, {
    ...{ cwd: goDirectory, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } },
  });
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
    throw new ControlPlaneUnavailable(`\`go ${args.join(' ')}\` failed:\n${output.join('').slice(-4000)}`);
  }
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
