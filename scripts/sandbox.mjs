// The sandbox alone: writes a kubeconfig to the given file, then serves until it is stopped. Its state is deleted at
// the end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import './register.mjs';

const { startSandbox } = await import('../sandbox/sandbox.ts');
const { createLogger } = await import('../server/shared/log.ts');
const { writePrivate } = await import('../server/shared/write-private.ts');

const USAGE = 'npm run sandbox -- --kubeconfig FILE [--empty] [--port N]';

try {
  const { values } = parseArgs({
    options: { kubeconfig: { type: 'string' }, empty: { type: 'boolean' }, port: { type: 'string' } },
  });
  if (values.kubeconfig === undefined) throw new Error(`name the file to write: ${USAGE}`);
  await serve(values.kubeconfig, values.empty, portOf(values.port));
} catch (error) {
  console.error(`The sandbox cannot start: ${error.message}`);
  process.exit(1);
}

async function serve(kubeconfig, empty, port) {
  const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-sandbox-'));
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const stopEarly = () => process.exit(1);
  process.on('SIGTERM', stopEarly).on('SIGINT', stopEarly);
  if (!empty) {
    const { startOver } = await import('../server/runtime/shipped-month.ts');
    await startOver({ dataDir });
  }
  const sandbox = await startSandbox({ dataDir, empty, port, log: createLogger({ level: 'warn' }) });
  process.off('SIGTERM', stopEarly).off('SIGINT', stopEarly);
  const stop = () => void sandbox.stop().then(() => process.exit(0));
  process.once('SIGTERM', stop).once('SIGINT', stop);
  writePrivate(kubeconfig, sandbox.api.kubeconfig('admin'));
  console.log(`The sandbox is at ${sandbox.url}. Try it: kubectl --kubeconfig ${kubeconfig} get pods -A`);
}

function portOf(text) {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port is "${text}": ${USAGE}`);
  return port;
}
