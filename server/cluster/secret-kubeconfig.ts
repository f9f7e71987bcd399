import 'server-only';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import {
  type KubeConfigDocument,
  loadKubeConfigDocument,
  type LoadedKubeConfig,
} from '@/server/cluster/kubeconfig';
import { ConfigError } from '@/server/shared/config-error';

/** Members that would run a program or read a file of this machine, on behalf of the author of the Secret. */
const localMembers = [
  'exec',
  'auth-provider',
  'tokenFile',
  'token-file',
  'client-certificate',
  'client-key',
  'certificate-authority',
];

const text = z.string().nullish();
const server = z.string().refine(isHttpUrl);
const clusterSchema = z.strictObject({
  server,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': z.boolean().nullish(),
  'tls-server-name': text,
  'proxy-url': text,
  'disable-compression': z.boolean().nullish(),
  extensions: z.unknown().optional(),
});
const userSchema = z.strictObject({
  token: text,
  'client-certificate-data': text,
  'client-key-data': text,
  username: text,
  password: text,
  as: text,
  'as-uid': text,
  'as-groups': z.array(z.string()).nullish(),
  'as-user-extra': z.record(z.string(), z.array(z.string())).nullish(),
  extensions: z.unknown().optional(),
});
/** What decides which cluster and user are used; the others may be anything. */
const kubeconfigSchema = z.object({
  'current-context': text,
  contexts: z.array(z.object({ name: z.string(), context: z.object({ cluster: z.string(), user: text }) })),
  clusters: z.array(z.object({ name: z.string(), cluster: z.unknown().optional() })),
  users: z.array(z.object({ name: z.string(), user: z.unknown().optional() })).nullish(),
});
const fieldsSchema = z.object({
  server,
  ca: z.string().startsWith('-----BEGIN CERTIFICATE-----').optional(),
  token: z.string().regex(/^[\x21-\x7e]+$/),
});

/**
 * The kubeconfig in the data of a Secret, which still has its base64: of the key `kubeconfig`, or of `server`, `token`,
 * and perhaps `ca`. `context` is the one to use; default: the current or only one. Throws ConfigError, whose message
 * contains nothing of the data.
 */
export function loadSecretKubeConfig(
  secret: string,
  data: Readonly<Record<string, string>>,
  context?: string,
): LoadedKubeConfig {
  const fields = Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8').trim()]),
  );
  try {
    return fields.kubeconfig === undefined
      ? loadFields(secret, fields)
      : loadContext(fields.kubeconfig, context);
  } catch (error) {
    const problem =
      error instanceof Refusal
        ? error.message
        : 'The kubeconfig is not usable; check it with kubectl --kubeconfig';
    throw new ConfigError([`Secret ${secret} does not lead to a cluster. ${problem}.`]);
  }
}

/** Its message contains nothing of the data. */
class Refusal extends Error {}

function loadFields(secret: string, fields: Readonly<Record<string, string>>): LoadedKubeConfig {
  const parsed = fieldsSchema.safeParse(fields);
  if (!parsed.success) {
    const wrong = new Set(parsed.error.issues.map(({ path }) => String(path[0])));
    throw new Refusal(
      `It needs the key kubeconfig, or server (https://…), token, and perhaps ca (PEM); check ${[...wrong].join(', ')}`,
    );
  }
  const { server, ca, token } = parsed.data;
  const authority =
    ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return loadKubeConfigDocument(documentOf(secret, { server, ...authority }, { token }));
}

function loadContext(text: string, requested: string | undefined): LoadedKubeConfig {
  const parsed = kubeconfigSchema.safeParse(yamlOf(text));
  if (parsed.data === undefined) throw new Refusal('Its key kubeconfig is not a kubeconfig');
  const { contexts, clusters, users, 'current-context': current } = parsed.data;
  const only = contexts.length === 1 ? contexts[0]?.name : undefined;
  const name = requested ?? (current || only);
  const context = contexts.find((entry) => entry.name === name)?.context;
  if (name === undefined || context === undefined)
    throw new Refusal(
      requested === undefined
        ? 'Its kubeconfig has no current context'
        : 'Its kubeconfig no longer has the context that Shiplog uses',
    );
  const cluster = clusters.find((entry) => entry.name === context.cluster)?.cluster;
  const user = users?.find((entry) => entry.name === context.user)?.user ?? {};
  return loadKubeConfigDocument(
    documentOf(name, accept('cluster', clusterSchema, cluster), accept('user', userSchema, user)),
  );
}

function accept<T extends object>(what: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const local = parsed.error.issues
    .flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []))
    .find((key) => localMembers.includes(key));
  throw new Refusal(
    local === undefined
      ? `The ${what} of its kubeconfig has a member that is unknown or malformed`
      : `The ${what} of its kubeconfig has ${local}; Shiplog runs no program and reads no file for a Secret`,
  );
}

function documentOf(name: string, cluster: object, user: object): KubeConfigDocument {
  return {
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster }],
    users: [{ name, user }],
  };
}

/** Undefined where it is no YAML. */
function yamlOf(text: string): unknown {
  try {
    // Warnings would be printed, with parts of the text.
    return parseYaml(text, { logLevel: 'error' });
  } catch {
    return undefined;
  }
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}
