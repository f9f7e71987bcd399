// The sandbox of `npm start` and `npm run dev`: decides whether to run one, starts it in this process and points
// Shiplog's environment at it. Its code is loaded only then.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import './register.mjs';

/** Seeding creates much garbage and little live data; without limits the engine would take twice the memory. */
const SMALL_HEAP = ['--max-semi-space-size=4', '--max-old-space-size=128'];

const { variables } = await import('../server/shared/variables.ts');

/** Variables that name notification targets, the cluster and the archive: the sandbox has its own. */
const outward = Object.keys(variables).filter((name) => variables[name].isOutward);
const OWN = /^SHIPLOG_SANDBOX_(.+)$/;

/**
 * The sandbox ignores the environment of a real cluster and its notification targets, because the sandbox simulates
 * failures all the time. `SHIPLOG_SANDBOX_WEBHOOK_URL` and the like replace `SHIPLOG_WEBHOOK_URL` in a sandbox alone.
 */
export function forgetCluster(env = process.env) {
  for (const name of outward) delete env[name];
  for (const [name, value] of Object.entries(env)) {
    const own = `SHIPLOG_${OWN.exec(name)?.[1]}`;
    if (outward.includes(own)) env[own] = value;
  }
}

/** Whether it was requested, or nothing else is configured. Throws on an option of a sandbox without one. */
export async function wantsSandbox({ sandbox = false, reset = false, clusters }, config) {
  const { namesCluster } = await import('../server/cluster/named-cluster.ts');
  const isInPod = process.env.KUBERNETES_SERVICE_HOST !== undefined;
  const namesClusters = config.clusters.kind !== 'one' || namesCluster(config.cluster);
  const wanted = sandbox || !(isInPod || namesClusters);
  if (reset && !wanted) throw new Error('--reset works only with --sandbox: npm start -- --sandbox --reset.');
  if (clusters !== undefined && !wanted)
    throw new Error(`--clusters works only with --sandbox: npm start -- --sandbox --clusters ${clusters}.`);
  return wanted;
}

/** Starts it, or several, showing the progress of the seeding, and sets the environment for the server. */
export async function startOwnSandbox(config, { reset = false, clusters = '1' }) {
  const count = Number(clusters);
  if (!['1', '2', '3'].includes(clusters))
    throw new Error(`--clusters is ${clusters}; it must be 1, 2, or 3.`);
  const [{ prepareDataDir }, { createLogger, defaultFormat }] = await Promise.all([
    import('../server/shared/config.ts'),
    import('../server/shared/log.ts'),
  ]);
  prepareDataDir(config.dataDir);
  const log = createLogger({
    level: config.logLevel === 'info' ? 'warn' : config.logLevel,
    format: config.logFormat ?? defaultFormat(),
  });
  const start = count === 1 ? startOne : startSeveral;
  const { sandbox, env, kubeconfigs } = await start(config.dataDir, reset, log, count);
  // However this process ends, the last second of the state is saved.
  process.once('exit', () => sandbox.save());
  forgetCluster();
  Object.assign(process.env, { SHIPLOG_SANDBOX: '1', ...env });
  console.log(
    `Demo data in ${count === 1 ? 'a simulated cluster' : `${count} simulated clusters`}. For kubectl: KUBECONFIG=${kubeconfigs.join(':')}`,
  );
  return sandbox;
}

async function startOne(dataDir, reset, log) {
  const [{ isPlayed }, { startSandbox }] = await Promise.all([
    import('../sandbox/state-folder.ts'),
    import('../sandbox/sandbox.ts'),
  ]);
  if (reset || !isPlayed(dataDir)) await playWithProgress('the sandbox', [[dataDir]]);
  const sandbox = await startSandbox({ dataDir, log });
  const env = { KUBECONFIG: sandbox.kubeconfigPath, SHIPLOG_DATA_DIR: sandbox.dataDir };
  return { sandbox, env, kubeconfigs: [sandbox.kubeconfigPath] };
}

async function startSeveral(dataDir, reset, log, count) {
  const [{ arePlayed, resetSandboxes, startSandboxes }, { CLUSTERS }, { sandboxesFolder }] =
    await Promise.all([
      import('../sandbox/sandboxes.ts'),
      import('../sandbox/seed/fleet/fleet.ts'),
      import('../server/shared/sandbox-folder.ts'),
    ]);
  if (reset || !arePlayed(dataDir, count)) {
    await resetSandboxes(dataDir);
    await playWithProgress(
      `${count} sandbox clusters`,
      CLUSTERS.slice(0, count).map(({ name }) => [dataDir, name]),
    );
  }
  const sandbox = await startSandboxes(dataDir, count, log);
  const env = { SHIPLOG_CLUSTERS: sandbox.clustersPath, SHIPLOG_DATA_DIR: sandboxesFolder(dataDir) };
  return { sandbox, env, kubeconfigs: sandbox.kubeconfigPaths };
}

/** Seeds one after the other, each in a process with these arguments. */
async function playWithProgress(what, seedings) {
  const progress = progressLine(what);
  for (const [index, args] of seedings.entries()) {
    const child = fork(fileURLToPath(new URL('play.mjs', import.meta.url)), args, { execArgv: SMALL_HEAP });
    let problem = 'see the messages above';
    child.on('message', ({ share, error }) => {
      if (share !== undefined) progress.show((index + share) / seedings.length);
      if (error !== undefined) problem = error;
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) {
      progress.end();
      throw new Error(`the sandbox could not be created: ${problem}`);
    }
  }
  progress.end();
}

/** One line that is overwritten on a terminal; elsewhere a line for each fifth. */
function progressLine(what) {
  const { stdout } = process;
  const step = stdout.isTTY ? 1 : 20;
  let shown = -1;
  return {
    show(share) {
      const percent = Math.floor((share * 100) / step) * step;
      if (percent === shown) return;
      shown = percent;
      const text = `Creating ${what} with a month of history (once): ${percent}%`;
      stdout.write(stdout.isTTY ? `\r${text}` : `${text}\n`);
    },
    end() {
      if (shown >= 0 && stdout.isTTY) stdout.write('\n');
    },
  };
}
