// The sandbox of `npm start` and `npm run dev`: decides whether to run one, starts it in this process and points
// Shiplog's environment at it. Its code is loaded only then.
import './register.mjs';

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

/** Starts it, or several, and sets the environment for the server. */
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
  if (reset || !isPlayed(dataDir)) {
    const { startOver } = await import('../server/runtime/shipped-month.ts');
    await startOver({ dataDir });
  }
  const sandbox = await startSandbox({ dataDir, log });
  const env = { KUBECONFIG: sandbox.kubeconfigPath, SHIPLOG_DATA_DIR: sandbox.dataDir };
  return { sandbox, env, kubeconfigs: [sandbox.kubeconfigPath] };
}

async function startSeveral(dataDir, reset, log, count) {
  const [{ arePlayed, dataDirOf, resetSandboxes, startSandboxes }, { CLUSTERS }, { sandboxesFolder }] =
    await Promise.all([
      import('../sandbox/sandboxes.ts'),
      import('../sandbox/seed/fleet/fleet.ts'),
      import('../server/shared/sandbox-folder.ts'),
    ]);
  if (reset || !arePlayed(dataDir, count)) {
    const { startOver } = await import('../server/runtime/shipped-month.ts');
    await resetSandboxes(dataDir);
    const archiveDir = sandboxesFolder(dataDir);
    for (const cluster of CLUSTERS.slice(0, count))
      await startOver({ dataDir: dataDirOf(dataDir, cluster), archiveDir }, cluster.name);
  }
  const sandbox = await startSandboxes(dataDir, count, log);
  const env = { SHIPLOG_CLUSTERS: sandbox.clustersPath, SHIPLOG_DATA_DIR: sandboxesFolder(dataDir) };
  return { sandbox, env, kubeconfigs: sandbox.kubeconfigPaths };
}
