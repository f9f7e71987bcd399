import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ControlPlaneUnavailable, GO_MISSING, goVersion, runGo } from '@/e2e/controlplane/build';
import { cachedBuild } from '@/e2e/controlplane/cached-build';

const MODULES = { 3: 'helm.sh/helm/v3/cmd/helm@v3.22.0', 4: 'helm.sh/helm/v4/cmd/helm@v4.3.1' };

export const chartPath = fileURLToPath(new URL('../../deploy/chart/shiplog', import.meta.url));

interface HelmResult {
  stdout: string;
  /** Warnings of the API server are here. */
  stderr: string;
  code: number;
}

/**
 * Path of helm, built once into the cache beside the control plane; four to ten minutes.
 *
 * @throws ControlPlaneUnavailable when Go is missing or the build fails.
 */
async function ensureHelm(major: keyof typeof MODULES, log: (line: string) => void): Promise<string> {
  const module = MODULES[major];
  const version = await goVersion();
  if (version === undefined) throw new ControlPlaneUnavailable(GO_MISSING);
  const key = createHash('sha256').update(`${module} ${version} ${process.platform} ${process.arch}`);
  const directory = await cachedBuild('helm', key.digest('hex').slice(0, 16), async (target) => {
    log(`Building helm ${major} for the tests; the first time this takes about five minutes.`);
    await runGo(['install', '-ldflags', '-s -w', module], log, { GOBIN: target });
  });

  return join(directory, 'helm');
}

/** Runs helm without the settings of the person who runs the tests; a failing command is a result, not an exception. */
export async function runHelm(
  args: string[],
  { kubeconfig = '', input = '', major = 4 }: { kubeconfig?: string; input?: string; major?: 3 | 4 } = {},
): Promise<HelmResult> {
  const program = await ensureHelm(major, (line) => void process.stderr.write(`${line}\n`));
  const home = mkdtempSync(join(tmpdir(), 'shiplog-helm-'));
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('HELM_'));
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...Object.fromEntries(others),
      NODE_ENV: process.env.NODE_ENV,
      KUBECONFIG: kubeconfig,
      HELM_CONFIG_HOME: home,
      HELM_CACHE_HOME: home,
      HELM_DATA_HOME: home,
    },
  });
  const result: HelmResult = { stdout: '', stderr: '', code: -1 };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (result.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (result.stderr += chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  try {
    result.code = await new Promise<number>((resolve, reject) =>
      child.on('error', reject).on('close', (code) => resolve(code ?? -1)),
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
  }

  return result;
}

/** What `helm template` renders of the chart with these values, or an Error with its message. */
export async function renderChart(values: object, args: string[] = []): Promise<string> {
  const command = ['template', 'shiplog', chartPath, '--namespace', 'shiplog', '--values', '-', ...args];
  const { code, stdout, stderr } = await runHelm(command, { input: JSON.stringify(values) });
  if (code !== 0) throw new Error(stderr);

  return stdout;
}
