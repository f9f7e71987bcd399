import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { parseJson } from '@/lib/kube/json';
import { ConfigError } from '@/server/config';
import { listAt, textAt } from '@/server/sandbox/api/stored-object';
import { kubeconfigIn } from '@/server/sandbox/state-folder';

/** On loopback an answer comes at once. */
const TIMEOUT_MS = 1_000;

/** Throws ConfigError when another process serves what is in the folder: two would overwrite each other's state. */
export async function requireNobodyElse(folder: string): Promise<void> {
  const kubeconfig = kubeconfigIn(folder);
  if (!existsSync(kubeconfig) || !(await isServed(kubeconfig))) return;
  throw new ConfigError([
    `The sandbox in ${folder} is in use by another process. Stop that one, or set SHIPLOG_DATA_DIR to another directory.`,
  ]);
}

/** Only who has the key made for that kubeconfig passes the check of the certificate. */
function isServed(kubeconfig: string): Promise<boolean> {
  const [entry] = listAt(parseJson(readFileSync(kubeconfig, 'utf8')), 'clusters');
  const ca = Buffer.from(textAt(entry, 'cluster', 'certificate-authority-data'), 'base64');
  const { promise, resolve } = Promise.withResolvers<boolean>();
  request(`${textAt(entry, 'cluster', 'server')}/livez`, { ca, timeout: TIMEOUT_MS, agent: false })
    .on('response', (answer) => {
      answer.resume();
      resolve(true);
    })
    .on('timeout', () => resolve(false))
    .on('error', () => resolve(false))
    .end();
  return promise;
}
