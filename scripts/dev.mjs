// The development server, with Shiplog's own address settings; with --sandbox, or where no cluster is configured, in
// front of a sandbox that this process serves.
import './register.mjs';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { forgetCluster, startOwnSandbox, wantsSandbox } from './own-sandbox.mjs';

const { readConfig } = await import('../server/shared/config.ts');
const { ConfigError } = await import('../server/shared/config-error.ts');

try {
  const { values: flags } = parseArgs({
    options: { sandbox: { type: 'boolean' }, reset: { type: 'boolean' }, clusters: { type: 'string' } },
  });
  if (flags.sandbox) forgetCluster();
  const config = readConfig(process.env);
  const sandbox = (await wantsSandbox(flags, config)) ? await startOwnSandbox(config, flags) : undefined;
  serve(config, sandbox);
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : `Shiplog cannot start: ${error.message}`);
  process.exit(1);
}

function serve({ port, host }, sandbox) {
  const next = fileURLToPath(new URL('../node_modules/next/dist/bin/next', import.meta.url));
  const child = spawn(process.execPath, [next, 'dev', '-p', String(port), '-H', host], {
    stdio: 'inherit',
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => {
    void (sandbox?.stop() ?? Promise.resolve()).finally(() => process.exit(code ?? 1));
  });
}
